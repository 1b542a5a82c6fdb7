# wrong: the correction is missing: both means start at zero, and the first steps come out too long
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (sqrt(v) + eps)
# wrong: the corrected means were remembered; what is kept are the plain ones, or they are corrected again and again
m = (beta1 * m + (1.0 - beta1) * g) / (1.0 - beta1**t)
v = (beta2 * v + (1.0 - beta2) * square(g)) / (1.0 - beta2**t)
return m, v, m / (sqrt(v) + eps)
# wrong: the correction has no t in it; it belongs to the first step only, and fades: 1 - beta ** t
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1) / (sqrt(v / (1.0 - beta2)) + eps)
# wrong: t was taken for the number of steps before this one; at the first gradient it is 1
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1 ** (t + 1)) / (sqrt(v / (1.0 - beta2 ** (t + 1))) + eps)
# wrong: only the mean of the gradients was corrected; that of their squares starts at zero, too
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1**t) / (sqrt(v) + eps)
# wrong: eps went under the root; it is added to the root
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1**t) / sqrt(v / (1.0 - beta2**t) + eps)
# wrong: the root is missing: v has the size of a square, and the move should not depend on the size of g
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1**t) / (v / (1.0 - beta2**t) + eps)
# wrong: the two betas were exchanged; the first belongs to the mean of the gradients
m = beta2 * m + (1.0 - beta2) * g
v = beta1 * v + (1.0 - beta1) * square(g)
return m, v, m / (1.0 - beta2**t) / (sqrt(v / (1.0 - beta1**t)) + eps)
# wrong: the gradient was taken up whole; a mean that keeps beta of itself takes up 1 - beta of what is new
m = beta1 * m + g
v = beta2 * v + square(g)
return m, v, m / (1.0 - beta1**t) / (sqrt(v / (1.0 - beta2**t)) + eps)
# wrong: beta is the share that a mean keeps of itself, not the share of the new gradient
m = (1.0 - beta1) * m + beta1 * g
v = (1.0 - beta2) * v + beta2 * square(g)
return m, v, m / (1.0 - beta1**t) / (sqrt(v / (1.0 - beta2**t)) + eps)
# wrong: the move is the bare gradient over the root; the mean of the gradients stands above it
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, g / (sqrt(v / (1.0 - beta2**t)) + eps)
# wrong: eps is missing; where all gradients were zero, zero is divided by zero
m = beta1 * m + (1.0 - beta1) * g
v = beta2 * v + (1.0 - beta2) * square(g)
return m, v, m / (1.0 - beta1**t) / sqrt(v / (1.0 - beta2**t))
