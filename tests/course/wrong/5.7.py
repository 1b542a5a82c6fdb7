# wrong: the decay went into the gradient, where Adam divides it by the gradients' size; it belongs to the weights
p -= lr * direction(p, g + decay * p, state, betas, eps)
# wrong: the share that is lost is lr * decay; without the lr a smaller step would decay as much
p *= 1.0 - decay
p -= lr * direction(p, g, state, betas, eps)
# wrong: the weights decayed after the step, so that the step decayed, too; first the share, then the step
p -= lr * direction(p, g, state, betas, eps)
p *= 1.0 - lr * decay
# wrong: the same amount was taken off all weights; each loses a share of itself
p -= lr * decay
p -= lr * direction(p, g, state, betas, eps)
# wrong: the weights grew by their share; a decay makes them smaller
p *= 1.0 + lr * decay
p -= lr * direction(p, g, state, betas, eps)
# wrong: a new tensor was made, and thrown away; the parameter itself must change, by *= and -=
p = p * (1.0 - lr * decay)
p = p - lr * direction(p, g, state, betas, eps)
# wrong: the step lost its share instead of the weights
p -= lr * (1.0 - lr * decay) * direction(p, g, state, betas, eps)
# wrong: decay was the share that is kept; the share that is kept is 1 - lr * decay
p *= lr * decay
p -= lr * direction(p, g, state, betas, eps)
# wrong: the lr was forgotten in the step along Adam's direction
p *= 1.0 - lr * decay
p -= direction(p, g, state, betas, eps)
# wrong: there is no decay; before the step each weight loses lr * decay of itself
p -= lr * direction(p, g, state, betas, eps)
