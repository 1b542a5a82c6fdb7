"""A learner's edits and ours, in any order: every body they wrote survives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minigrad.course import regions

if TYPE_CHECKING:
    from conftest import Checkout

TARGET = "chapters/01_small/small.py"
BODIES = st.sampled_from(
    ["return x\n", "return 1\n", "y = x\n\nreturn y\n", "", "pass\n", "s = '''\n  a\n'''\n"]
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("body"), st.sampled_from(["1.1", "1.2"]), BODIES),
        st.tuples(st.just("helper"), st.integers(0, 3)),
        st.tuples(st.just("source"), st.integers(0, 3)),
        st.tuples(st.just("ends"), st.sampled_from(["\n", "\r\n"])),
        st.tuples(st.just("cut")),
    ),
    max_size=8,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=EDITS)
def test_any_order_of_edits_and_cuts_keeps_the_bodies(
    edits: list[tuple[str, ...]],
    make_checkout: Callable[..., Checkout],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    checkout = make_checkout(tmp_path_factory.mktemp("any"))
    path, source = checkout.root / TARGET, checkout.root / "minigrad/small.py"
    wrote: dict[str, str] = {}
    helpers: set[str] = set()
    for kind, *rest in [*edits, ("source", 9), ("cut",)]:
        text = path.read_bytes().decode()
        if kind == "body":
            name, body = rest
            text = regions.normalise(text, ".py")
            wrote[name] = regions.indent(body, "    ") if body else ""
            path.write_text(regions.fill(text, {name: wrote[name]}, TARGET))
        elif kind == "helper":
            helpers.add(f"helper_{rest[0]} = 1")
            path.write_bytes((text + f"helper_{rest[0]} = 1\n").encode())
        elif kind == "source":
            _, _, others = source.read_text().partition("\n")
            source.write_text(f'"""Version {rest[0]}."""\n{others}')
        elif kind == "ends":
            path.write_bytes(regions.normalise(text, ".py").replace("\n", rest[0]).encode())
        else:
            checkout.cut()
            found = checkout.workspace.file("01_small/small.py").bodies
            assert {i: found[i] for i in wrote} == wrote
    saved = (checkout.root / ".minigrad/backup").rglob("*.py")
    everywhere = "".join(p.read_text() for p in [path, *saved])
    assert all(each in everywhere for each in helpers)
