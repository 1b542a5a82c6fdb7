"""Models: what they are put together of."""

import pytest

import minigrad as mg
from minigrad import Generator, models, nn


def kinds(model):
    return [type(m).__name__ for m in model]


def test_the_smallest_is_one_layer():
    assert kinds(models.mlp((3, 2))) == ["Linear"]


def test_layers_activations_and_dropout():
    model = models.mlp([5, 4, 3, 2], nn.GELU, dropout=0.25)
    block = ["Linear", "GELU", "Dropout"]
    assert kinds(model) == [*block, *block, "Linear"]
    assert [p.shape for p in model.parameters()] == [(4, 5), (4,), (3, 4), (3,), (2, 3), (2,)]
    assert model[2].p == 0.25 and model[1] is not model[4]
    assert model(mg.zeros((7, 5))).shape == (7, 2)
    assert kinds(models.mlp((5, 4, 3))) == ["Linear", "ReLU", "Linear"]


def test_anything_that_makes_modules_will_do():
    model = models.mlp((5, 4, 3), lambda: nn.GELU("tanh"))
    assert model[1].approximate == "tanh"


def test_one_generator_for_weights_and_dropout():
    def run(seed):
        model = models.mlp((5, 4, 2), dropout=0.5, generator=Generator(seed=seed))
        return model(mg.ones((3, 5))).tolist()

    assert run(1) == run(1) != run(2)


def test_lenet_is_filters_twice_and_two_layers():
    model = models.lenet((3, 9, 7), 5, (4, 6), 11, dropout=0.25, generator=Generator(1))
    block = ["Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d"]
    assert kinds(model) == [*block, *block, "Flatten", "Linear", "ReLU", "Dropout", "Linear"]
    assert [p.shape for p in model.parameters()] == [
        (4, 3, 3, 3), (4,), (4,), (6, 4, 3, 3), (6,), (6,), (11, 6 * 2 * 1), (11,), (5, 11), (5,),
    ]  # fmt: skip
    assert model[11].p == 0.25
    x = mg.randn(2, 3, 9, 7, generator=Generator(2))
    assert [model[:k](x).shape[1:] for k in (3, 4, 7, 8)] == [
        (4, 9, 7),
        (4, 4, 3),
        (6, 4, 3),
        (6, 2, 1),
    ]
    assert model(x).shape == (2, 5)


def test_lenet_reads_digits_of_8_by_8_unless_told_otherwise():
    model = models.lenet()
    assert model(mg.zeros((3, 1, 8, 8))).shape == (3, 10)
    assert "Dropout" not in kinds(model)
    assert sum(p.size for p in model.parameters()) == 13754


def test_one_generator_for_all_of_lenet():
    def run(seed):
        model = models.lenet(filters=(2, 3), dropout=0.5, generator=Generator(seed))
        return model(mg.ones((4, 1, 8, 8))).tolist()

    assert run(1) == run(1) != run(2)


ACTIVATION = "mlp: activation must make a module when it is called without arguments, like nn.ReLU"
WRONG = {
    "one size": (lambda: models.mlp((3,)), ValueError,
        "mlp: sizes are those of the input and of each layer, got only (3,)."),
    "no list": (lambda: models.mlp(3), TypeError,
        "mlp: sizes is a list of sizes, like (64, 32, 10), got 3."),
    "a size of 0": (lambda: models.mlp((3, 0)), ValueError,
        "Linear: out_features must be 1 or more, got 0."),
    "a module": (lambda: models.mlp((3, 2, 1), nn.ReLU()), TypeError,
        f"{ACTIVATION}; this is a module: give its class, ReLU."),
    "a function": (lambda: models.mlp((3, 2, 1), mg.relu), TypeError,
        f"{ACTIVATION}: relu() missing 1 required positional argument: 'x'."),
    "what makes something else": (lambda: models.mlp((3, 2, 1), dict), TypeError,
        f"{ACTIVATION}, got dict."),
    "dropout": (lambda: models.mlp((3, 2, 1), dropout=2), ValueError,
        "Dropout: p is a probability, from 0 to 1, got 2."),
    "two sizes of an image": (lambda: models.lenet((8, 8)), ValueError,
        "lenet: image is (channels, height, width), got (8, 8)."),
    "one size of an image": (lambda: models.lenet(8), ValueError,
        "lenet: image is (channels, height, width), got 8."),
    "an image that is too small": (lambda: models.lenet((1, 8, 3)), ValueError,
        "lenet: the size of an image is an int of 4 or more, or a pair, got (8, 3)."),
    "no channels": (lambda: models.lenet((0, 8, 8)), ValueError,
        "lenet: channels must be 1 or more, got 0."),
    "three layers of filters": (lambda: models.lenet(filters=(2, 3, 4)), ValueError,
        "lenet: filters is an int of 1 or more, or a pair, got (2, 3, 4)."),
    "filters that are no number": (lambda: models.lenet(filters=("a", 3)), TypeError,
        "lenet: filters is an int or a pair of ints, got ('a', 3)."),
    "lenet's dropout": (lambda: models.lenet(dropout=-1), ValueError,
        "Dropout: p is a probability, from 0 to 1, got -1."),
    "no hidden layer": (lambda: models.lenet(hidden=0), ValueError,
        "Linear: out_features must be 1 or more, got 0."),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_bad_input(name):
    call, kind, message = WRONG[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message
