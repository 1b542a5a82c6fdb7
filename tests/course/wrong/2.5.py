# wrong: these are the next elements of the buffer, as if there were no strides
count = 1
for size in shape:
    count *= size
return buffer[(offset + np.arange(count)) % buffer.size]
# wrong: the count starts at 0; a view starts at its offset
places = np.array([0])
for size, stride in zip(shape, strides, strict=True):
    places = (places[:, None] + stride * np.arange(size)).reshape(-1)
return buffer[places]
# wrong: here the first axis runs fastest; in row-major order it is the last
places = np.array([offset])
for size, stride in zip(shape, strides, strict=True):
    places = (places[None, :] + stride * np.arange(size)[:, None]).reshape(-1)
return buffer[places]
# wrong: a step along an axis is its stride, not 1
places = np.array([offset])
for size in shape:
    places = (places[:, None] + np.arange(size)).reshape(-1)
return buffer[places]
# wrong: a step backwards stays a step backwards: a stride keeps its sign
places = np.array([offset])
for size, stride in zip(shape, strides, strict=True):
    places = (places[:, None] + abs(stride) * np.arange(size)).reshape(-1)
return buffer[places % buffer.size]
# wrong: an element that is repeated stands in the copy as often as it is read
places = np.array([offset])
for size, stride in zip(shape, strides, strict=True):
    places = (places[:, None] + stride * np.arange(size if stride else min(size, 1))).reshape(-1)
return buffer[places]
# wrong: this is still the buffer's own memory wherever it can be: a copy must be a copy
places = np.array([offset])
for size, stride in zip(shape, strides, strict=True):
    places = (places[:, None] + stride * np.arange(size)).reshape(-1)
whole = places.size > 0 and (places == offset + np.arange(places.size)).all()
return buffer[offset : offset + places.size] if whole else buffer[places]
