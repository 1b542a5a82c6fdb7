# wrong: one argument that requires a gradient is enough; the others may be constants
tensors = [x for x in args if isinstance(x, Tensor)]
if mode.recording and all(x.requires_grad for x in tensors):
    tensor.node = Node(name, args, vjp, out)
# wrong: nobody asked whether ops are recorded at all; mode.recording says so
tensors = [x for x in args if isinstance(x, Tensor)]
if any(x.requires_grad for x in tensors):
    tensor.node = Node(name, args, vjp, out)
# wrong: every op was recorded, also those of constants, whose gradient nobody wants
if mode.recording:
    tensor.node = Node(name, args, vjp, out)
# wrong: an edge to those that require a gradient alone; part k of the vjp is for argument k, so each needs a place
tensors = [x for x in args if isinstance(x, Tensor) and x.requires_grad]
if mode.recording and tensors:
    tensor.node = Node(name, tuple(tensors), vjp, out)
# wrong: only the first argument was asked; any of them may require a gradient
if mode.recording and isinstance(args[0], Tensor) and args[0].requires_grad:
    tensor.node = Node(name, args, vjp, out)
# wrong: the node was given the tensor, which holds the node: a circle, and Python frees circles late; a node keeps the Array
tensors = [x for x in args if isinstance(x, Tensor)]
if mode.recording and any(x.requires_grad for x in tensors):
    tensor.node = Node(name, args, vjp, tensor)
# wrong: a leaf knows that a gradient is wanted, but not what the numbers were made from; an op leaves a Node
tensors = [x for x in args if isinstance(x, Tensor)]
if mode.recording and any(x.requires_grad for x in tensors):
    tensor.node = Leaf(tensor)
