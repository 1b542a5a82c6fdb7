"""Layers of images: shapes, first weights, what is shown, modes and state, and bad input."""

import math
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn, optim

EPS = float(np.finfo(np.float64).eps)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


SHAPES = [
    (nn.Conv2d(3, 6, 5), (2, 3, 9, 8), (2, 6, 5, 4)),
    (nn.Conv2d(3, 6, (3, 2), stride=(2, 1), padding=(0, 1)), (3, 9, 8), (6, 4, 9)),
    (nn.Conv2d(4, 6, 3, padding="same", groups=2, dilation=2), (1, 4, 9, 8), (1, 6, 9, 8)),
    (nn.MaxPool2d(2), (2, 3, 9, 8), (2, 3, 4, 4)),
    (nn.MaxPool2d((3, 2), 1, (1, 0), (2, 1)), (3, 9, 8), (3, 7, 7)),
    (nn.AvgPool2d(3, stride=2, padding=1), (2, 3, 9, 8), (2, 3, 5, 4)),
    (nn.BatchNorm2d(3), (2, 3, 9, 8), (2, 3, 9, 8)),
    (nn.BatchNorm1d(3), (5, 3), (5, 3)),
    (nn.BatchNorm1d(3), (5, 3, 4), (5, 3, 4)),
]


@pytest.mark.parametrize(("layer", "given", "wanted"), SHAPES, ids=str)
def test_shapes(layer, given, wanted):
    out = layer(mg.tensor(drawn(*given).astype(np.float32)))
    assert (out.shape, out.dtype) == (wanted, mg.float32)


@pytest.mark.parametrize("bias", [True, False])
def test_conv_weighs_every_window(bias):
    options = {"stride": 2, "padding": 1, "groups": 2, "bias": bias}
    layer = nn.Conv2d(4, 6, (2, 3), dtype="float64", generator=Generator(seed=1), **options)
    assert layer.weight.shape == (6, 2, 2, 3) and (layer.bias is not None) == bias
    x = np.pad(drawn(2, 4, 5, 5), ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = layer(mg.tensor(x[:, :, 1:-1, 1:-1])).numpy()
    w, b = layer.weight.numpy(), layer.bias.numpy() if bias else np.zeros(6)
    for n, o, r, s in np.ndindex(out.shape):
        window = x[n, 2 * (o // 3) : 2 * (o // 3) + 2, 2 * r : 2 * r + 2, 2 * s : 2 * s + 3]
        assert abs(out[n, o, r, s] - (window * w[o]).sum() - b[o]) < 64 * EPS


def test_first_weights():
    layer = nn.Conv2d(20, 30, (3, 5), groups=2, generator=Generator(seed=3))
    again = nn.Conv2d(20, 30, (3, 5), groups=2, generator=Generator(seed=3))
    bound = 1.0 / math.sqrt(10 * 3 * 5)
    for x, y in zip(layer.parameters(), again.parameters(), strict=True):
        numbers = x.numpy()
        np.testing.assert_array_equal(numbers, y.numpy())
        assert 0.9 * bound < np.abs(numbers).max() <= bound
        assert abs(numbers.mean()) < 4.0 * bound / math.sqrt(3.0 * numbers.size)
    assert layer.weight.dtype == mg.float32
    mg.manual_seed(5)
    first = nn.Conv2d(1, 2, 3).weight.tolist()
    mg.manual_seed(5)
    assert nn.Conv2d(1, 2, 3).weight.tolist() == first


SHOWN = [
    (nn.Conv2d(3, 6, 5), "Conv2d(3, 6, kernel_size=(5, 5), stride=(1, 1))"),
    (nn.Conv2d(4, 6, (5, 3), 2, 2, 2, 2, bias=False),
        "Conv2d(4, 6, kernel_size=(5, 3), stride=(2, 2), padding=(2, 2), dilation=(2, 2), "
        "groups=2, bias=False)"),
    (nn.Conv2d(1, 1, 3, padding="same"),
        "Conv2d(1, 1, kernel_size=(3, 3), stride=(1, 1), padding='same')"),
    (nn.MaxPool2d(2), "MaxPool2d(kernel_size=(2, 2), stride=(2, 2))"),
    (nn.MaxPool2d(3, 2, 1, 2),
        "MaxPool2d(kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2))"),
    (nn.AvgPool2d((2, 3), 1, count_include_pad=False),
        "AvgPool2d(kernel_size=(2, 3), stride=(1, 1), count_include_pad=False)"),
    (nn.BatchNorm2d(5, momentum=0.5),
        "BatchNorm2d(5, eps=1e-05, momentum=0.5, affine=True, track_running_stats=True)"),
    (nn.BatchNorm1d(5, affine=False, track_running_stats=False),
        "BatchNorm1d(5, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False)"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "text"), SHOWN)
def test_shown(layer, text):
    assert repr(layer) == text


def test_batch_norm_has_its_state():
    layer = nn.BatchNorm2d(3, dtype="float64")
    names = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert sorted(layer.state_dict()) == sorted(names)
    assert [n for n, _ in layer.named_parameters()] == names[:2]
    assert (layer.num_batches_tracked.dtype, layer.num_batches_tracked.shape) == (mg.int64, ())
    x = mg.tensor(drawn(4, 3, 2, 2))
    for _ in range(3):
        layer(x)
    assert layer.num_batches_tracked.item() == 3
    other = nn.BatchNorm2d(3, dtype="float64")
    other.load_state_dict(layer.state_dict())
    assert other.num_batches_tracked.item() == 3
    np.testing.assert_array_equal(other.eval()(x).numpy(), layer.eval()(x).numpy())
    assert layer.num_batches_tracked.item() == 3  # in use, nothing moves
    assert nn.BatchNorm2d(3, affine=False, track_running_stats=False).state_dict() == {}


def test_batch_norm_in_use_sees_one_image_alone():
    layer = nn.BatchNorm2d(2, dtype="float64")
    batch = drawn(5, 2, 3, 3)
    for _ in range(200):
        layer(mg.tensor(batch))
    layer.eval()
    alone = [layer(mg.tensor(image[None])).numpy()[0] for image in batch]
    together = layer(mg.tensor(batch)).numpy()
    np.testing.assert_allclose(alone, together, rtol=0, atol=16 * EPS)
    assert abs(together.mean()) < 1e-6  # the running statistics have become those of the batch
    untracked = nn.BatchNorm2d(2, track_running_stats=False, dtype="float64")
    out = untracked(mg.tensor(batch)).numpy()
    np.testing.assert_array_equal(untracked.eval()(mg.tensor(batch)).numpy(), out)


def test_to_another_dtype_counts_on():
    layer = nn.BatchNorm1d(3)
    layer(mg.tensor(drawn(4, 3).astype(np.float32)))
    layer.to(dtype="float64")
    assert layer(mg.tensor(drawn(4, 3))).dtype == layer.running_var.dtype == mg.float64
    assert (layer.num_batches_tracked.dtype, layer.num_batches_tracked.item()) == (mg.int64, 2)


def test_a_small_network_learns_where_the_stripes_are():
    """Upright or lying stripes, anywhere: what a filter sees, wherever it is."""
    rng = np.random.default_rng(0)
    images = rng.normal(0.0, 0.3, (64, 1, 6, 6))
    labels = np.arange(64) % 2
    for image, label, at in zip(images[:, 0], labels, rng.integers(0, 6, 64), strict=True):
        image[(slice(None), at) if label else (at, slice(None))] += 2.0
    source = Generator(seed=0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, generator=source), nn.BatchNorm2d(8), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, generator=source), nn.ReLU(), nn.Flatten(),
        nn.Linear(8, 2, generator=source),
    )  # fmt: skip
    x, y = mg.tensor(images.astype(np.float32)), mg.tensor(labels)
    optimiser = optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        mg.cross_entropy(model(x), y).backward()
        optimiser.step()
    found = model.eval()(x).numpy().argmax(1)
    assert (found == labels).mean() > 0.95


IMAGES = "expected images of shape (N, 3, H, W) or (3, H, W), got"
BAD = {
    "no channels": (lambda: nn.Conv2d(0, 3, 2), ValueError,
        "Conv2d: in_channels must be 1 or more, got 0."),
    "a window of 0": (lambda: nn.Conv2d(1, 3, (2, 0)), ValueError,
        "Conv2d: kernel_size is an int of 1 or more, or a pair, got (2, 0)."),
    "half a window": (lambda: nn.Conv2d(1, 3, 2.5), TypeError,
        "Conv2d: kernel_size is an int or a pair of ints, got 2.5."),
    "three sizes": (lambda: nn.Conv2d(1, 3, (2, 2, 2)), ValueError,
        "Conv2d: kernel_size is an int of 1 or more, or a pair, got (2, 2, 2)."),
    "stride 0": (lambda: nn.Conv2d(1, 3, 2, stride=0), ValueError,
        "Conv2d: stride is an int of 1 or more, or a pair, got 0."),
    "padding below 0": (lambda: nn.Conv2d(1, 3, 2, padding=-1), ValueError,
        "Conv2d: padding is an int of 0 or more, or a pair, got -1."),
    "padding in words": (lambda: nn.Conv2d(1, 3, 2, padding="full"), ValueError,
        "Conv2d: padding is a number, a pair, 'valid', or 'same' for stride 1; got 'full' with "
        "stride (1, 1)."),
    "groups": (lambda: nn.Conv2d(4, 3, 2, groups=2), ValueError,
        "Conv2d: groups=2 must divide in_channels=4 and out_channels=3."),
    "a generator": (lambda: nn.Conv2d(4, 3, 2, generator=3), TypeError,
        "Conv2d: generator must be a minigrad.Generator, got 3"),
    "other channels": (lambda: nn.Conv2d(3, 6, 2)(mg.zeros((2, 4, 5, 5))), ValueError,
        f"Conv2d: {IMAGES} (2, 4, 5, 5)."),
    "a row of pixels": (lambda: nn.Conv2d(3, 6, 2)(mg.zeros((3, 5))), ValueError,
        f"Conv2d: {IMAGES} (3, 5)."),
    "a list": (lambda: nn.Conv2d(3, 6, 2)([[1.0]]), TypeError,
        "Conv2d: expected a tensor, got list; minigrad.tensor makes one."),
    "a small image": (lambda: nn.Conv2d(3, 6, 4)(mg.zeros((3, 5, 2))), ValueError,
        "conv2d: a window of (4, 4) with dilation (1, 1) covers (4, 4) pixels, but the images are "
        "(5, 2)"),
    "a pool of 0": (lambda: nn.MaxPool2d(0), ValueError,
        "MaxPool2d: kernel_size is an int of 1 or more, or a pair, got 0."),
    "a pool with much padding": (lambda: nn.AvgPool2d(2, 2, 2)(mg.zeros((3, 5, 5))), ValueError,
        "avg_pool2d: padding may be at most half of the window (2, 2), got (2, 2)."),
    "pooling a list": (lambda: nn.MaxPool2d(2)([1.0]), TypeError, "MaxPool2d: expected a tensor"),
    "no features": (lambda: nn.BatchNorm2d(0), ValueError,
        "BatchNorm2d: num_features must be 1 or more, got 0."),
    "momentum in words": (lambda: nn.BatchNorm1d(3, momentum="much"), TypeError,
        "BatchNorm1d: momentum must be a number, got 'much'."),
    "much momentum": (lambda: nn.BatchNorm1d(3, momentum=1.5), ValueError,
        "BatchNorm1d: momentum lies between 0 and 1, got 1.5."),
    "eps below 0": (lambda: nn.BatchNorm1d(3, eps=-0.1), ValueError,
        "BatchNorm1d: eps lies between 0 and 1, got -0.1."),
    "rows for images": (lambda: nn.BatchNorm2d(3)(mg.zeros((2, 3))), ValueError,
        "BatchNorm2d: expected (N, 3, H, W), got (2, 3)."),
    "images for rows": (lambda: nn.BatchNorm1d(3)(mg.zeros((2, 3, 4, 4))), ValueError,
        "BatchNorm1d: expected (N, 3) or (N, 3, length), got (2, 3, 4, 4)."),
    "other features": (lambda: nn.BatchNorm2d(3)(mg.zeros((2, 4, 5, 5))), ValueError,
        "BatchNorm2d: expected (N, 3, H, W), got (2, 4, 5, 5)."),
    "one row alone": (lambda: nn.BatchNorm1d(3)(mg.zeros((1, 3))), ValueError,
        "batch_norm: x of shape (1, 3) has 1 numbers for each channel; in training there must be"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, kind, words = BAD[name]
    with pytest.raises(kind, match="^" + re.escape(words)):
        call()


def test_a_refused_batch_does_not_count():
    layer = nn.BatchNorm1d(3)
    with pytest.raises(ValueError, match="must be 2 or more"):
        layer(mg.ones((1, 3)))
    assert (layer.num_batches_tracked.item(), layer.running_mean.tolist()) == (0, [0.0] * 3)
