"""A module for the eye: its repr, and a table of its layers."""

from collections.abc import Callable, Iterable, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

from minigrad.api import Tensor, no_grad

if TYPE_CHECKING:
    from minigrad.nn.module import Module


class Summary(str):
    """A text that a notebook shows as it is."""

    __repr__ = str.__str__


def described(name: str, extra: str, children: Iterable[tuple[str, Any]]) -> str:
    """name(extra), or what is in the brackets a line each, as PyTorch shows it."""
    lines = [f"({key}): {child!r}" for key, child in children]
    if not lines:
        return f"{name}({extra})"
    inside = "\n".join([extra, *lines] if extra else lines)
    return f"{name}(\n{indent(inside, '  ')}\n)"


def summary(module: "Module", example: Any) -> Summary:
    """Module.summary."""
    counts = own_parameters(module)
    shapes = {} if example is None else output_shapes(module, example)
    rows = [("", "layer", "output", "parameters")]
    for name, m in module.named_modules():
        if counts[name] or not any(m.children()):
            layer = f"{type(m).__name__}({m.extra_repr()})"
            shown = f"{counts[name]:,}" if counts[name] else "-"
            rows.append((name, layer, shapes.get(id(m), "not called"), shown))
    rows.append(("", "total", "", f"{sum(counts.values()):,}"))
    frozen = sum(p.size for p in module.parameters() if not p.requires_grad)
    if frozen:
        rows.append(("", "of these frozen", "", f"{frozen:,}"))
    return Summary(table(rows, [2] if example is None else []))


def own_parameters(module: "Module") -> dict[str, int]:
    """By the name of each module, how many numbers the parameters have that are its own, those of
    the modules inside it not counted; what is shared counts where it is found first.
    """
    counts = {name: 0 for name, _ in module.named_modules()}
    for name, p in module.named_parameters():
        while name not in counts:
            name = name.rpartition(".")[0]
        counts[name] += p.size
    return counts


def output_shapes(module: "Module", example: Any) -> dict[int, str]:
    """By the id of each module, the shape that it gives when the example runs through."""
    shapes: dict[int, str] = {}

    def watched(m: "Module", forward: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*inputs: Any, **options: Any) -> Any:
            out = forward(*inputs, **options)
            shapes[id(m)] = shape_of(out)
            return out

        return watch

    before = [(m, dict(vars(m))) for m in module.modules()]
    try:
        for m, _ in before:
            vars(m).update(forward=watched(m, m.forward), training=False)
        with no_grad():
            module(*example if isinstance(example, tuple) else (example,))
    finally:
        for m, attributes in before:
            for name in ("forward", "training"):
                vars(m).pop(name)
                vars(m).update({name: attributes[name]} if name in attributes else {})
    return shapes


def shape_of(out: Any) -> str:
    """The shape of a tensor, the shapes of several, or the type of anything else."""
    if isinstance(out, list | tuple):
        return ", ".join(map(shape_of, out))
    return str(out.shape) if isinstance(out, Tensor) else type(out).__name__  # type: ignore[attr-defined]


def table(rows: Sequence[tuple[str, ...]], left_out: list[int]) -> str:
    """Columns as wide as they must be, the last one flush right."""
    columns = [c for k, c in enumerate(zip(*rows, strict=True)) if k not in left_out and any(c)]
    widths = [max(map(len, c)) for c in columns]
    lines = []
    for row in zip(*columns, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*cells, row[-1].rjust(widths[-1])]).rstrip())
    return "\n".join(lines)
