"""The milestone of chapter 07: a small GPT writes what looks like Python.

It reads the modules of Python's standard library, character by character. One file in ten is held
out: the model never learns from it. How it does there is looked at now and then and chooses
nothing: the training runs for a fixed number of steps, and what it ends with is what counts. Sizes
and rates were chosen on files taken out of those to learn from.
"""

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from minigrad.course import training_run
from minigrad.course.checkpoints import Checkpoints
from minigrad.course.pictures_gpt import Habit, attention, curves, habits
from minigrad.course.pictures_training import UNSEEN
from minigrad.course.pictures_transformer import counted
from minigrad.course.result import Result

USES = "minigrad.nn.transformer"
STEPS = 4000
NOTEBOOK_STEPS = 250  # less than a minute on one core: what a notebook has the patience for
SCORES = 8  # over the whole run, and at least so many steps apart:
APART = 100
TEMPERATURES = (0.5, 0.8, 1.1)
PROMPT = "def "
LINE = "self.name = self.get(name)"  # that the picture of attention is of


@dataclass(frozen=True)
class Plan:
    """What is built, and how it learns.

    windows  of the unseen files, side by side or with gaps, that scores are made on
    length   of a sample in characters; one on the way has a quarter of it
    """

    context: int = 64
    layers: int = 3
    heads: int = 4
    width: int = 96
    positions: str = "rotary"
    batch: int = 32
    rate: float = 6e-3
    decay: float = 0.1
    max_norm: float = 1.0
    windows: int = 1024
    length: int = 240


@dataclass(frozen=True)
class Writer:
    """A GPT that was trained, in evaluation mode, and the characters that its tokens stand for."""

    model: Any
    letters: Any
    result: Result

    def write(
        self, prompt: str = PROMPT, count: int = 240, temperature: float = 0.8, seed: int = 0
    ) -> str:
        """The prompt, and `count` characters that follow it by the model and by chance.

        Raises ValueError for an empty prompt, and for characters that it has never seen.
        """
        return written(self.model, self.letters, prompt, count, temperature, seed)


def train(
    seed: int = 0,
    console: Console | None = None,
    *,
    folder: Path | None = None,
    resume: bool = False,
    device: str = "numpy",
    epochs: int | None = None,
    steps: int | None = None,
) -> Result:
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has. See learn."""
    settings: dict[str, Any] = {"device": device, "epochs": epochs, "steps": steps}
    return learn(seed, console, folder=folder, resume=resume, **settings).result


def learn(
    seed: int = 0,
    console: Console | None = None,
    *,
    folder: Path | None = None,
    resume: bool = False,
    device: str = "numpy",
    epochs: int | None = None,
    steps: int | None = None,
    plan: Plan = Plan(),
    texts: tuple[str, str] | None = None,
) -> Writer:
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has.

    folder: where checkpoints go; resume: go on from the one there. texts: to learn from, and unseen
    ones; Python's library if None. Raises CheckpointError.
    """
    # Imported at each call: in a notebook the modules are renewed when the learner saves.
    api, data, models, optim, training = (
        import_module(f"minigrad.{name}") for name in ("api", "data", "models", "optim", "training")
    )
    # A notebook's output claims to be a terminal, and would show every stage of the bar.
    console = console or Console(
        force_terminal=False, force_jupyter=False, highlight=False, soft_wrap=True
    )
    seen, unseen = texts or data.python_sources()
    # What characters there are is no secret of the unseen files; which one comes next is.
    letters = data.Vocabulary(seen + unseen)
    tokens, others = (letters.encode(text).to(device) for text in (seen, unseen))
    batches = data.TextBatches(data.TextDataset(tokens, plan.context), plan.batch, seed)
    windows = spread(data.TextDataset(others, plan.context, stride=plan.context), plan)
    config = models.GPTConfig(
        len(letters), plan.context, plan.layers, plan.heads, plan.width, positions=plan.positions
    )
    model = models.GPT(config, generator=api.Generator(seed)).to(device)
    optimiser = optim.AdamW(model.parameters(), lr=plan.rate, weight_decay=plan.decay)
    if epochs is None and steps is None:
        steps = STEPS
    total = training.planned(epochs, steps, len(batches))
    count = sum(p.size for p in model.parameters())
    console.print(
        f"text   {len(seen):,} characters to learn from, {len(unseen):,} unseen, "
        f"{len(letters)} different ones"
    )
    console.print(
        f"model  {plan.layers} blocks of {plan.heads} heads, width {plan.width}, "
        f"{count:,} parameters; AdamW, {total} steps of {plan.batch} x {plan.context} characters"
    )
    text = f"{len(seen)} characters, {zlib.crc32(seen.encode()):08x}"  # other Pythons, other texts
    settings = {"device": device, "text": text, **asdict(plan)}
    checkpoints = Checkpoints(folder, "gpt", seed, total, settings, console)

    def glimpse() -> str:
        text = written(model, letters, PROMPT, plan.length // 4, 0.8, seed)
        console.print(f"  writes  {' '.join(text.split())}", markup=False)
        return text

    every = min(total, max(APART, total // SCORES))
    log = training_run.run(
        checkpoints,
        model,
        optimiser,
        batches,
        resume=resume,
        score_on={UNSEEN: windows},
        score_every=every,
        save_every=every,
        max_norm=plan.max_norm,
        note=glimpse,
    )
    model.eval()
    simpler = known(tokens.numpy(), others.numpy(), len(letters))
    figures = {
        "device": device,
        **scored(model, windows),
        "counting": simpler,
        "loss": log.losses[-1] if log.losses else None,
        "steps": len(log.losses),
        "planned_steps": total,
        "epochs": len(log.losses) / len(batches),
        "parameters": count,
        "samples": [
            {"temperature": t, "text": written(model, letters, PROMPT, plan.length, t, seed)}
            for t in TEMPERATURES
        ],
        "on_the_way": [
            {"step": s.step, "loss": s.loss[UNSEEN], "text": s.note} for s in log.scores
        ],
        "seconds": log.seconds,
    }
    found, maps = looked_at(model, letters, windows)
    figures["habits"] = [asdict(habit) for habit in found]
    tell(console, figures, plan)
    title = (
        f"{figures['validation_loss']:.2f} nats a character on unseen files after "
        f"{figures['steps']} steps"
    )
    pictures = {
        "loss.png": curves(log, simpler, title),
        "attention.png": attention(LINE, maps, found),
    }
    result = Result(figures, pictures, log.stopped, checkpoints.path, checkpoints.saved)
    return Writer(model, letters, result)


def tell(console: Console, figures: Mapping[str, Any], plan: Plan) -> None:
    """The loss, beside that of those who know less, and what was written."""
    simpler = ", ".join(f"{name} {nats:.2f}" for name, nats in figures["counting"].items())
    loss, error = figures["validation_loss"], figures["standard_error"]
    console.print(
        f"unseen {loss:.3f} nats a character, give or take {error:.3f} ({figures['windows']:,} "
        f"windows of {plan.context}); {simpler}"
    )
    for sample in figures["samples"]:
        console.print(f"\nat temperature {sample['temperature']}", style="bold")
        console.print(sample["text"], markup=False)
    console.print()


def spread(dataset: Any, plan: Plan) -> list[Any]:
    """Batches of as many of the windows as are wanted, evenly over all."""
    api = import_module("minigrad.api")
    count = min(plan.windows, len(dataset))
    chosen = np.arange(count) * len(dataset) // count
    parts = (chosen[first : first + plan.batch] for first in range(0, count, plan.batch))
    return [dataset.batch(api.asarray(part)) for part in parts]


def scored(model: Any, windows: list[Any]) -> dict[str, Any]:
    """The mean loss over all windows, and its standard error, by how much they differ."""
    api = import_module("minigrad.api")
    with api.no_grad():
        parts = [
            api.cross_entropy(model(x), y, reduction="none").mean(-1).numpy() for x, y in windows
        ]
    losses = np.concatenate(parts).astype(np.float64)
    error = float(losses.std() / np.sqrt(len(losses)))
    return {
        "validation_loss": float(losses.mean()),
        "standard_error": error,
        "windows": len(losses),
    }


def looked_at(model: Any, letters: Any, windows: list[Any]) -> tuple[list[Habit], list[Any]]:
    """The habits of heads on a few windows, and each layer's maps (heads, T, T) of LINE."""
    api, gpt = import_module("minigrad.api"), import_module("minigrad.models.gpt")
    tokens = api.cat([x[:1] for x, _ in windows])
    line = letters.encode(LINE).reshape(1, -1).to(tokens.device)
    many, maps = (
        [each.numpy() for each in gpt.attention_maps(model, given)] for given in (tokens, line)
    )
    found = habits(many, np.array(list(letters.characters))[tokens.numpy()])
    return found, [each[0] for each in maps]


def written(
    model: Any, letters: Any, prompt: str, count: int, temperature: float, seed: int
) -> str:
    """See Writer.write."""
    api, models = import_module("minigrad.api"), import_module("minigrad.models")
    start = letters.encode(prompt).reshape(1, -1).to(model.tokens.weight.device)
    chance = api.Generator(seed)
    (tokens,) = models.generate(model, start, count, temperature, generator=chance)
    return str(letters.decode(tokens))


def known(seen: NDArray[np.int64], unseen: NDArray[np.int64], kinds: int) -> dict[str, float]:
    """What one comes to on the unseen text, in nats a character, who counts runs of one to four
    characters in the seen one, or only guesses.
    """
    backs = {"counting fours": 3, "counting pairs": 1, "counting characters": 0}
    counting = {name: counted(seen, unseen, n, kinds) for name, n in backs.items()}
    return {**counting, "guessing": float(np.log(kinds))}
