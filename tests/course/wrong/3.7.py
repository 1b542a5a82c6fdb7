# wrong: y and x are used as they are; going back, a matrix is turned over (its transpose)
out = kernel("matmul", x, y, shape=shape)
return out, lambda g, out: (matmul(g, y), matmul(x, g))
# wrong: both products are the wrong way round; g stands where the result stood, so y is on its right and x on its left
out = kernel("matmul", x, y, shape=shape)
return out, lambda g, out: (matmul(matrix_transpose(y), g), matmul(g, matrix_transpose(x)))
# wrong: each factor is given the other one's gradient
out = kernel("matmul", x, y, shape=shape)
return out, lambda g, out: (matmul(matrix_transpose(x), g), matmul(g, matrix_transpose(y)))
# wrong: a factor's slope is the other factor only where numbers are multiplied one by one; here every entry of a row meets a whole column
out = kernel("matmul", x, y, shape=shape)
return out, lambda g, out: (g * y, g * x)
# wrong: the factors were exchanged; y @ x is not x @ y
out = kernel("matmul", y, x, shape=shape)
return out, lambda g, out: (matmul(g, matrix_transpose(y)), matmul(matrix_transpose(x), g))
