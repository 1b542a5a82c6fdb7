"""Changed source in a running module: whoever holds the old objects runs the new code."""

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from minigrad.course import reload

BEFORE = '''
"""Shapes."""
import functools
from dataclasses import dataclass

LIMIT = 10
NAMES = {}

def logged(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return ("logged", function(*arguments))
    return wrapper

def named(cls):
    NAMES[cls.__name__] = cls
    return cls

def area(x):
    return x

@logged
def volume(x):
    return x

@functools.cache
def slow(x):
    return x

class Op:
    def __init__(self, function):
        self.function = function
    def __call__(self, x):
        return self.function(x)

@Op
def operation(x):
    return x

class Base:
    def who(self):
        return "base"

@named
class Square(Base):
    __slots__ = ("side",)
    def __init__(self, side):
        self.side = side
    def grow(self):
        return self.side
    @property
    def double(self):
        return self.side
    @staticmethod
    def unit():
        return 1
    @classmethod
    def make(cls, side):
        return cls(side)
    def same(self, other):
        return isinstance(other, Square)
    def who(self):
        return "square"

@dataclass
class Point:
    x: int
    def norm(self):
        return self.x

def until(x):
    return x
'''


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "shapes.py"
    path.write_text(BEFORE, encoding="utf-8")
    made = ModuleType("shapes")
    made.__file__ = str(path)
    sys.modules["shapes"] = made
    exec(compile(BEFORE, str(path), "exec"), made.__dict__)
    yield made
    del sys.modules["shapes"]


def change(module: ModuleType, *pairs: tuple[str, str], spaces: tuple[dict, ...] = ()) -> list[str]:
    """Take the source with these texts exchanged into the module."""
    path = Path(str(module.__file__))
    old = new = path.read_text(encoding="utf-8")
    for before, after in pairs:
        assert before in new
        new = new.replace(before, after, 1)
    path.write_text(new, encoding="utf-8")
    return reload.take(module, old, new, str(path), spaces)


# The second pair changes the module outside its functions too, so that the module runs again.
@pytest.mark.parametrize(
    "more", [(), (("LIMIT = 10", "LIMIT = 11\nADDED = 12"),)], ids=["bodies", "whole"]
)
class TestHeldObjects:
    def test_function(self, module: ModuleType, more: tuple) -> None:
        held = module.area
        change(module, ("def area(x):\n    return x", "def area(x):\n    return x * x"), *more)
        assert held(3) == module.area(3) == 9

    def test_decorated_function(self, module: ModuleType, more: tuple) -> None:
        held = module.volume
        change(module, ("def volume(x):\n    return x", "def volume(x):\n    return x ** 3"), *more)
        assert held(2) == module.volume(2) == ("logged", 8)

    def test_function_held_by_an_object(self, module: ModuleType, more: tuple) -> None:
        held, space = module.operation, {"operation": module.operation}
        pair = ("def operation(x):\n    return x", "def operation(x):\n    return -x")
        change(module, pair, *more, spaces=(space,))
        assert held(2) == space["operation"](2) == module.operation(2) == -2

    def test_cached_function_forgets(self, module: ModuleType, more: tuple) -> None:
        held = module.slow
        assert held(2) == 2
        change(module, ("def slow(x):\n    return x", "def slow(x):\n    return -x"), *more)
        assert held(2) == module.slow(2) == -2

    def test_method_property_static_and_class_method(self, module: ModuleType, more: tuple) -> None:
        square, kind, bound = module.Square(3), module.Square, module.Square(3).grow
        change(
            module,
            (
                "def grow(self):\n        return self.side",
                "def grow(self):\n        return self.side + 1",
            ),
            (
                "def double(self):\n        return self.side",
                "def double(self):\n        return 2 * self.side",
            ),
            ("return 1", "return 7"),
            ("return cls(side)", "return cls(side + 1)"),
            *more,
        )
        assert (square.grow(), bound(), square.double, square.unit()) == (4, 4, 6, 7)
        assert kind.make(1).side == 2
        assert kind is module.Square is module.NAMES["Square"]
        assert square.same(module.Square(1)) and module.Square(1).same(square)

    def test_body_that_begins_to_use_super(self, module: ModuleType, more: tuple) -> None:
        square = module.Square(1)
        change(module, ('return "square"', 'return super().who() + " square"'), *more)
        assert square.who() == module.Square(1).who() == "base square"

    def test_dataclass(self, module: ModuleType, more: tuple) -> None:
        point = module.Point(3)
        change(
            module,
            (
                "def norm(self):\n        return self.x",
                "def norm(self):\n        return abs(self.x)",
            ),
            *more,
        )
        point.x = -3
        assert point.norm() == 3
        assert point == module.Point(-3) and repr(point) == "Point(x=-3)"


def test_changed_bodies_run_no_line_at_module_level(module: ModuleType) -> None:
    module.NAMES["mine"] = int
    change(module, ("return 1", "return 2"))
    assert module.NAMES["mine"] is int


def test_constants_new_names_and_names_that_are_gone(module: ModuleType) -> None:
    space = {"LIMIT": module.LIMIT, "mine": module.LIMIT, "area": module.area}
    change(
        module,
        ("LIMIT = 10", "LIMIT = 11\nimport math"),
        ("def area(x):\n    return x", "def area(x, scale=2):\n    return scale * math.floor(x)"),
        ("def until(x):\n    return x\n", ""),
        spaces=(space,),
    )
    assert (space["LIMIT"], space["mine"]) == (11, 10), (
        "a reader's own 10 is not the module's LIMIT"
    )
    assert space["area"](1.5) == 2
    assert not hasattr(module, "until")


def test_held_functions_get_new_defaults(module: ModuleType) -> None:
    area, volume, unit = module.area, module.volume, module.Square.unit
    change(
        module,
        ("def area(x)", "def area(x=5)"),
        ("def volume(x)", "def volume(x=6)"),
        ("def unit()", "def unit(x=1)"),
        ("return wrapper", "wrapper.level = 3\n    return wrapper"),
    )
    assert (area(), volume(), unit()) == (5, ("logged", 6), 1)
    assert volume.level == 3
    assert area is module.area and volume is module.volume


def test_a_method_that_is_new_or_gone(module: ModuleType) -> None:
    square = module.Square(3)
    change(module, ("def grow(self)", "def shrink(self)"))
    assert square.shrink() == 3 and not hasattr(square, "grow")


def test_a_subclass_and_its_base_change_together(module: ModuleType) -> None:
    square = module.Square(3)
    change(
        module,
        ('return "base"', 'return "ground"\n    floor = 0'),
        ('return "square"', "return super().who()"),
    )
    assert square.who() == "ground" and square.floor == 0
    assert module.Square.__mro__ == (module.Square, module.Base, object)


def test_changed_slots_are_reported(module: ModuleType) -> None:
    square, space = module.Square(3), {"Square": module.Square}
    left = change(module, ('("side",)', '("side", "colour")'), spaces=(space,))
    assert left == ["Square"]
    assert space["Square"] is module.Square and type(square) is not module.Square


def test_a_module_that_raises_is_left_as_it_was(module: ModuleType) -> None:
    names, kind = set(vars(module)), module.Square
    with pytest.raises(ZeroDivisionError):
        change(module, ("return 1", "return 2"), ("LIMIT = 10", "EARLY = 1\nLIMIT = 1 / 0"))
    assert set(vars(module)) == names and module.LIMIT == 10
    assert module.Square is kind and kind.unit() == 1


def test_tracebacks_show_the_new_line(module: ModuleType) -> None:
    path, line = str(module.__file__), module.Square.unit.__code__.co_firstlineno + 2
    assert linecache.getline(path, line).strip() == "return 1"
    change(module, ("return 1", "return 2  # new"))
    assert linecache.getline(path, line).strip() == "return 2  # new"
