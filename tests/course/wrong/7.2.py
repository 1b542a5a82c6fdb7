# wrong: the scale was forgotten; the scores are q @ k.mT * scale
scores = matmul(q, matrix_transpose(k))
scores = scores if added is None else scores + added
weights = masked_softmax(scores, allowed)
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: divided by the scale; it is 1 / sqrt(D) already, and the scores are multiplied by it
scores = matmul(q, matrix_transpose(k)) / (scale or 1.0)
scores = scores if added is None else scores + added
weights = masked_softmax(scores, allowed)
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: queries and keys were both scaled, so that the scores are divided by D; its root is meant
scores = matmul(q * scale, matrix_transpose(k * scale))
scores = scores if added is None else scores + added
weights = masked_softmax(scores, allowed)
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: softmax ran over the queries; the weights of one query, over all keys, add up to 1
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
turned_round = matrix_transpose(allowed) if allowed.ndim > 1 else allowed
weights = matrix_transpose(masked_softmax(matrix_transpose(scores), turned_round))
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: the mask of floats was added to the weights; it is added to the scores, before softmax
weights = masked_softmax(matmul(q * scale, matrix_transpose(k)), allowed)
weights = weights if added is None else weights + added
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: the mask is the wrong way round; True says where a query may look
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
weights = masked_softmax(scores, asarray(~allowed.numpy()) if allowed.ndim else allowed)
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: what is hidden got a score of 0, which softmax turns into a weight above 0; masked_softmax gives 0
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
weights = masked_softmax(where(allowed, scores, 0.0), asarray(True))
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: hidden keys were taken out after softmax, so that the weights of the others no longer add up to 1
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
weights = where(allowed, masked_softmax(scores, asarray(True)), 0.0)
weights = dropped(weights, dropout, generator) if dropout else weights
return matmul(weights, v)
# wrong: nothing was dropped; dropout is the share of the weights that are
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
return matmul(masked_softmax(scores, allowed), v)
# wrong: the result was dropped out; it is the weights that are, before they mix the values
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
out = matmul(masked_softmax(scores, allowed), v)
return dropped(out, dropout, generator) if dropout else out
# wrong: the scores were dropped out; a score of 0 still makes a weight, so drop the weights, after softmax
scores = matmul(q * scale, matrix_transpose(k))
scores = scores if added is None else scores + added
scores = dropped(scores, dropout, generator) if dropout else scores
return matmul(masked_softmax(scores, allowed), v)
