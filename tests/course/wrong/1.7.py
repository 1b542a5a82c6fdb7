# wrong: the gradients were never zeroed, so each step also uses those of all steps before it
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0)) / len(losses)
loss.backward()
optimiser.step()
return loss.data
# wrong: the gradients were zeroed after backward(), just before the step that needs them
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0)) / len(losses)
loss.backward()
optimiser.zero_grad()
optimiser.step()
return loss.data
# wrong: the step came before backward(), so it used the gradients of the batch before
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0)) / len(losses)
optimiser.step()
optimiser.zero_grad()
loss.backward()
return loss.data
# wrong: the losses were added up, not averaged; a larger batch then takes larger steps
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0))
optimiser.zero_grad()
loss.backward()
optimiser.step()
return loss.data
# wrong: one step for each row; a batch takes a single step on its mean loss
total = 0.0
for row, label in zip(rows, labels, strict=True):
    loss = cross_entropy(model(row), label)
    total += loss.data
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
return total / len(rows)
# wrong: the loss was worked out again after the step; the one before the step is asked for
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0)) / len(losses)
optimiser.zero_grad()
loss.backward()
optimiser.step()
after = [cross_entropy(model(row), label).data for row, label in zip(rows, labels, strict=True)]
return sum(after) / len(after)
# wrong: there was no step: the loss comes back, and the parameters stay where they are
losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
loss = sum(losses, Value(0.0)) / len(losses)
optimiser.zero_grad()
loss.backward()
return loss.data
