# wrong: each of the equal largest received all of g; together they may receive no more than g
return astype(x == out, x.dtype) * g
# wrong: every element received the gradient; only those that equal the result moved it
return expand(g, x.shape) + 0.0 * x
# wrong: the gradient was divided by how many elements there are; count only those that equal the result
chosen = astype(x == out, x.dtype)
return chosen * (g / number_of(x, axes)) if x.size else chosen
# wrong: the ties of the whole array were counted; each result along the axes has ties of its own
chosen = astype(x == out, x.dtype)
return chosen * (g / sum(chosen))
# wrong: the largest elements receive their own number times g; the slope along the largest is 1
chosen = astype(x == out, x.dtype)
return x * chosen * (g / sum(chosen, axes, keepdims=True))
# wrong: those that were not the extreme received the gradient; they moved nothing
chosen = astype(x == out, x.dtype)
return (1.0 - chosen) * (g / sum(chosen, axes, keepdims=True))
# wrong: of equal largest elements the first received everything; all of them had the same part in the result
from minigrad.reference.creation import arange
order = arange(x.size).reshape(x.shape)
first = reduced("min", where(x == out, order, x.size), axes)
return astype(order == first, x.dtype) * g
