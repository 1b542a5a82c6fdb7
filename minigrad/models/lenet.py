"""LeNet: filters, pooling, filters, pooling, and two layers that read what was found."""

from collections.abc import Sequence

from minigrad import nn
from minigrad.random import Generator
from minigrad.sizes import pair, whole

STEPS = 2  # filters and pooling, twice: each halves the image


def lenet(
    image: Sequence[int] = (1, 8, 8),
    classes: int = 10,
    filters: Sequence[int] = (16, 32),
    hidden: int = 64,
    dropout: float = 0.0,
    *,
    generator: Generator | None = None,
) -> nn.Sequential:
    """Images (N, channels, height, width) -> scores (N, classes).

    Twice: 3 x 3 filters, batch norm, relu, and the largest of each 2 x 2. Then a hidden layer, with
    dropout for a probability above 0, and the scores. image: (channels, height, width), height and
    width of 4 or more. generator: for the weights and for dropout.
    Raises TypeError and ValueError for sizes that cannot be.
    Source: LeCun and others, "Gradient-based learning applied to document recognition" (1998); with
    relu, batch norm and the maximum in place of its tanh and mean.
    """
    if not isinstance(image, Sequence) or len(image) != 3:
        raise ValueError(f"lenet: image is (channels, height, width), got {image!r}.")
    least = 2**STEPS
    channels = whole("lenet", "channels", image[0])
    height, width = pair("lenet", "the size of an image", image[1:], least)
    layers: list[nn.Module] = []
    for count in pair("lenet", "filters", filters):
        layers += [
            nn.Conv2d(channels, count, 3, padding=1, bias=False, generator=generator),
            nn.BatchNorm2d(count),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ]
        channels = count
    found = channels * (height // least) * (width // least)
    layers += [nn.Flatten(), nn.Linear(found, hidden, generator=generator), nn.ReLU()]
    layers += [nn.Dropout(dropout, generator=generator)] if dropout else []
    return nn.Sequential(*layers, nn.Linear(hidden, classes, generator=generator))
