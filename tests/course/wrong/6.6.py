# wrong: running_var took up the variance divided by n; as a guess for all data it is that of a sample, divided by n - 1
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(x, axes), var(x, axes)
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum)
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: the batch itself is divided by the plain variance, over n; n - 1 is for running_var alone
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(x, axes), var(x, axes) * (count / (count - 1))
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum)
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: momentum is the wrong way round: it is the share of what is new, not of what is kept
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(x, axes), var(x, axes)
    move(running_mean, middle, 1.0 - momentum)
    move(running_var, spread, 1.0 - momentum, count / (count - 1))
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: in use the batch's own mean and variance were taken; an answer must not depend on who else is in the batch
axes = (0, *range(2, x.ndim))
middle, spread = mean(x, axes), var(x, axes)
if training:
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: in training the running statistics were used; the batch is brought to mean 0 and variance 1 by its own
axes = (0, *range(2, x.ndim))
middle, spread = mean(x, axes), var(x, axes)
if training:
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
middle = middle if running_mean is None else array_of(running_mean)
spread = spread if running_var is None else array_of(running_var)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: eps was added outside the root; it belongs to the variance: sqrt(variance + eps)
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(x, axes), var(x, axes)
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
else:
    middle, spread = map(array_of, stats)
scale = 1.0 / (spread**0.5 + eps)
scale = scale if weight is None else scale * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: mean and variance were taken for constants; every number of the batch moves them, and the gradient goes through both
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(array_of(x), axes), var(array_of(x), axes)
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: one mean and one variance for all channels; each channel has its own
if training:
    middle, spread = mean(x), var(x)
    middle, spread = (reshape(each, (1,)).expand(channels) for each in (middle, spread))
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = (x - reshape(middle, shape)) * reshape(scale, shape)
return out if bias is None else out + reshape(bias, shape)
# wrong: the bias was scaled with the rest; it is added at the very end
if training:
    axes = (0, *range(2, x.ndim))
    middle, spread = mean(x, axes), var(x, axes)
    move(running_mean, middle, momentum)
    move(running_var, spread, momentum, count / (count - 1))
else:
    middle, spread = map(array_of, stats)
scale = rsqrt(spread + eps) if weight is None else rsqrt(spread + eps) * weight
out = x - reshape(middle, shape)
out = out if bias is None else out + reshape(bias, shape)
return out * reshape(scale, shape)
