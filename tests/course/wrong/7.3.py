# wrong: strictly earlier keys only; a token may look at itself
first = keys - queries
return asarray(np.arange(keys) < np.arange(first, keys)[:, None])
# wrong: the wrong way round; True says where a query may look, and it may not look at what comes later
first = keys - queries
return asarray(np.arange(keys) > np.arange(first, keys)[:, None])
# wrong: the triangle lies above the diagonal; a query looks back, at keys up to its own place
first = keys - queries
return asarray(np.arange(keys) >= np.arange(first, keys)[:, None])
# wrong: counted from the first of both; the last query stands at the last key
return asarray(np.arange(keys) <= np.arange(queries)[:, None])
# wrong: the first query was set to place 0 where there are more queries than keys; it stands before all keys
first = max(keys - queries, 0)
return asarray(np.arange(keys) <= np.arange(first, first + queries)[:, None])
# wrong: the difference is the other way round; the first query stands at place keys - queries
first = queries - keys
return asarray(np.arange(keys) <= np.arange(first, first + queries)[:, None])
# wrong: one key too many: a query sees the token that follows it
first = keys - queries
return asarray(np.arange(keys) <= np.arange(first, keys)[:, None] + 1)
# wrong: a query sees its own key alone; those before it, too
first = keys - queries
return asarray(np.arange(keys) == np.arange(first, keys)[:, None])
