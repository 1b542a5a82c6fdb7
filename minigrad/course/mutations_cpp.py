"""Mutants of a body in C++: each with one piece of its text a little off, and a name that lasts.

Pure text in, pure text out. Nothing here knows C++'s grammar: what does not compile is no mutant,
and neither is what compiles to the same code; mutants.py sorts both out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from minigrad.course.mutations import Mutant

LINE, AROUND = 50, 20  # characters: of a line that is shown whole, on each side of a change

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>\d[\w.']*(?:(?<=[eEpP])[+-]\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\+\+|--|->|<<=|>>=|<=>|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||::|.)""",
    re.VERBOSE | re.DOTALL,
)
# Between two values. With a blank on one side only they are no such thing: T* x, vector<T> x.
EXCHANGED = {
    "+": ["-"],
    "-": ["+"],
    "*": ["/"],
    "/": ["*"],
    "%": ["/"],
    "<": ["<="],
    "<=": ["<"],
    ">": [">="],
    ">=": [">"],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
    "+=": ["-=", "="],
    "-=": ["+=", "="],
    "*=": ["/=", "="],
    "/=": ["*=", "="],
}
STEPS = ("++", "--")
VALUE_ENDS = (")", "]")
OPENS, CLOSES = "([{", ")]}"
CONTROL = {"for", "if", "while", "switch", "return", "sizeof", "catch", "do", "else", "case"}
# What stands before a brace that opens a block, not a list of values.
BLOCKS = (")", "else", "do", "{", "}", ";", "mutable")
# A statement that begins like this declares something, or is no statement: without it nothing
# compiles, or the function ends without a value.
KEPT = {
    *("auto", "const", "constexpr", "using", "static", "struct", "typedef", "template"),
    *("return", "break", "continue", "case", "default", "throw", "goto", "static_assert"),
}
TYPE = r"(?:\w+::)*\w+(?:<[^;=()]*>)?[*&]*"
DECLARES = re.compile(rf"^{TYPE}\s+[*&]*\w+\s*[=;{{\[(,]")


@dataclass(frozen=True)
class Token:
    """A piece of the text: its kind, where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Change:
    """The text from start to end becomes `new`."""

    start: int
    end: int
    new: str


def mutants(body: str) -> list[Mutant]:
    """Every mutant of a body, in the body's order, no text twice."""
    tokens = [t for t in _tokens(body) if t.kind != "blank"]
    found: dict[str, str] = {body: ""}
    for change in _changes(body, tokens):
        text = body[: change.start] + change.new + body[change.end :]
        found.setdefault(text, _described(body, change))
    counts: dict[str, int] = {}
    made = []
    for text, description in list(found.items())[1:]:
        counts[description] = count = counts.get(description, 0) + 1
        made.append(Mutant(description + (f" ({count})" if count > 1 else ""), text))
    return made


def _tokens(body: str) -> Iterator[Token]:
    for match in TOKEN.finditer(body):
        yield Token(match.lastgroup or "sign", match[0], match.start(), match.end())


def _changes(body: str, tokens: list[Token]) -> Iterator[Change]:
    yield from sorted(
        (*_signs(body, tokens), *_numbers(tokens), *_swaps(body, tokens), *_drops(body, tokens)),
        key=lambda change: (change.start, change.end),
    )


def _signs(body: str, tokens: list[Token]) -> Iterator[Change]:
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        if token.text in STEPS:
            yield Change(token.start, token.end, "")
        elif token.text in EXCHANGED and token.kind == "sign" and before is not None:
            left = body[token.start - 1].isspace()
            right = token.end < len(body) and body[token.end].isspace()
            value = before.kind in ("name", "number") or before.text in VALUE_ENDS
            # a < b, never vector<T>
            apart = left and right if token.text in ("<", ">") else left == right
            if apart and value and before.text not in CONTROL:
                for new in EXCHANGED[token.text]:
                    yield Change(token.start, token.end, new)


def _numbers(tokens: list[Token]) -> Iterator[Change]:
    for token in tokens:
        match = re.fullmatch(r"(\d+)(\.\d*)?([fFlLuU]*)", token.text)
        if token.kind != "number" or not match:
            continue
        whole, part, suffix = int(match[1]), match[2] or "", match[3]
        others = [whole + 1] if part.strip(".0") else {0: [1], 1: [0, 2]}.get(whole, [whole + 1])
        for other in others:
            yield Change(token.start, token.end, f"{other}{part}{suffix}")


def _swaps(body: str, tokens: list[Token]) -> Iterator[Change]:
    """The arguments of each call, two neighbours exchanged."""
    for index, token in enumerate(tokens[:-1]):
        called = token.kind == "name" or token.text == ">"
        if not called or tokens[index + 1].text != "(" or token.text in CONTROL:
            continue
        parts = _arguments(body, tokens, index + 1)
        for (a, b), (c, d) in pairwise(parts):
            yield Change(a, d, body[c:d] + body[b:c] + body[a:b])


def _arguments(body: str, tokens: list[Token], opening: int) -> list[tuple[int, int]]:
    """Where each argument begins and ends, blanks around it left out."""
    depth, start = 0, tokens[opening].end
    found = []
    for token in tokens[opening:]:
        depth += (token.text in OPENS) - (token.text in CLOSES)
        if depth == 0 or (depth == 1 and token.text == ","):
            text = body[start : token.start]
            lead = len(text) - len(text.lstrip())
            found.append((start + lead, start + len(text.rstrip())))
            start = token.end
        if depth == 0:
            return found if found and found[0][0] < found[0][1] else []
    return []


def _drops(body: str, tokens: list[Token]) -> Iterator[Change]:
    """Each statement left out: nothing but its semicolon stays."""
    outer: list[tuple[Token | None, int, bool, bool]] = []
    first: Token | None = None  # of the statement that is being read
    depth, header = 0, False  # open brackets in it; whether it is a for, an if, a while
    for index, token in enumerate(tokens):
        if token.text == "{":
            block = index == 0 or tokens[index - 1].text in BLOCKS
            outer.append((first, depth, header, block))
            first, depth, header = None, 0, False
            continue
        if token.text == "}" and outer:
            first, depth, header, block = outer.pop()
            if block and depth == 0:
                first = None
            continue
        if first is None:
            first, header = token, token.text in ("for", "if", "while", "switch")
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and (token.text in ("else", "do") or (header and token.text == ")")):
            first = None
        elif depth == 0 and token.text == ";":
            text = body[first.start : token.start]
            if text and first.text not in KEPT and not DECLARES.match(text + ";"):
                yield Change(first.start, token.start, "")
            first = None


def _described(body: str, change: Change) -> str:
    """The line, what stands there before and after; of a long line, the part around the change."""
    line = body.count("\n", 0, change.start) + 1
    start = body.rfind("\n", 0, change.start) + 1
    end = body.find("\n", change.end)
    whole = body[start : len(body) if end < 0 else end]
    at = change.start - start
    old = body[change.start : change.end]
    if not change.new and len(old) > 2:
        return f"line {line}: {_part(' '.join(old.split()), 0)} -> nothing"
    new = whole[:at] + change.new + whole[at + len(old) :]
    lead = len(whole) - len(whole.lstrip())
    one, other = " ".join(whole.split()), " ".join(new.split())
    return f"line {line}: {_part(one, at - lead)} -> {_part(other, at - lead)}"


def _part(text: str, change: int) -> str:
    """A line, or of a long one the words around the change."""
    if len(text) <= LINE:
        return text
    start, end = max(0, change - AROUND), min(len(text), change + AROUND)
    start = text.rfind(" ", 0, start) + 1
    stop = text.find(" ", end)
    end = len(text) if stop < 0 else stop
    return "..." * (start > 0) + text[start:end] + "..." * (end < len(text))
