"""Every case there is of a function, a method or an operator on tensors."""

import case_images
import case_pairs
import case_reduce
import case_shape
import case_transformer
import case_unary

PARTS = (case_unary, case_pairs, case_reduce, case_shape, case_images, case_transformer)
CASES = [c for part in PARTS for c in part.cases()]
