"""The milestone of chapter 03: every op of the engine, and what the table says of each."""

import numpy as np
import pytest

from minigrad.course import op_table, pictures_ops
from minigrad.differences import TOLERANCE
from minigrad.random import Generator
from minigrad.reference import engine
from minigrad.reference.creation import zeros
from minigrad.reference.op import Op, op


@pytest.fixture(scope="module")
def errors() -> dict[str, float | str]:
    return op_table.errors()


def test_every_op_of_the_engine_is_in_the_table_with_a_right_gradient(errors) -> None:
    public = {name for name, each in vars(engine).items() if isinstance(each, Op)}
    without = set(op_table.WITHOUT.split())
    assert without <= public
    assert set(errors) == (public - without) | {"cat", "stack"}
    assert len(errors) >= 60
    assert {n: e for n, e in errors.items() if not isinstance(e, float) or e > TOLERANCE} == {}


def test_what_is_left_out_has_no_gradient() -> None:
    x = zeros((2, 3), dtype="float64")
    for name in op_table.WITHOUT.split():
        each = vars(engine)[name]
        if name == "one_hot":  # of ints
            assert each.with_vjp(zeros((2,), dtype="int64"), 3)[1](x) == (None, None)
            continue
        two = name.startswith(("equal", "not_", "less", "greater")) or name[-3:] in ("and", "xor")
        out = each(x, x) if two or name == "logical_or" else each(x)
        assert out.dtype.kind != "float", name


def test_the_calls_are_those_of_ops(errors) -> None:
    x = zeros((3, 4), dtype="float64")
    assert set(op_table.calls(x, x, Generator(0))) <= set(errors)
    assert set(op_table.POSITIVE) <= set(errors)


def test_a_wrong_gradient_and_an_open_exercise_are_named() -> None:
    @op
    def half(x):
        return x * 1.0, lambda g, out: (0.5 * g,)

    @op
    def open_one(x):
        raise NotImplementedError("exercise 3.6")

    @op
    def broken(x):
        raise NotImplementedError("not an exercise")

    x = zeros((2,), dtype="float64")
    assert op_table.error(half, (x,), {}) == op_table.WRONG
    assert op_table.error(open_one, (x,), {}) == "open 3.6"
    with pytest.raises(NotImplementedError, match="not an exercise"):
        op_table.error(broken, (x,), {})


def title(picture: pictures_ops.Picture) -> str:
    return picture.figure.get_suptitle()


def test_the_title_of_the_table_says_what_was_found() -> None:
    right = {"add": 1e-11, "mul": 0.0, "max": 3e-10}
    assert title(pictures_ops.error_table(right)) == (
        "All 3 gradients are right: the largest error is 3e-10"
    )
    some = title(pictures_ops.error_table(right | {"max": "open 3.6"}))
    assert some == "2 of 3 gradients right, the others wait for open exercises"
    wrong = title(pictures_ops.error_table(right | {"max": "open 3.6", "mul": "wrong"}))
    assert wrong == "1 of 3 gradients wrong: mul"
    nothing = {"add": "open 3.1"}
    assert title(pictures_ops.error_table(nothing)).startswith("0 of 1 gradients right")


def test_the_title_of_the_softmaxes_says_where_the_formula_breaks() -> None:
    shifts = np.linspace(-150, 150, 301, dtype=np.float32)
    with np.errstate(all="ignore"):
        parts = np.exp(shifts[:, None] + np.float32([0, 1, 2]))
        formula = parts / parts.sum(axis=1, keepdims=True)
    shifted = np.tile(formula[150], (301, 1))
    drawn = pictures_ops.softmaxes(shifts, formula, shifted)
    wanted = "The formula lasts from −105 to 86, the shifted one everywhere"
    assert title(drawn) == wanted
    worse = title(pictures_ops.softmaxes(shifts, formula, formula))
    assert worse.endswith("no more than the shifted one")


def test_the_other_pictures_are_drawn() -> None:
    g = np.arange(12.0).reshape(3, 4)
    columns = g.sum(axis=0, keepdims=True)
    for picture in (
        pictures_ops.jacobian(),
        pictures_ops.sent_back(g, g.sum(axis=1, keepdims=True), columns),
    ):
        assert picture._repr_png_().startswith(b"\x89PNG")
