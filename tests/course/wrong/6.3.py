# wrong: the filter was turned over for the way back; spread paints it where it was read, as it is
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g, weight[:, :, ::-1, ::-1], shape=x.shape, numbers=numbers),
    weighed(x, g, shape=weight.shape, numbers=numbers),
)
# wrong: on the way back stride was forgotten: the filters are painted as far apart as they were laid
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g, weight, shape=x.shape, numbers=(1, 1, *numbers[2:])),
    weighed(x, g, shape=weight.shape, numbers=numbers),
)
# wrong: on the way back dilation was forgotten: a filter is painted with the gaps that it was laid with
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g, weight, shape=x.shape, numbers=(*numbers[:4], 1, 1, numbers[6])),
    weighed(x, g, shape=weight.shape, numbers=numbers),
)
# wrong: the results were sent back instead of their gradient g
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(out, weight, shape=x.shape, numbers=numbers),
    weighed(x, out, shape=weight.shape, numbers=numbers),
)
# wrong: the pixels received nothing; they may be the result of a layer before, which wants to learn too
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g * 0.0, weight, shape=x.shape, numbers=numbers),
    weighed(x, g, shape=weight.shape, numbers=numbers),
)
# wrong: the gradient of the weights is the sum over all images, not their mean; that is for the loss to say
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g, weight, shape=x.shape, numbers=numbers),
    weighed(x, g, shape=weight.shape, numbers=numbers) / x.shape[0],
)
# wrong: every result counted the same; g says how much each of them matters
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    spread(g * 0.0 + 1.0, weight, shape=x.shape, numbers=numbers),
    weighed(x, g * 0.0 + 1.0, shape=weight.shape, numbers=numbers),
)
# wrong: a kernel alone leaves no trace on the tape, so that these gradients have none of their own; use spread and weighed
out = kernel("conv2d", x, weight, *numbers, shape=shape)
return out, lambda g, out: (
    x * 0.0 + kernel("conv_transpose2d", g, weight, *numbers, shape=x.shape),
    weight * 0.0 + kernel("conv2d_weight", x, g, *numbers, shape=weight.shape),
)
