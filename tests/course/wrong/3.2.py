# wrong: only the new axes in front were added up; axes of size 1 that were repeated must be, too
new = x.ndim - len(shape)
total = reduced("sum", x, tuple(range(new)))
first = tuple(slice(0, n) for n in shape)
out = kernel("copy", total.reshape(total.shape[new:]).sliced(first))
return out, lambda g, out: (expand(g, x.shape),)
# wrong: only axes of size 1 were added up; the new axes in front hold repeats, too
new = x.ndim - len(shape)
axes = tuple(new + i for i, size in enumerate(shape) if size != x.shape[new + i])
first = (slice(0, 1),) * new
out = kernel("copy", reduced("sum", x, axes).sliced((*first, ...)).reshape(shape))
return out, lambda g, out: (expand(g, x.shape),)
# wrong: the repeats were averaged; each of them sends a gradient of its own, and these add up
new = x.ndim - len(shape)
axes = tuple(range(new)) + tuple(
    new + i for i, size in enumerate(shape) if size != x.shape[new + i]
)
out = reduced("mean", x, axes).reshape(shape)
return out, lambda g, out: (expand(g, x.shape),)
# wrong: one of the repeats was picked; all of them send a gradient, and these add up
new = x.ndim - len(shape)
axes = tuple(range(new)) + tuple(
    new + i for i, size in enumerate(shape) if size != x.shape[new + i]
)
if not x.size:
    return reduced("sum", x, axes).reshape(shape), lambda g, out: (expand(g, x.shape),)
first = tuple(slice(0, 1) if i in axes else slice(None) for i in range(x.ndim))
out = kernel("copy", x).sliced(first).reshape(shape)
return out, lambda g, out: (expand(g, x.shape),)
# wrong: every axis was added up; those that were not repeated belong to different numbers
new = x.ndim - len(shape)
total = reduced("sum", x, tuple(range(x.ndim)))
out = kernel("copy", total.reshape(()).expand(shape))
return out, lambda g, out: (expand(g, x.shape),)
# wrong: the gradient was divided among the repeats; each of them moves the sum by all of its own rise
new = x.ndim - len(shape)
axes = tuple(range(new)) + tuple(
    new + i for i, size in enumerate(shape) if size != x.shape[new + i]
)
out = reduced("sum", x, axes).reshape(shape)
return out, lambda g, out: (expand(g, x.shape) * (float(max(out.size, 1)) / max(x.size, 1)),)
