# wrong: the sizes moved and the strides stayed; an axis takes its stride along
return tuple(shape[a] for a in axes), tuple(strides)
# wrong: the strides moved and the sizes stayed; an axis takes its size along
return tuple(shape), tuple(strides[a] for a in axes)
# wrong: axes says where each axis of the result comes from, not where each axis goes
new_shape, new_strides = [0] * len(axes), [0] * len(axes)
for k, a in enumerate(axes):
    new_shape[a], new_strides[a] = shape[k], strides[k]
return tuple(new_shape), tuple(new_strides)
# wrong: the axes are always turned round; they should come in the order that axes asks for
return tuple(reversed(shape)), tuple(reversed(strides))
# wrong: strides of a fresh array of the new shape: those would need the elements to move
new_shape = tuple(shape[a] for a in axes)
return new_shape, contiguous_strides(new_shape)
