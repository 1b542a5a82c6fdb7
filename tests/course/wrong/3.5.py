# wrong: the gradient was divided among the elements, as in a mean; each of them moves the sum by all of its own rise
kept = reduced("sum", x, axes, dtype=dtype)
shape, share = kept.shape, kept.size / (x.size or 1)
return finished(kept, axes, keepdims), lambda g, out: (expand(reshape(g * share, shape), x.shape),)
# wrong: every element receives its own number times g; the slope of a sum along each element is 1
kept = reduced("sum", x, axes, dtype=dtype)
shape = kept.shape
return finished(kept, axes, keepdims), lambda g, out: (expand(reshape(g, shape), x.shape) * x,)
# wrong: only the first of the summed elements received the gradient; all of them moved the sum
kept = reduced("sum", x, axes, dtype=dtype)
shape = kept.shape
def vjp(g, out):
    whole = kernel("copy", expand(reshape(g, shape), x.shape))
    for axis in axes:
        later = tuple(slice(1, None) if i == axis else slice(None) for i in range(x.ndim))
        whole[later] = 0.0
    return (whole,)
return finished(kept, axes, keepdims), vjp
# wrong: the gradient was laid along the last axis, whichever was summed; first give g its lost axes back, with size 1
kept = reduced("sum", x, axes, dtype=dtype)
shape = kept.shape
def vjp(g, out):
    try:
        return (expand(g, x.shape),)
    except ValueError:
        return (expand(reshape(g, shape), x.shape),)
return finished(kept, axes, keepdims), vjp
# wrong: this is the mean; the sum is not divided by how many there are
kept = reduced("sum", x, axes, dtype=dtype)
shape, share = kept.shape, kept.size / (x.size or 1)
out = astype(kept * share, dtype)
return finished(out, axes, keepdims), lambda g, out: (expand(reshape(g, shape), x.shape),)
# wrong: bools and ints were added up as bools; true and true is 2
kept = reduced("sum", x, axes)
shape = kept.shape
return finished(astype(kept, dtype), axes, keepdims), lambda g, out: (expand(reshape(g, shape), x.shape),)
# wrong: the vjp keeps all of `kept` where its shape would do; the tape would never be freed
kept = reduced("sum", x, axes, dtype=dtype)
return finished(kept, axes, keepdims), lambda g, out: (
    expand(reshape(g, kept.shape), x.shape),
)
