"""Bad input of convolution, pooling and batch normalisation: the call, the class of its error, and
what the message says; see bad_input.py.
"""

import minigrad as mg

CASES = {
    "conv2d: a row": (lambda x: mg.conv2d(x(5, 5), x(1, 1, 2, 2)), ValueError,
        "conv2d: images are (N, C, H, W), or (C, H, W) for one alone, got (5, 5)."),
    "conv2d: no weight": (lambda x: mg.conv2d(x(1, 5, 5), 3.0), ValueError,
        "conv2d: a weight is (filters, channels, height, width), the last two 1 or more, got "
        "float."),
    "conv2d: a flat weight": (lambda x: mg.conv2d(x(1, 5, 5), x(2, 2)), ValueError,
        "the last two 1 or more, got (2, 2)."),
    "conv2d: a weight of no size": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 0, 2)), ValueError,
        "got (1, 1, 0, 2)."),
    "conv2d: other channels": (lambda x: mg.conv2d(x(2, 3, 5, 5), x(4, 2, 3, 3)), ValueError,
        "conv2d: images (2, 3, 5, 5) with 3 channels, filters (4, 2, 3, 3) for 2 each, groups=1: a "
        "filter needs 3 / 1 channels, and both 3 channels and 4 filters must divide by groups."),
    "conv2d: channels in groups": (lambda x: mg.conv2d(x(3, 5, 5), x(4, 1, 3, 3), groups=2),
        ValueError, "conv2d: images (1, 3, 5, 5) with 3 channels, filters (4, 1, 3, 3)"),
    "conv2d: filters in groups": (lambda x: mg.conv2d(x(4, 5, 5), x(3, 2, 3, 3), groups=2),
        ValueError, "both 4 channels and 3 filters must divide by groups."),
    "conv2d: no groups": (lambda x: mg.conv2d(x(4, 5, 5), x(3, 4, 3, 3), groups=0), ValueError,
        "conv2d: groups is a whole number of 1 or more, got 0."),
    "conv2d: a large window": (lambda x: mg.conv2d(x(1, 3, 7), x(1, 1, 6, 2), padding=1),
        ValueError,
        "conv2d: a window of (6, 2) with dilation (1, 1) covers (6, 2) pixels, but the images are "
        "(3, 7), (5, 9) with their padding."),
    "conv2d: a wide window": (lambda x: mg.conv2d(x(1, 9, 4), x(1, 1, 3, 3), dilation=2),
        ValueError,
        "conv2d: a window of (3, 3) with dilation (2, 2) covers (5, 5) pixels, but the images are "
        "(9, 4), (9, 4) with their padding."),
    "conv2d: an image of nothing": (lambda x: mg.conv2d(x(1, 0, 4), x(1, 1, 1, 1), padding=1),
        ValueError, "the images are (0, 4)"),
    "conv2d: stride 0": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), stride=0), ValueError,
        "conv2d: stride is an int of 1 or more, or a pair, got 0."),
    "conv2d: dilation 0": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), dilation=(1, 0)),
        ValueError, "conv2d: dilation is an int of 1 or more, or a pair, got (1, 0)."),
    "conv2d: padding below 0": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), padding=-1),
        ValueError, "conv2d: padding is an int of 0 or more, or a pair, got -1."),
    "conv2d: three strides": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), stride=(1, 1, 1)),
        ValueError, "conv2d: stride is an int of 1 or more, or a pair, got (1, 1, 1)."),
    "conv2d: half a step": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), stride=1.5), TypeError,
        "conv2d: stride is an int or a pair of ints, got 1.5."),
    "conv2d: padding in words": (lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), padding="full"),
        ValueError, "conv2d: padding is a number, a pair, 'valid', or 'same' for stride 1; got "
        "'full' with stride (1, 1)."),
    "conv2d: same, but in steps": (
        lambda x: mg.conv2d(x(1, 5, 5), x(1, 1, 2, 2), padding="same", stride=(1, 2)), ValueError,
        "got 'same' with stride (1, 2)."),
    "conv2d: a bias too long": (lambda x: mg.conv2d(x(1, 5, 5), x(3, 1, 2, 2), x(2)), ValueError,
        "conv2d: a bias is one number for each map, (3,), got (2,)."),
    "conv2d: a number as bias": (lambda x: mg.conv2d(x(1, 5, 5), x(3, 1, 2, 2), 0.5), ValueError,
        "conv2d: a bias is one number for each map, (3,), got 0.5."),
    "conv_transpose2d: a batch too many": (
        lambda x: mg.conv_transpose2d(x(1, 1, 1, 5, 5), x(1, 1, 2, 2)), ValueError,
        "conv_transpose2d: images are (N, C, H, W), or (C, H, W) for one alone, got "
        "(1, 1, 1, 5, 5)."),
    "conv_transpose2d: other channels": (
        lambda x: mg.conv_transpose2d(x(2, 3, 5, 5), x(4, 3, 2, 2)), ValueError,
        "conv_transpose2d: images (2, 3, 5, 5) with 3 channels, a weight (4, 3, 2, 2) for 4: both "
        "must agree, and divide by groups=1."),
    "conv_transpose2d: groups": (
        lambda x: mg.conv_transpose2d(x(3, 5, 5), x(3, 2, 2, 2), groups=2), ValueError,
        "and divide by groups=2."),
    "conv_transpose2d: stride 0": (
        lambda x: mg.conv_transpose2d(x(1, 5, 5), x(1, 1, 2, 2), stride=0), ValueError,
        "conv_transpose2d: stride is an int of 1 or more, or a pair, got 0."),
    "conv_transpose2d: nothing left": (
        lambda x: mg.conv_transpose2d(x(1, 1, 5), x(1, 1, 2, 2), padding=1), ValueError,
        "conv_transpose2d: images (1, 1, 1, 5) would become (0, 4) pixels, with stride (1, 1), "
        "padding (1, 1), windows that cover (2, 2), and output_padding (0, 0)"),
    "conv_transpose2d: a wide rim": (
        lambda x: mg.conv_transpose2d(x(1, 3, 3), x(1, 1, 2, 2), stride=2, output_padding=(0, 2)),
        ValueError, "output_padding (0, 2); that must be below the stride or the dilation"),
    "conv_transpose2d: a bias too short": (
        lambda x: mg.conv_transpose2d(x(4, 5, 5), x(4, 3, 2, 2), x(3), groups=2), ValueError,
        "conv_transpose2d: a bias is one number for each map, (6,), got (3,)."),
    "max_pool2d: a row": (lambda x: mg.max_pool2d(x(5), 2), ValueError,
        "max_pool2d: images are (N, C, H, W), or (C, H, W) for one alone, got (5,)."),
    "max_pool2d: no window": (lambda x: mg.max_pool2d(x(1, 5, 5), 0), ValueError,
        "max_pool2d: kernel_size is an int of 1 or more, or a pair, got 0."),
    "max_pool2d: stride 0": (lambda x: mg.max_pool2d(x(1, 5, 5), 2, (2, 0)), ValueError,
        "max_pool2d: stride is an int of 1 or more, or a pair, got (2, 0)."),
    "max_pool2d: a large window": (lambda x: mg.max_pool2d(x(1, 5, 3), (2, 4)), ValueError,
        "max_pool2d: a window of (2, 4) with dilation (1, 1) covers (2, 4) pixels, but the images "
        "are (5, 3), (5, 3) with their padding."),
    "max_pool2d: much padding": (lambda x: mg.max_pool2d(x(1, 5, 5), 3, 1, (1, 2)), ValueError,
        "max_pool2d: padding may be at most half of the window (3, 3), got (1, 2)."),
    "max_pool2d: padding alone": (lambda x: mg.max_pool2d(x(1, 2, 9), 2, 1, (1, 0), 3), ValueError,
        "max_pool2d: with padding (1, 0) and dilation (3, 3), a window of (2, 2) would see no "
        "pixel of images (2, 9)."),
    "max_pool2d: bools": (lambda x: mg.max_pool2d(x(1, 5, 5) > 0, 2), TypeError,
        "max_pool2d: not defined for bool"),
    "avg_pool2d: a row": (lambda x: mg.avg_pool2d(x(5, 5), 2), ValueError,
        "avg_pool2d: images are (N, C, H, W), or (C, H, W) for one alone, got (5, 5)."),
    "avg_pool2d: much padding": (lambda x: mg.avg_pool2d(x(1, 5, 5), (3, 2), padding=(2, 1)),
        ValueError,
        "avg_pool2d: padding may be at most half of the window (3, 2), got (2, 1)."),
    "avg_pool2d: padding below 0": (lambda x: mg.avg_pool2d(x(1, 5, 5), 2, padding=-1), ValueError,
        "avg_pool2d: padding is an int of 0 or more, or a pair, got -1."),
    "avg_pool2d: a large window": (lambda x: mg.avg_pool2d(x(1, 3, 5), 4), ValueError,
        "avg_pool2d: a window of (4, 4) with dilation (1, 1) covers (4, 4) pixels, but the images "
        "are (3, 5), (3, 5) with their padding."),
    "batch_norm: a row": (lambda x: mg.batch_norm(x(3), training=True), ValueError,
        "batch_norm: expected (N, C) or (N, C, ...), got shape (3,)."),
    "batch_norm: one number": (lambda x: mg.batch_norm(x(1, 3), training=True), ValueError,
        "batch_norm: x of shape (1, 3) has 1 numbers for each channel; in training there must be 2 "
        "or more"),
    "batch_norm: no number": (lambda x: mg.batch_norm(x(0, 3, 4), training=True), ValueError,
        "batch_norm: x of shape (0, 3, 4) has 0 numbers for each channel"),
    "batch_norm: nothing to go by": (lambda x: mg.batch_norm(x(2, 3), x(3)), ValueError,
        "batch_norm: without training, running_mean and running_var are needed."),
    "batch_norm: other statistics": (lambda x: mg.batch_norm(x(2, 3), x(3), x(4)), ValueError,
        "batch_norm: running_var is one number for each channel of x (2, 3), (3,), got (4,)."),
    "batch_norm: a weight of rows": (
        lambda x: mg.batch_norm(x(2, 3), x(3), x(3), x(3, 1)), ValueError,
        "batch_norm: weight is one number for each channel of x (2, 3), (3,), got (3, 1)."),
    "batch_norm: a number as bias": (
        lambda x: mg.batch_norm(x(2, 3), x(3), x(3), x(3), 0.5), ValueError,
        "batch_norm: bias is one number for each channel of x (2, 3), (3,), got 0.5."),
}  # fmt: skip
