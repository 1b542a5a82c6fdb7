"""Every kind of bad input is one error, of the class that NumPy's users expect, in words that help.

What every engine has to say are the facts: which call, and the values in the message. The engine
that the course quotes says it in exactly the words that are written down.
"""

import re
from functools import partial

import bad_gradients
import bad_images
import bad_input
import bad_transformer
import pytest

import minigrad as mg

CASES = bad_input.CASES | bad_gradients.CASES | bad_images.CASES | bad_transformer.CASES
WORD_FOR_WORD = ["numpy"]
FACTS = re.compile(
    r"^[\w.]+:"  # the call
    r"|\([-\d, ]*\)|-?\d[\d,]*\.?\d*"  # shapes and numbers
    r"|'[^']+'|\w+\(\)|\w+=\w+|no_grad|\b(?:bool|int|float|complex|object)\d*\b"  # names
)


class Maker:
    """Makes tensors on a device."""

    def __init__(self, device):
        self.device = device

    def __call__(self, *shape, dtype="float32"):
        return mg.zeros(shape, dtype, self.device)

    def leaf(self, *shape):
        return mg.zeros(shape, "float64", self.device, requires_grad=True)

    def __getattr__(self, name):
        return partial(getattr(mg, name), device=self.device)


def message(name, device):
    call, kind, words = CASES[name]
    with pytest.raises(kind) as caught:
        call(Maker(device))
    return str(caught.value), words


@pytest.mark.parametrize("name", CASES)
def test_one_error_with_the_facts(device, name):
    said, words = message(name, device)
    for fact in FACTS.findall(words) or [words]:
        assert fact in said, said
    assert re.match(r"[\w.+*/-]+=?(: | return)", said), said
    assert said.endswith((".", ")")) and "\n" not in said, said


@pytest.mark.parametrize("device", WORD_FOR_WORD)
@pytest.mark.parametrize("name", CASES)
def test_in_these_words(device, name):
    said, words = message(name, device)
    assert words in said


def test_an_error_leaves_its_input_as_it_was(device):
    x = mg.tensor([1.0, 2.0], device=device)
    for change in (
        lambda: x.add_(mg.ones((3,), device=device)),
        lambda: x.__setitem__(slice(None), [1.0, 2.0, 3.0]),
        lambda: x.__setitem__(5, 0.0),
        lambda: x.copy_(mg.ones((3, 2), device=device)),
    ):
        with pytest.raises((ValueError, IndexError)):
            change()
        assert x.tolist() == [1.0, 2.0]
