# wrong: the velocity became a mean of the gradients; it takes up the whole gradient, unless that is dampened
v = g.copy() if v is None else momentum * v + (1.0 - momentum) * (1.0 - dampening) * g
return (g + momentum * v if nesterov else v), v
# wrong: the first velocity was dampened; the first gradient is taken as it is
v = (1.0 - dampening) * g if v is None else momentum * v + (1.0 - dampening) * g
return (g + momentum * v if nesterov else v), v
# wrong: the last gradient was remembered instead of the velocity
way = g if v is None else momentum * v + (1.0 - dampening) * g
return (g + momentum * way if nesterov else way), g.copy()
# wrong: the way is the bare gradient; the velocity was brought up to date and then not used
v = g.copy() if v is None else momentum * v + (1.0 - dampening) * g
return (g + momentum * v if nesterov else g), v
# wrong: nesterov adds a share of the new velocity to the gradient, not all of it
v = g.copy() if v is None else momentum * v + (1.0 - dampening) * g
return (g + v if nesterov else v), v
# wrong: this is plain momentum, with nesterov, too; its way is g and a share momentum of the new velocity
v = g.copy() if v is None else momentum * v + (1.0 - dampening) * g
return v, v
# wrong: the first velocity is the gradient itself, in the same memory; clearing the gradient would stop the ball
v = g if v is None else momentum * v + (1.0 - dampening) * g
return (g + momentum * v if nesterov else v), v
# wrong: dampening was taken off the velocity; it holds back a share of the new gradient
v = g.copy() if v is None else (1.0 - dampening) * momentum * v + g
return (g + momentum * v if nesterov else v), v
# wrong: dampening was left out; a share of the new gradient is held back
v = g.copy() if v is None else momentum * v + g
return (g + momentum * v if nesterov else v), v
# wrong: the gradient was changed in place; it belongs to the parameter
first = g.copy()
if v is not None:
    g *= 1.0 - dampening
    g += momentum * v
return (first + momentum * g if nesterov else g.copy()), g.copy()
