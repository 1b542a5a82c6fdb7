# wrong: where windows overlap the last one has written over the others; what they send must be added up
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        out[:, :, down, across] = columns[:, :, i, j]
# wrong: what stood in out was thrown away; it is to be added to
out[...] = 0.0
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        out[:, :, down, across] += columns[:, :, i, j]
# wrong: += with arrays of indices adds only once where an index comes twice; a slice for each place (i, j) has no index twice
down = np.arange(height)[:, None] * dilation[0] + np.arange(rows) * stride[0]
across = np.arange(width)[:, None] * dilation[1] + np.arange(cols) * stride[1]
out[:, :, down[:, None, :, None], across[None, :, None, :]] += columns
# wrong: the windows came back side by side; they stand stride pixels apart
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        out[:, :, top : top + rows, left : left + cols] += columns[:, :, i, j]
# wrong: the places of a window came back side by side; they lie dilation pixels apart
for i in range(height):
    for j in range(width):
        down = slice(i, i + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(j, j + stride[1] * (cols - 1) + 1, stride[1])
        out[:, :, down, across] += columns[:, :, i, j]
# wrong: the windows were turned over on their way back: place (i, j) of a window belongs i rows below its top, j columns right
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        out[:, :, down, across] += columns[:, :, height - 1 - i, width - 1 - j]
# wrong: where windows overlap the mean was taken; each of them sends all of its part, and the parts add up
count = np.zeros(out.shape[2:])
total = np.zeros(out.shape, out.dtype)
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        total[:, :, down, across] += columns[:, :, i, j]
        count[down, across] += 1
out += total / np.maximum(count, 1)
# wrong: the loop ran over the windows inside one image and channel alone; every image and channel has columns of its own
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        out[0, 0, down, across] += columns[0, 0, i, j]
# wrong: this built a new array; out itself must change, for its owner looks there
whole = out.copy()
for i in range(height):
    for j in range(width):
        top, left = i * dilation[0], j * dilation[1]
        down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
        across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
        whole[:, :, down, across] += columns[:, :, i, j]
out = whole
