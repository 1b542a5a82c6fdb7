# wrong: the windows stand side by side; from one to the next it is stride pixels, so that steps must be multiplied by it
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (down * dilation[0], across * dilation[1])
return as_strided(x, shape, (image, channel, *within, down, across), writeable=False)
# wrong: the pixels of a window stand side by side; from one to the next it is dilation pixels
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
between = (down * stride[0], across * stride[1])
return as_strided(x, shape, (image, channel, down, across, *between), writeable=False)
# wrong: stride and dilation are exchanged: dilation is from pixel to pixel inside a window, stride from one window to the next
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (down * stride[0], across * stride[1])
between = (down * dilation[0], across * dilation[1])
return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
# wrong: down and across are exchanged: a step down passes a whole row of memory, a step across one pixel
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (across * dilation[0], down * dilation[1])
between = (across * stride[0], down * stride[1])
return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
# wrong: the steps were worked out as for a compact image; x may be a view, and x.strides says how far its steps are
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
across = x.itemsize
down = across * width
channel = down * height
image = channel * channels
within = (down * dilation[0], across * dilation[1])
between = (down * stride[0], across * stride[1])
return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
# wrong: this is a copy: windows of 3 x 3 take nine times the memory of the image, where a view takes none
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (down * dilation[0], across * dilation[1])
between = (down * stride[0], across * stride[1])
copied = as_strided(x, shape, (image, channel, *within, *between)).copy()
copied.flags.writeable = False
return copied
# wrong: the last window is missing: the first stands at 0, so there is one more than there are steps
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0]
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1]
shape = (images, channels, *size, rows, cols)
within = (down * dilation[0], across * dilation[1])
between = (down * stride[0], across * stride[1])
return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
# wrong: the last windows hang over the edge: with dilation a window covers dilation * (size - 1) + 1 pixels, not size
rows = (height - size[0]) // stride[0] + 1
cols = (width - size[1]) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (down * dilation[0], across * dilation[1])
between = (down * stride[0], across * stride[1])
return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
# wrong: this can be written to: whoever changes a pixel in one window would change it in all of them, and in the image
rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
shape = (images, channels, *size, rows, cols)
within = (down * dilation[0], across * dilation[1])
between = (down * stride[0], across * stride[1])
return as_strided(x, shape, (image, channel, *within, *between))
