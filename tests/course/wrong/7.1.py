# wrong: of several gradients for one row only the last was kept; they add up
out = array_of(table)[indices]
def vjp(g: Any, out: Any) -> Any:
    rows = asarray(np.zeros(shape), g.dtype)
    array_of(rows).numpy()[indices.numpy()] = array_of(g).numpy()
    return rows, None
return out, vjp
# wrong: a row that was read several times receives the mean of its gradients; they add up
out = array_of(table)[indices]
def vjp(g: Any, out: Any) -> Any:
    times = np.bincount(indices.numpy().reshape(-1), minlength=shape[0])[:, None]
    return placed(g, (indices,), shape) / asarray(np.maximum(times, 1), g.dtype), None
return out, vjp
# wrong: the gradient was added to the table itself; it starts from zeros, and a row nobody read gets 0
out = array_of(table)[indices]
return out, lambda g, out: (table + placed(g, (indices,), shape), None)
# wrong: every row received the gradients of all places; each place has read one row alone
out = array_of(table)[indices]
def vjp(g: Any, out: Any) -> Any:
    axes = tuple(range(indices.ndim))
    return (sum(g, axes) if axes else g).expand(shape), None
return out, vjp
# wrong: this counts the rows from 1; index 0 is the first row
out = array_of(table)[indices - 1]
return out, lambda g, out: (placed(g, (indices - 1,), shape), None)
# wrong: the gradient ends here, as if a table could not learn; it goes back to the rows that were read
out = array_of(table)[indices]
return out, lambda g, out: (asarray(np.zeros(shape), g.dtype), None)
