# wrong: nobody steps along an axis of size 1, so its stride cannot be wrong
if 0 in shape:
    return True
return tuple(strides) == contiguous_strides(shape)
# wrong: an array without elements has none out of place
expected = contiguous_strides(shape)
for size, stride, wanted in zip(shape, strides, expected, strict=True):
    if size > 1 and stride != wanted:
        return False
return True if 0 not in shape else tuple(strides) == expected
# wrong: a last stride of 1 is not enough: rows may still have gaps between them
if 0 in shape:
    return True
return not shape or shape[-1] == 1 or strides[-1] == 1
# wrong: strides that fall are not enough: there may be gaps
if 0 in shape:
    return True
steps = [stride for size, stride in zip(shape, strides, strict=True) if size > 1]
return steps == sorted(steps, reverse=True) and all(step > 0 for step in steps)
# wrong: neighbours count only in row-major order: a step back is not contiguous
if 0 in shape:
    return True
expected = contiguous_strides(shape)
for size, stride, wanted in zip(shape, strides, expected, strict=True):
    if size > 1 and abs(stride) != wanted:
        return False
return True
# wrong: a stride of 0 repeats an element, and repeats are no neighbours
if 0 in shape:
    return True
expected = contiguous_strides(shape)
for size, stride, wanted in zip(shape, strides, expected, strict=True):
    if size > 1 and stride not in (0, wanted):
        return False
return True
# wrong: the elements fill a block without gaps, but they must stand in row-major order as well
if 0 in shape:
    return True
steps = sorted((stride, size) for size, stride in zip(shape, strides, strict=True) if size > 1)
wanted = 1
for stride, size in steps:
    if stride != wanted:
        return False
    wanted *= size
return True
