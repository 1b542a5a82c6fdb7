# wrong: the short last batch was always left out; that is for drop_last to say
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for start in range(0, count - size + 1, size):
    yield order[start : start + size]
# wrong: drop_last was not looked at; it leaves out a last batch that is short
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for start in range(0, count, size):
    yield order[start : start + size]
# wrong: nothing was shuffled; where self.shuffle says so the order is randperm's
order = arange(count)
for start in range(0, count, size):
    batch = order[start : start + size]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: always shuffled; without self.shuffle the items come in their order
order = randperm(count, generator=generator)
for start in range(0, count, size):
    batch = order[start : start + size]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: every batch was drawn anew from all items; in one epoch each item comes once
for start in range(0, count, size):
    order = randperm(count, generator=generator) if self.shuffle else arange(count)
    batch = order[: min(size, count - start)]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: the batches overlap: one starts where the one before it ends
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for start in range(count):
    batch = order[start : start + size]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: dealt out like cards, to one batch after the other; a batch is a run of neighbours in the order
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for start in range(len(self)):
    batch = order[start :: len(self)]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: where the batches come out even there is no rest, and no empty batch for it
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for number in range(count // size + 1):
    batch = order[number * size : (number + 1) * size]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: drawn without the generator: the same order in every epoch, or one that no seed can bring back
order = randperm(count, generator=Generator(self.seed)) if self.shuffle else arange(count)
for start in range(0, count, size):
    batch = order[start : start + size]
    if len(batch) == size or not self.drop_last:
        yield batch
# wrong: the last batch was filled up with items of before; it may be short, and each item comes once
order = randperm(count, generator=generator) if self.shuffle else arange(count)
for start in range(0, count, size):
    if start + size <= count or not self.drop_last:
        yield order[min(start, max(count - size, 0)) : start + size]
