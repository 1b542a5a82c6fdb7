"""The one list of chapters and exercises, derived from regions and chapter.toml files.

The command line, the tests, the README and the notebooks all read this; nothing else lists
chapters.
"""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from minigrad.course import regions
from minigrad.course.regions import Region

SOURCES = ("minigrad", "csrc", "go")
MACHINERY = "minigrad/course/"  # it shows markers as examples, and holds no exercises
CHAPTER_NAME = re.compile(r"^(\d\d)_[a-z0-9_]+$")
# The part of the design that every reader of the map sees, built or not: number, name, what it is
# about.
PLANNED = (
    ("01_scalar", "reverse mode on single numbers"),
    ("02_array", "buffer, shape, strides, views, broadcasting"),
    ("03_ops", "ops with their gradients, gradient check"),
    ("04_autograd", "the tape, the walk, double backward"),
    ("05_nn", "modules, losses, optimisers, data"),
    ("06_conv", "convolutional networks"),
    ("07_transformer", "attention and a small GPT"),
    ("08_cpp", "first C++ kernels, zero copy"),
    ("09_gemm", "matrix multiplication, step by step"),
    ("10_simd", "vectors, micro-kernel, masked tails"),
    ("11_threads", "a thread pool and threaded kernels"),
    ("12_memory", "a caching allocator"),
    ("13_engine", "autograd in C++"),
    ("14_graph", "fused ops, capture and replay"),
    ("15_cuda", "grids, coalescing, bounds, the checker"),
    ("16_reduce", "shared memory and shuffles"),
    ("17_cuda_gemm", "up to tensor cores"),
    ("18_flash", "attention that never stores its matrix"),
    ("19_device", "the whole engine on a GPU"),
    ("20_benchmark", "against PyTorch, honestly"),
    ("21_pretrained", "real weights"),
    ("22_parallel", "several processes, MPI"),
    ("23_serve", "a Go process that serves the model"),
)
STAGES = (
    ("scalar", "minigrad.scalar.Value, Python floats", 1),
    ("numpy", "the engine you read, on NumPy", 4),
    ("cpp", "the same engine on C++ kernels", 8),
    ("simd", "SIMD kernels, threads, own memory; from 13 the engine you run", 10),
    ("cuda on the CPU", "the very same .cu files, run and checked on the CPU", 15),
    ("cuda", "the .cu files, built by nvcc", 15),
    ("graph", "capture and replay: no Python and no tape in the loop", 14),
)


class CatalogError(ValueError):
    """The sources and manifests contradict each other; the message says where."""


@dataclass(frozen=True)
class Exercise:
    """An exercise: where its reference stands, where the learner writes, what a stub starts
    with.
    """

    region: Region
    source: str  # the file with the reference body, relative to the checkout
    target: str  # the learner's file, relative to the chapters folder
    start: str  # the shipped start body, indented
    hints: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.region.id

    @property
    def task(self) -> str:
        return self.region.task

    @property
    def suffix(self) -> str:
        return Path(self.source).suffix


@dataclass(frozen=True)
class Chapter:
    """A chapter: its manifest and its exercises in order."""

    name: str
    title: str
    idea: str
    hours: float
    needs: tuple[str, ...]
    device: str
    milestone: str
    train: str | None
    train_on: tuple[int, ...]  # the chapters whose bodies `train` runs on, this one among them
    exercises: tuple[Exercise, ...] = field(default=())

    @property
    def number(self) -> int:
        return int(self.name[:2])

    @property
    def files(self) -> dict[str, str]:
        """{target: source} of the files the learner edits, both relative, in order."""
        return {e.target: e.source for e in self.exercises}


def exercise_key(name: str) -> tuple[int, int]:
    """Sorts "3.10" behind "3.9"."""
    chapter, number = name.split(".")
    return int(chapter), int(number)


class Course:
    """A checkout of the course, read as it stands on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @cached_property
    def sources(self) -> dict[str, str]:
        """{path: text} of every source file that can hold a region, as the course stores text."""
        found = {}
        for folder in SOURCES:
            for path in sorted((self.root / folder).rglob("*")):
                name = path.relative_to(self.root).as_posix()
                if name.startswith(MACHINERY):
                    continue
                if path.suffix in regions.COMMENT and path.is_file():
                    found[name] = regions.normalise(path.read_text(encoding="utf-8"), path.suffix)
        return found

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """Every chapter that exists, in order; a CatalogError or RegionError says what
        contradicts.
        """
        by_chapter: dict[int, list[tuple[str, Region]]] = {}
        seen: dict[str, str] = {}
        for source, text in self.sources.items():
            for region in regions.check_source(text, source):
                if region.id in seen:
                    place, other = f"{source}:{region.first}", seen[region.id]
                    raise CatalogError(f"{place}: exercise {region.id} also stands in {other}")
                seen[region.id] = source
                by_chapter.setdefault(region.chapter, []).append((source, region))
        names = self._chapter_names()
        for number in by_chapter:
            if number not in names:
                source, folder = by_chapter[number][0][0], f"chapters/{number:02d}_*"
                raise CatalogError(
                    f"{folder}/chapter.toml is missing, but {source} holds exercises of chapter "
                    f"{number}. If it was deleted: git checkout -- {folder}"
                )
        found = tuple(self._chapter(names[n], by_chapter.get(n, [])) for n in sorted(names))
        for chapter in found:
            unknown = sorted(set(chapter.train_on) - set(names))
            if unknown:
                raise CatalogError(
                    f"chapters/{chapter.name}/chapter.toml: train_on names chapters {unknown}, "
                    "which are not there"
                )
        return found

    def _chapter_names(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for manifest in sorted((self.root / "chapters").glob("*/chapter.toml")):
            name = manifest.parent.name
            match = CHAPTER_NAME.match(name)
            if not match:
                raise CatalogError(
                    f"chapters/{name}: a chapter is called NN_name; rename it, or move it out of "
                    "chapters/"
                )
            if int(match[1]) in found:
                raise CatalogError(
                    f"chapters/{name}: chapter {int(match[1])} is also {found[int(match[1])]}; "
                    "move one of them out of chapters/"
                )
            found[int(match[1])] = name
        return found

    def _chapter(self, name: str, found: list[tuple[str, Region]]) -> Chapter:
        manifest = self._manifest(name)
        hints = manifest.get("hints", {})
        targets = _targets(name, sorted({source for source, _ in found}))
        exercises = []
        for source, region in sorted(found, key=lambda each: exercise_key(each[1].id)):
            given = tuple(hints.get(region.id, ()))
            exercises.append(
                Exercise(
                    region, source, f"{name}/{targets[source]}", self._start(region, source), given
                )
            )
        unknown = set(hints) - {e.id for e in exercises}
        if unknown:
            raise CatalogError(
                f"chapters/{name}/chapter.toml: hints for {sorted(unknown)}, which no source holds"
            )
        try:
            return Chapter(
                name,
                manifest["title"],
                manifest["idea"],
                manifest["hours"],
                tuple(manifest["needs"]),
                manifest["device"],
                manifest["milestone"],
                manifest.get("train"),
                tuple(manifest.get("train_on", [int(name[:2])])),
                tuple(exercises),
            )
        except KeyError as missing:
            raise CatalogError(
                f"chapters/{name}/chapter.toml: {missing.args[0]!r} is missing"
            ) from None

    def _manifest(self, name: str) -> dict:  # type: ignore[type-arg]
        path = self.root / "chapters" / name / "chapter.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise CatalogError(f"chapters/{name}/chapter.toml: {error}") from None

    def _start(self, region: Region, source: str) -> str:
        suffix = Path(source).suffix
        path = self.root / "tests" / "course" / "start" / f"{region.id}{suffix}"
        if path.is_file():
            return regions.indent(
                regions.normalise(path.read_text(encoding="utf-8"), suffix), region.pad
            )
        return regions.open_body(region, suffix)

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        return {e.id: e for chapter in self.chapters for e in chapter.exercises}

    def chapter(self, number: int) -> Chapter:
        """Chapter `number`, or a LookupError that says which there are."""
        for chapter in self.chapters:
            if chapter.number == number:
                return chapter
        there = ", ".join(str(c.number) for c in self.chapters)
        planned = {int(name[:2]): name for name, _ in PLANNED}
        if number in planned:
            raise LookupError(
                f"chapter {number} ({planned[number][3:]}) is not there yet; there are: {there}"
            )
        raise LookupError(f"there is no chapter {number}; there are: {there}")

    def exercise(self, name: str) -> Exercise:
        """Exercise "3.2", or a LookupError that says which its chapter has."""
        if name in self.exercises:
            return self.exercises[name]
        chapter = self.chapter(int(name.split(".")[0]))
        there = ", ".join(e.id for e in chapter.exercises)
        raise LookupError(f"there is no exercise {name}; chapter {chapter.number} has {there}")


def _targets(name: str, sources: list[str]) -> dict[str, str]:
    """{source: file name inside the chapter}: Python flat, kernels behind their ladder if there are
    several.
    """
    ladders = {Path(s).parent for s in sources if not s.endswith(".py")}
    targets: dict[str, str] = {}
    for source in sources:
        path = Path(source)
        flat = path.suffix == ".py" or len(ladders) < 2
        target = path.name if flat else f"{path.parent.name}/{path.name}"
        clash = next((s for s, t in targets.items() if t == target), None)
        if clash:
            raise CatalogError(f"{clash} and {source} would both be cut to {name}/{target}")
        targets[source] = target
    return targets


def find_root(start: Path) -> Path | None:
    """The checkout that `start` lies in, or None."""
    for folder in (start, *start.parents):
        manifest = folder / "pyproject.toml"
        if not (folder / "chapters").is_dir() or not manifest.is_file():
            continue
        if "minigrad-course" in manifest.read_text(encoding="utf-8"):
            return folder
    return None
