# wrong: these strides run from the front: the step of 1 belongs to the last axis, not to the first
strides, step = [], 1
for size in shape:
    strides.append(step)
    step *= max(size, 1)
return tuple(strides)
# wrong: each stride is the size of its own axis; it should be the product of the sizes behind it
return tuple(max(size, 1) for size in shape)
# wrong: a stride counts the elements behind its axis, and the axis's own size was multiplied in too
strides, step = [], 1
for size in reversed(shape):
    step *= max(size, 1)
    strides.append(step)
return tuple(reversed(strides))
# wrong: the strides stand in the order in which they were found, from the last axis to the first
strides, step = [], 1
for size in reversed(shape):
    strides.append(step)
    step *= max(size, 1)
return tuple(strides)
# wrong: only the next axis counts, but a step jumps over all axes behind
return tuple(max(size, 1) for size in (*shape[1:], 1)) if shape else ()
# wrong: an axis of size 0 has made the strides in front of it 0; here it counts as 1
strides, step = [], 1
for size in reversed(shape):
    strides.append(step)
    step *= size
return tuple(reversed(strides))
# wrong: an axis of size 1 has a stride like any other, not 0
strides, step = [], 1
for size in reversed(shape):
    strides.append(step if size != 1 else 0)
    step *= max(size, 1)
return tuple(reversed(strides))
