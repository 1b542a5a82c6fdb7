"""The milestone of chapter 07, on a model and texts so small that it takes a second."""

import io
import signal
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from rich.console import Console

import minigrad as mg
from minigrad import data, models
from minigrad.course import gpt
from minigrad.course.checkpoints import CheckpointError
from minigrad.course.gpt import Plan

SMALL = Plan(context=32, layers=1, heads=2, width=16, batch=8, rate=0.03, windows=20, length=20)
PARAMETERS = (4 * 16 * 16 + 4 * 16 + 8 * 16 * 16 + 5 * 16 + 4 * 16) + 2 * 16


@cache
def texts():
    seen, unseen = data.python_sources()
    return seen[:60_000], unseen[:9_000]


def quiet():
    return Console(file=io.StringIO(), width=100, soft_wrap=True)


def small(seed=0, console=None, *, steps=60, plan=SMALL, **settings):
    settings = {"texts": texts(), **settings}
    return gpt.learn(seed, console or quiet(), steps=steps, plan=plan, **settings)


def timeless(result):
    return {key: value for key, value in result.figures.items() if key != "seconds"}


def numbers(writer):
    return np.concatenate([p.numpy().ravel() for p in writer.model.parameters()])


def drawn(writer):
    return [picture._repr_png_() for picture in writer.result.pictures.values()]


@pytest.fixture(scope="module")
def trained():
    """Small, after 100 steps, and what was said meanwhile."""
    console = quiet()
    return small(console=console, steps=100), console.file.getvalue()


def test_a_few_steps_beat_counting_characters(trained):
    writer, _ = trained
    figures = writer.result.figures
    known = figures["counting"]
    assert known["counting pairs"] < known["counting characters"] < known["guessing"]
    assert figures["validation_loss"] < known["counting characters"] - 0.15
    first, *_, last = figures["on_the_way"]
    assert (first["step"], last["step"]) == (0, 100)
    assert first["loss"] == pytest.approx(known["guessing"], abs=0.3)
    assert last["loss"] == pytest.approx(figures["validation_loss"], rel=1e-6)
    assert (figures["steps"], figures["planned_steps"], figures["windows"]) == (100, 100, 20)
    assert figures["epochs"] == pytest.approx(100 / (60_000 // (8 * 32)))
    assert figures["parameters"] == PARAMETERS + 16 * len(writer.letters)
    assert not writer.result.stopped and not writer.model.training


def test_the_seed_fixes_everything():
    first, again, other = (small(seed, steps=12) for seed in (2, 2, 3))
    assert timeless(first.result) == timeless(again.result)
    assert np.array_equal(numbers(first), numbers(again))
    assert drawn(first) == drawn(again) != drawn(other)
    for key in ("loss", "validation_loss", "samples", "on_the_way"):
        assert first.result.figures[key] != other.result.figures[key]


def test_unseen_files_leave_no_trace_in_the_training():
    seen, unseen = texts()
    turned = "".join(unseen[k : k + 2][::-1] for k in range(0, len(unseen), 2))
    before, after = (small(steps=40, texts=(seen, text)) for text in (unseen, turned))
    figures = [writer.result.figures for writer in (before, after)]
    assert figures[0]["validation_loss"] < figures[1]["validation_loss"] - 0.05
    assert np.array_equal(numbers(before), numbers(after))


def test_what_it_writes(trained):
    writer, said = trained
    samples = writer.result.figures["samples"]
    assert [sample["temperature"] for sample in samples] == [0.5, 0.8, 1.1]
    for sample in samples:
        text = sample["text"]
        assert text.startswith("def ") and len(text) == 4 + 20
        assert set(text) <= set(writer.letters.characters)
        assert f"\nat temperature {sample['temperature']}\n{text}\n" in said
    assert len({sample["text"] for sample in samples}) == 3
    assert samples[1]["text"] == writer.write(count=20)
    assert samples[1]["text"].startswith(writer.result.figures["on_the_way"][-1]["text"])
    assert writer.write("x" * 99, 7, seed=5)[:99] == "x" * 99, "longer than the context"
    assert len(writer.write("x" * 99, 7)) == 106
    with pytest.raises(ValueError, match=r"^encode: 'é' at position 1 is none of the"):
        writer.write("dé")
    with pytest.raises(ValueError, match=r"^generate: give one token or more"):
        writer.write("")


def test_rare_characters_are_rarer_when_it_is_cold(trained):
    writer, _ = trained
    cold, warm = (
        np.mean([writer.write(count=60, temperature=t, seed=s).count(" ") for s in range(4)])
        for t in (0.1, 3.0)
    )
    assert cold > warm + 10, "a blank is the likeliest of all"


@pytest.mark.parametrize("positions", ["rotary", "learned"])
def test_a_cache_changes_no_character(positions):
    model = models.GPT(
        models.GPTConfig(50, 12, 2, 2, 8, positions=positions), generator=mg.Generator(4)
    )
    with mg.no_grad():
        for p in model.parameters():
            p.mul_(20.0)  # far from where all tokens are alike
    start = mg.randint(0, 50, (3, 5), generator=mg.Generator(1))
    plain, kept = (
        models.generate(model, start, 40, cache=cache, generator=mg.Generator(6)).numpy()
        for cache in (False, True)
    )
    assert plain.shape == (3, 45) and np.array_equal(plain, kept)
    assert len(np.unique(plain)) > 10


@pytest.mark.parametrize("positions", ["rotary", "learned"])
def test_maps_are_what_attention_mixes_by(positions):
    maps_of = import_module("minigrad.models.gpt").attention_maps
    config = models.GPTConfig(50, 12, 2, 2, 8, dropout=0.5, positions=positions)
    model = models.GPT(config, dtype=mg.float64, generator=mg.Generator(4))
    tokens = mg.randint(0, 50, (3, 11), generator=mg.Generator(1))
    maps = [m.numpy() for m in maps_of(model, tokens)]
    assert model.training, "as it was before"
    assert [m.shape for m in maps] == [(3, 2, 11, 11)] * 2
    for each in maps:
        np.testing.assert_allclose(each.sum(-1), 1.0, rtol=0, atol=1e-14)
        assert not np.triu(each, 1).any() and (each[..., 5, :6] > 0.0).all()
    model.eval()
    x = model.read(tokens)
    for each, block in zip(maps, model.blocks, strict=True):
        given = block.norm1(x)
        mix = mg.tensor(each) @ block.self_attn.heads(given, 2)
        out = block.self_attn.out_proj(mix.permute_dims(0, 2, 1, 3).reshape(3, 11, 8))
        want = block.self_attn(given, causal=True)
        np.testing.assert_allclose(out.detach().numpy(), want.detach().numpy(), atol=1e-15)
        x = block(x, causal=True)


def test_counting_by_hand():
    seen, unseen = np.array([0, 1, 1, 0, 1]), np.array([1, 1, 0, 1])
    known = gpt.known(seen, unseen, 3)
    # 0 came twice and 1 three times, of 5; each is counted 0.1 more often than it came.
    single = -np.log([3.1 / 5.3, 3.1 / 5.3, 2.1 / 5.3, 3.1 / 5.3]).mean()
    # After 1 came 1 and 0, once each; after 0 came 1, twice.
    pairs = -np.log([1.1 / 2.3, 1.1 / 2.3, 2.1 / 2.3]).mean()
    assert known["counting characters"] == pytest.approx(single)
    assert known["counting pairs"] == pytest.approx(pairs)
    assert known["guessing"] == pytest.approx(np.log(3))


def test_counting_four_at_a_time():
    text = np.tile([0, 1, 2, 0, 1, 3], 500)
    known = gpt.known(text, text, 4)
    assert known["counting fours"] < 0.01 < known["counting pairs"]
    assert known["counting pairs"] == pytest.approx(np.log(2) / 3, abs=0.01)


@pytest.mark.parametrize(("wanted", "starts"), [(4, [0, 6, 15, 21]), (99, range(0, 30, 3))])
def test_windows_are_spread_over_all_and_do_not_overlap(wanted, starts):
    dataset = data.TextDataset(mg.arange(31), 3, 3)
    batches = list(gpt.spread(dataset, Plan(batch=3, windows=wanted)))
    assert [len(x) for x, _ in batches[:-1]] == [3] * (len(batches) - 1)
    windows = [row for x, _ in batches for row in x.tolist()]
    assert windows == [[n, n + 1, n + 2] for n in starts]
    assert [row[0] for _, y in batches for row in y.tolist()] == [n + 1 for n in starts]


def test_the_loss_and_its_error_are_those_of_the_windows(trained):
    writer, _ = trained
    plan, figures = SMALL, writer.result.figures
    tokens = writer.letters.encode(texts()[1])
    windows = data.TextDataset(tokens, plan.context, plan.context)
    chosen = [k * len(windows) // plan.windows for k in range(plan.windows)]
    with mg.no_grad():
        losses = [
            mg.cross_entropy(writer.model(x.reshape(1, -1)), y.reshape(1, -1)).item()
            for x, y in (windows[k] for k in chosen)
        ]
    assert figures["validation_loss"] == pytest.approx(np.mean(losses), rel=1e-5)
    error = np.std(losses) / np.sqrt(plan.windows)
    assert figures["standard_error"] == pytest.approx(error, rel=1e-4)


def pressed_at(monkeypatch, step):
    """Ctrl-C after so many steps of the next run."""
    training = import_module("minigrad.training")
    made, plain = [], training.train_step

    def pressed(*arguments):
        made.append(plain(*arguments))
        if len(made) == step:
            signal.raise_signal(signal.SIGINT)
        return made[-1]

    monkeypatch.setattr(training, "train_step", pressed)


def test_stopped_and_resumed_it_ends_as_the_unbroken_run(tmp_path, monkeypatch):
    monkeypatch.setattr(gpt, "APART", 5)
    unbroken = small(steps=23)
    with monkeypatch.context() as patch:
        pressed_at(patch, 12)
        stopped = small(steps=23, folder=tmp_path)
    assert stopped.result.stopped and stopped.result.figures["steps"] == stopped.result.kept == 12
    assert [s["step"] for s in stopped.result.figures["on_the_way"]] == [0, 5, 10, 12]
    resumed = small(steps=23, folder=tmp_path, resume=True)
    assert [s["step"] for s in resumed.result.figures["on_the_way"]] == [0, 5, 10, 15, 20, 23]
    assert np.array_equal(numbers(resumed), numbers(unbroken))
    console = quiet()
    finished = small(console=console, steps=23, folder=tmp_path, resume=True)
    assert "this run is finished, all 23 steps of it" in console.file.getvalue()
    pictures = drawn(unbroken)
    for each in (resumed, finished):
        assert timeless(each.result) == timeless(unbroken.result)
        assert drawn(each) == pictures


def test_another_text_is_another_run(tmp_path):
    small(steps=2, folder=tmp_path)
    seen, unseen = texts()
    with pytest.raises(CheckpointError, match=r"is of another run: text 60000 characters, "):
        small(steps=2, folder=tmp_path, resume=True, texts=(seen[1:] + "#", unseen))


def test_one_step_is_enough(tmp_path):
    result = small(steps=1).result
    assert result.figures["steps"] == 1
    assert [file.name for file in result.save(tmp_path)] == ["loss.png", "attention.png"]


def test_it_says_what_it_does_in_plain_lines(trained):
    writer, said = trained
    figures, lines = writer.result.figures, said.split("\n")
    kinds = len(set("".join(texts())))
    assert (
        lines[0] == f"text   60,000 characters to learn from, 9,000 unseen, {kinds} different ones"
    )
    assert lines[1] == (
        f"model  1 blocks of 2 heads, width 16, {figures['parameters']:,} parameters; AdamW, "
        "100 steps of 8 x 32 characters"
    )
    steps = [line for line in lines if line.startswith("  step")]
    assert len(steps) == 8 and steps[-1].startswith("  step   100  epoch   0.4  loss ")
    found = next(line for line in lines if line.startswith("unseen "))
    loss, error = figures["validation_loss"], figures["standard_error"]
    assert f"{loss:.3f} nats a character, give or take {error:.3f} (20 windows of 32)" in found
    assert (
        "; counting fours " in found
        and "counting pairs 3." in found
        and f"guessing {np.log(kinds):.2f}" in found
    )
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("", ""), r"^Vocabulary: the text is empty"),
        (("", "def f(): pass\n" * 9), r"^TextDataset: the text is empty"),
        (("def f(): pass\n" * 9, "def"), r"^TextDataset: a context of 32 needs 33 tokens or more"),
    ],
)
def test_texts_that_are_too_short(given, said):
    with pytest.raises(ValueError, match=said):
        small(texts=given)


def test_the_plan_of_the_milestone_can_be_built():
    plan = Plan()
    assert plan.width % plan.heads == 0 and gpt.NOTEBOOK_STEPS < gpt.STEPS // 4
    assert len(gpt.LINE) <= plan.context
