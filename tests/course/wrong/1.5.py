# wrong: children stand before their parents; backward() itself reverses the list
done, seen, stack = [], set(), [(self, False)]
while stack:
    node, parents_done = stack.pop()
    if parents_done:
        done.append(node)
    elif node not in seen:
        seen.add(node)
        stack.append((node, True))
        stack.extend((parent, False) for parent in node.parents)
return done[::-1]
# wrong: a node was listed when it was first seen; it has to wait until all its parents are listed
done, seen, stack = [], set(), [self]
while stack:
    node = stack.pop()
    if node not in seen:
        seen.add(node)
        done.append(node)
        stack.extend(node.parents)
return done[::-1]
# wrong: breadth first, level by level: a parent that is also reached by a longer way comes too late
done, seen, level = [], {self}, [self]
while level:
    done += level
    following = []
    for node in level:
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                following.append(parent)
    level = following
return done[::-1]
# wrong: nodes were called seen when queued, not when visited; one queued early is then listed too late
done, seen, stack = [], {self}, [(self, False)]
while stack:
    node, parents_done = stack.pop()
    if parents_done:
        done.append(node)
    else:
        stack.append((node, True))
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, False))
return done
# wrong: the node itself is missing; it comes last in its own order
done, seen, stack = [], {self}, [(parent, False) for parent in self.parents]
while stack:
    node, parents_done = stack.pop()
    if parents_done:
        done.append(node)
    elif node not in seen:
        seen.add(node)
        stack.append((node, True))
        stack.extend((parent, False) for parent in node.parents)
return done
# wrong: leaves were left out, but they are the nodes whose gradients training needs
done, seen, stack = [], set(), [(self, False)]
while stack:
    node, parents_done = stack.pop()
    if parents_done:
        done.append(node)
    elif node not in seen and node.parents:
        seen.add(node)
        stack.append((node, True))
        stack.extend((parent, False) for parent in node.parents)
return done or [self]
