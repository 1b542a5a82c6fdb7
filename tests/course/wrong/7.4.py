# wrong: as if mean and size stood still; each number moves both, and with them all others of its row
scale = rsqrt(var(x, -1, keepdims=True) + eps)
return (scale * g,)
# wrong: the mean of g was not taken off; a number added to a whole row changes nothing
scale = rsqrt(var(x, -1, keepdims=True) + eps)
along = mean(g * out, -1, keepdims=True)
return (scale * (g - out * along),)
# wrong: the part along out was not taken off; each number also moves the size that all are divided by
scale = rsqrt(var(x, -1, keepdims=True) + eps)
return (scale * (g - mean(g, -1, keepdims=True)),)
# wrong: it was not divided by the size of the row
along = mean(g * out, -1, keepdims=True)
return (g - mean(g, -1, keepdims=True) - out * along,)
# wrong: divided by the variance; the size of a row is its root
scale = 1.0 / (var(x, -1, keepdims=True) + eps)
along = mean(g * out, -1, keepdims=True)
return (scale * (g - mean(g, -1, keepdims=True) - out * along),)
# wrong: the variance over n - 1; the row was divided by that over n
scale = rsqrt(var(x, -1, int(x.shape[-1] > 1), keepdims=True) + eps)
along = mean(g * out, -1, keepdims=True)
return (scale * (g - mean(g, -1, keepdims=True) - out * along),)
# wrong: eps was forgotten; the row was divided by the root of variance + eps
scale = rsqrt(var(x, -1, keepdims=True))
along = mean(g * out, -1, keepdims=True)
return (scale * (g - mean(g, -1, keepdims=True) - out * along),)
# wrong: along x instead of out; x still has its mean and its size
scale = rsqrt(var(x, -1, keepdims=True) + eps)
along = mean(g * x, -1, keepdims=True)
return (scale * (g - mean(g, -1, keepdims=True) - x * along),)
# wrong: sums instead of means; a row of n numbers shares what is taken off
scale = rsqrt(var(x, -1, keepdims=True) + eps)
along = mean(g * out, -1, keepdims=True)
return (scale * (g - x.shape[-1] * (mean(g, -1, keepdims=True) + out * along)),)
