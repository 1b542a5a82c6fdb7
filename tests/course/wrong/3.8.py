# wrong: nothing was taken off before exp, so that large scores overflow and very small ones all become 0
out[...] = np.log(np.exp(x).sum(axis=-1))
# wrong: the largest was taken off each row, but never put back behind the log
top = largest(x)
out[...] = np.log(np.exp(x - top).sum(axis=-1))
# wrong: one largest number for all rows; each row needs its own, or the small ones drown
top = np.where(np.isfinite(x.max(initial=-np.inf)), x.max(initial=-np.inf), 0.0)
out[...] = np.log(np.exp(x - top).sum(axis=-1)) + top
# wrong: the exponentials of all rows went into one sum; each row has its own, along the last axis
top = largest(x)
out[...] = np.log(np.exp(x - top).sum()) + top.squeeze(-1)
# wrong: this is the log of the mean; the sum is not divided by how many there are
top = largest(x)
out[...] = np.log(np.exp(x - top).sum(axis=-1) / max(x.shape[-1], 1)) + top.squeeze(-1)
# wrong: a plain maximum may be infinite, and inf - inf is NaN; largest(x) gives 0 there
top = x.max(axis=-1, keepdims=True, initial=-np.inf)
out[...] = np.log(np.exp(x - top).sum(axis=-1)) + top.squeeze(-1)
