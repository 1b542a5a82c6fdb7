# wrong: multiplied by the temperature; dividing makes a low one choose the likely, a high one level them
logits = logits * temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: top_k came after top_p; it comes first, and top_p looks at the shares of those that are left
p = softmax(logits / temperature)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
if top_k is not None:
    p = masked_fill(p, p < topk(p, top_k)[0][..., -1:], 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: top_p left out the token that crosses the limit; together those that stay must have this share
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    least = where(cumsum(falling, -1) <= top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < where(least < math.inf, least, falling[..., :1]), 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: top_p left out the token that crosses the limit, and if that is the likeliest, all of them; it may come, too
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    least = where(cumsum(falling, -1) <= top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: the shares were added up as the tokens stand; the likeliest comes first
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    p = masked_fill(p, cumsum(p, -1) - p >= top_p, 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: each token was compared with top_p by itself; it is the share of the likeliest together
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    top = p.max(-1, keepdims=True)
    p = masked_fill(p, p < where(top < top_p, top, top_p), 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: what is left was not brought back to 1; a row of probabilities adds up to 1
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
return p
# wrong: a logit of 0 still has a chance; what may not come has a logit of -inf
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, logits < least, 0.0)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: a token as likely as the last one that may come was left out; it may come, too
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:]
    logits = masked_fill(logits, (logits <= least) & (logits < topk(logits, 1)[0]), -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
    p = masked_fill(p, p < least, 0.0)
return p / p.sum(-1, keepdims=True)
# wrong: one limit for the whole batch; each row has its own
logits = logits / temperature
if top_k is not None:
    least = topk(logits, top_k)[0][..., -1:].min()
    logits = masked_fill(logits, logits < least, -math.inf)
p = softmax(logits)
if top_p is not None:
    falling = topk(p, p.shape[-1])[0]
    before = cumsum(falling, -1) - falling
    least = where(before < top_p, falling, math.inf).min()
    p = masked_fill(p, p < least, 0.0)
return p / p.sum(-1, keepdims=True)
