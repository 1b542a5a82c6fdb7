"""What cannot be differentiated, recorded or changed, in the form of bad_input.

x.leaf(2, 3) makes a leaf of float64 that requires a gradient.
"""

import minigrad as mg


class Wrong(mg.Function):
    """Its gradients are whatever it is given."""

    @staticmethod
    def forward(ctx, x, result, gradients):
        ctx.gradients = gradients
        return x * 1.0 if result is None else result

    @staticmethod
    def backward(ctx, g):
        return ctx.gradients


def twice(x):
    y = (x.leaf(2) * 3.0).exp().sum()
    y.backward()
    y.backward()


def hooked(x, hook):
    leaf = x.leaf(2)
    leaf.register_hook(hook)
    (leaf * 2.0).sum().backward()


def wrong(x, gradients):
    Wrong.apply(x.leaf(2), None, gradients).sum().backward()


def assign(x, value):
    x.leaf(2, 3).grad = value


CASES = {
    "several elements": (lambda x: (x.leaf(2, 3) * 2.0).backward(), ValueError,
        "backward: a tensor of shape (2, 3) is not one number; reduce it (sum, mean), or give a "
        "gradient of shape (2, 3)."),
    "of what was not recorded": (lambda x: x(2).sum().backward(), RuntimeError,
        "backward: this tensor of shape () was not recorded"),
    "of a detached tensor": (lambda x: x.leaf(2).detach().sum().backward(), RuntimeError,
        "requires a gradient, or it was computed under no_grad."),
    "a gradient of another shape": (lambda x: (x.leaf(2) * 2.0).backward(x(3, dtype="float64")),
        ValueError, "backward: a tensor of shape (2,) has a gradient of that shape, got (3,)."),
    "a gradient of another dtype": (lambda x: (x.leaf(2) * 2.0).backward(x(2)), TypeError,
        "backward: a tensor of float64 has a gradient of float64, got float32."),
    "a gradient of numbers": (lambda x: (x.leaf(2) * 2.0).backward([1.0, 1.0]), TypeError,
        "backward: a gradient is a tensor, got list."),
    "twice": (twice, RuntimeError, "was used up by an earlier backward; give that one "
        "retain_graph=True to walk over it again."),
    "assigning another shape": (lambda x: assign(x, x(3, 2, dtype="float64")), ValueError,
        "grad: a tensor of shape (2, 3) has a gradient of that shape, got (3, 2)."),
    "assigning another dtype": (lambda x: assign(x, x(2, 3)), TypeError,
        "grad: a tensor of float64 has a gradient of float64, got float32."),
    "assigning a number": (lambda x: assign(x, 1.0), TypeError, "got float."),
    "a gradient of ints": (lambda x: x(2, dtype="int64").requires_grad_(), TypeError,
        "requires_grad: only floating-point tensors have one, this is int64."),
    "a gradient of bools": (lambda x: x.ones(2, dtype="bool", requires_grad=True), TypeError,
        "requires_grad: only floating-point tensors have one, this is bool."),
    "a result made a constant": (lambda x: x.leaf(2).exp().requires_grad_(False), RuntimeError,
        "requires_grad: the tensor is the result of exp, which was recorded; detach()"),
    "grad of what was not recorded": (lambda x: mg.grad(x(2).sum(), x.leaf(2)), RuntimeError,
        "grad: this tensor of shape () was not recorded"),
    "grad along a constant": (lambda x: mg.grad(x.leaf(2).sum(), [x.leaf(1), x(3)]), RuntimeError,
        "grad: input 1, of shape (3,), does not require a gradient."),
    "grad along a stranger": (lambda x: mg.grad(x.leaf(2).sum(), x.leaf(3)), RuntimeError,
        "grad: the outputs were not computed from input 0, of shape (3,); allow_unused=True"),
    "grad of several elements": (lambda x: mg.grad(x.leaf(2) * 1.0, x.leaf(2)), ValueError,
        "grad: a tensor of shape (2,) is not one number"),
    "too few gradients": (lambda x: mg.grad([x.leaf(1), x.leaf(1)], x.leaf(1), [None]), ValueError,
        "grad: 2 outputs, but 1 grad_outputs."),
    "grad of numbers": (lambda x: mg.grad(1.0, x.leaf(2)), TypeError,
        "grad: outputs are tensors, got float."),
    "grad along numbers": (lambda x: mg.grad(x.leaf(2).sum(), [1.0]), TypeError,
        "grad: inputs are tensors, got float."),
    "a hook on a constant": (lambda x: x(2).register_hook(print), RuntimeError,
        "register_hook: the tensor does not require a gradient."),
    "a hook that is no function": (lambda x: x.leaf(2).register_hook(3), TypeError,
        "register_hook: a hook is a function, got int."),
    "a hook's gradient of another shape": (lambda x: hooked(x, lambda g: g.sum()), ValueError,
        "hook: a tensor of shape (2,) has a gradient of that shape, got ()."),
    "a hook that gives a number": (lambda x: hooked(x, lambda g: 1.0), TypeError,
        "hook: a gradient is a tensor, got float."),
    "a hook that changes its gradient": (lambda x: hooked(x, lambda g: g.zero_()), RuntimeError,
        "hook: the gradient of leaf was changed in place"),
    "keeping the gradient of a constant": (lambda x: x(2).retain_grad(), RuntimeError,
        "retain_grad: the tensor does not require a gradient."),
    "a leaf changed in place": (lambda x: x.leaf(2, 3).mul_(2.0), RuntimeError,
        "mul_: the memory of a leaf that requires a gradient (shape (2, 3)) cannot be changed in "
        "place while ops are recorded. Change it inside `with no_grad():`, or change a copy()."),
    "a leaf's view changed in place": (lambda x: x.leaf(2)[:1].zero_(), RuntimeError,
        "setitem: the memory of a leaf that requires a gradient (shape (1,))"),
    "a forward that gives no tensor": (lambda x: Wrong.apply(x.leaf(2), 3.0, None), TypeError,
        "Wrong.forward returns a tensor or a tuple of tensors, got float."),
    "a backward that gives too few": (lambda x: wrong(x, x(2)), ValueError,
        "Wrong.backward returned 1 gradients for 3 arguments of forward."),
    "a backward that gives a number": (lambda x: wrong(x, (1.0, None, None)), TypeError,
        "Wrong.backward returned float for argument 0; a tensor of floats, or None, is expected."),
    "a backward of another shape": (lambda x: wrong(x, (x(3), None, None)), ValueError,
        "Wrong.backward returned shape (3,) for argument 0, which has shape (2,)."),
    "a function without forward": (lambda x: mg.Function.apply(x.leaf(2)), NotImplementedError,
        "Function: forward is missing."),
    "a generator that is none": (lambda x: mg.rand(2, generator=3), TypeError,
        "rand: generator must be a minigrad.Generator, got 3; Generator(seed=0)"),
    "like a list": (lambda x: mg.zeros_like([1.0, 2.0]), TypeError,
        "zeros_like: expected a tensor, got list; minigrad.tensor makes one."),
}  # fmt: skip
