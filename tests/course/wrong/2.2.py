# wrong: the count starts at 0; a view starts at its offset
place = 0
for i, size, stride in zip(index, shape, strides, strict=True):
    place += (i + size if i < 0 else i) * stride
return place
# wrong: an index below 0 steps backwards from the start here; it should count from the axis's end
place = offset
for i, stride in zip(index, strides, strict=True):
    place += i * stride
return place
# wrong: -1 is the last element, size - 1, not the one before it
place = offset
for i, size, stride in zip(index, shape, strides, strict=True):
    place += (i + size - 1 if i < 0 else i) * stride
return place
# wrong: the shape does not say how far to step: only the strides do
place = 0
for i, size in zip(index, shape, strict=True):
    place = place * size + (i + size if i < 0 else i)
return offset + place
# wrong: the size is added to the place, not to the index: it must be multiplied by the stride too
place = offset
for i, size, stride in zip(index, shape, strides, strict=True):
    place += i * stride + (size if i < 0 else 0)
return place
# wrong: a stride may be negative, and then the way goes back
place = offset
for i, size, stride in zip(index, shape, strides, strict=True):
    place += (i + size if i < 0 else i) * abs(stride)
return place
# wrong: the offset counts elements already, so it takes no stride
place = offset * (strides[-1] if strides else 1)
for i, size, stride in zip(index, shape, strides, strict=True):
    place += (i + size if i < 0 else i) * stride
return place
