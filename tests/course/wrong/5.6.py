# wrong: the gradients were never cleared, so each step also uses those of all steps before it
error = loss(model(x), y)
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
optimiser.step()
return float(error.item())
# wrong: the gradients were cleared after backward(), just before the step that needs them
error = loss(model(x), y)
error.backward()
optimiser.zero_grad()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
optimiser.step()
return float(error.item())
# wrong: the step came before backward(), so it used the gradients of the batch before
error = loss(model(x), y)
optimiser.step()
optimiser.zero_grad()
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
return float(error.item())
# wrong: the gradients were cleared at the end; what was there before the first step got into it
error = loss(model(x), y)
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
optimiser.step()
optimiser.zero_grad()
return float(error.item())
# wrong: clipped after the step, when it changes nothing any more
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
optimiser.step()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
return float(error.item())
# wrong: max_norm was not looked at; it shortens the gradients between backward and step
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
optimiser.step()
return float(error.item())
# wrong: clipped though nobody asked for it; without a max_norm the gradients stay as they are
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
clip_grad_norm_(params, max_norm or 1.0)
optimiser.step()
return float(error.item())
# wrong: a max_norm of 0 was taken for none; only None means that nothing is asked
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
if max_norm:
    clip_grad_norm_(params, max_norm)
optimiser.step()
return float(error.item())
# wrong: each parameter was clipped by itself; max_norm is for all of them together
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
if max_norm is not None:
    for p in params:
        clip_grad_norm_([p], max_norm)
optimiser.step()
return float(error.item())
# wrong: the loss was worked out again after the step; the one before the step is asked for
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
optimiser.step()
return float(loss(model(x), y).item())
# wrong: there was no step: the loss comes back, and the parameters stay where they are
error = loss(model(x), y)
optimiser.zero_grad()
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
return float(error.item())
# wrong: the loss that was given was not used; cross_entropy is only what it is by default
error = cross_entropy(model(x), y)
optimiser.zero_grad()
error.backward()
if max_norm is not None:
    clip_grad_norm_(params, max_norm)
optimiser.step()
return float(error.item())
