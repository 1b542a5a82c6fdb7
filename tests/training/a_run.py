"""A training run that can be killed: `python a_run.py FILE` starts it, or goes on where FILE was
saved. It says each step that it has made, and ends with FILE saved after the last.

All that a run has to remember is in it: momenta, a rate that changes, batches in a new order in
each epoch, dropout with a generator of its own, and noise from that of manual_seed.
"""

import sys
from pathlib import Path

import minigrad as mg
from minigrad import checkpoint, nn, optim
from minigrad.data import DataLoader, TensorDataset
from minigrad.optim.schedule import CosineAnnealingLR, LinearLR, SequentialLR
from minigrad.training import fit

STEPS, EVERY = 200, 2


class Noisy(nn.Module):
    """Two layers, dropout and noise between."""

    def __init__(self, generator, dtype=mg.float32):
        super().__init__()
        self.into = nn.Linear(5, 7, generator=generator, dtype=dtype)
        self.drop = nn.Dropout(0.25, generator=mg.Generator(5))
        self.out = nn.Linear(7, 3, generator=generator, dtype=dtype)

    def forward(self, x):
        hidden = self.drop(mg.tanh(self.into(x)))
        noise = mg.randn(*hidden.shape, dtype=x.dtype) if self.training else 0.0
        return self.out(hidden + 0.1 * noise)


def parts(dtype=mg.float32):
    """Model, optimiser, schedule and batches, as at the start of the run."""
    mg.manual_seed(11)
    source = mg.Generator(3)
    model = Noisy(source, dtype)
    optimiser = optim.AdamW(model.parameters(), lr=0.02)
    rates = [LinearLR(optimiser, 0.1, total_iters=40), CosineAnnealingLR(optimiser, STEPS - 40)]
    schedule = SequentialLR(optimiser, rates, [40])
    x = mg.randn(37, 5, generator=source, dtype=dtype)
    y = mg.randint(0, 3, (37,), generator=source)
    return model, optimiser, schedule, DataLoader(TensorDataset(x, y), 4, shuffle=True, seed=2)


def main(path: Path) -> None:
    model, optimiser, schedule, batches = parts()
    start = checkpoint.load(path, model, optimiser, schedule).step if path.exists() else 0
    fit(
        model, optimiser, batches, steps=STEPS, schedule=schedule, max_norm=1.0, start=start,
        callback=lambda record: print(record.step, flush=True), save_every=EVERY,
        save=lambda step: checkpoint.save(path, model, optimiser, schedule, step=step),
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
