# wrong: the last part overwrote what had arrived before; over the paths, add up
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed and part is not None:
        arrived[edge] = part
# wrong: only the first part to arrive was kept; over the paths, add up
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed and part is not None:
        arrived.setdefault(edge, part)
# wrong: += adds into the memory of the first part, which others may hold too: the vjp of x + y hands one g to both
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed and part is not None:
        if edge in arrived:
            arrived[edge] += part
        else:
            arrived[edge] = part
# wrong: the gradient of the result was handed on; what goes to argument k is part k of what the vjp made of it
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed and part is not None:
        arrived[edge] = arrived[edge] + g if edge in arrived else g
# wrong: the parts were handed out from the end; part k belongs to argument k
for edge, part in zip(node.edges, parts[::-1], strict=True):
    if edge in needed and part is not None:
        arrived[edge] = arrived[edge] + part if edge in arrived else part
# wrong: gradients were also sent where nobody asks; `needed` holds the nodes on the way to the ends
for edge, part in zip(node.edges, parts, strict=True):
    if edge is not None and part is not None:
        arrived[edge] = arrived[edge] + part if edge in arrived else part
# wrong: only the ends received something; the nodes on the way to them have to pass theirs on
for edge, part in zip(node.edges, parts, strict=True):
    if edge in ends and part is not None:
        arrived[edge] = arrived[edge] + part if edge in arrived else part
# wrong: a part may be None, where the vjp has no gradient; that is nothing, and nothing has arrived then
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed:
        arrived[edge] = part if edge not in arrived else arrived[edge] + part
# wrong: the parts were averaged; they add up
for edge, part in zip(node.edges, parts, strict=True):
    if edge in needed and part is not None:
        arrived[edge] = (arrived[edge] + part) / 2.0 if edge in arrived else part
