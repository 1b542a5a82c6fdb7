# wrong: a node was noted after all it came from, so the list begins at the leaves; a walk back needs it the other way round
done, seen, stack = [], set(), [(root, False) for root in roots]
while stack:
    node, inputs_done = stack.pop()
    if inputs_done:
        done.append(node)
    elif node not in seen:
        seen.add(node)
        stack.append((node, True))
        stack += [(edge, False) for edge in node.edges if edge is not None]
return done
# wrong: a node was noted when it was first met; another one that uses it may still be to come
done, seen, stack = [], set(), list(roots)
while stack:
    node = stack.pop()
    if node not in seen:
        seen.add(node)
        done.append(node)
        stack += [edge for edge in node.edges if edge is not None]
return done
# wrong: level by level: a node that is also reached by a longer way then stands too early
done, level = [], list(roots)
while level:
    following = []
    for node in level:
        if node not in done:
            done.append(node)
            following += [edge for edge in node.edges if edge is not None]
    level = following
return done
# wrong: nodes were called seen when they went on the stack, not when they came off it
done, stack = [], [(root, False) for root in roots]
seen = {root for root, _ in stack}
while stack:
    node, inputs_done = stack.pop()
    if inputs_done:
        done.append(node)
    else:
        stack.append((node, True))
        for edge in node.edges:
            if edge is not None and edge not in seen:
                seen.add(edge)
                stack.append((edge, False))
return done[::-1]
# wrong: only the first root was looked at; there may be several
done, seen, stack = [], set(), [(root, False) for root in list(roots)[:1]]
while stack:
    node, inputs_done = stack.pop()
    if inputs_done:
        done.append(node)
    elif node not in seen:
        seen.add(node)
        stack.append((node, True))
        stack += [(edge, False) for edge in node.edges if edge is not None]
return done[::-1]
# wrong: what has no edges was left out, but that is where the leaves are, and the gradients go to them
done, seen, stack = [], set(), [(root, False) for root in roots]
while stack:
    node, inputs_done = stack.pop()
    if inputs_done:
        done.append(node)
    elif node not in seen and node.edges:
        seen.add(node)
        stack.append((node, True))
        stack += [(edge, False) for edge in node.edges if edge is not None]
return done[::-1]
# wrong: each root started with an empty memory, so what two roots share was noted twice
done = []
for root in roots:
    seen, stack = set(), [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(edge, False) for edge in node.edges if edge is not None]
return done[::-1]
