"""Every case there is of a function, a method or an operator on tensors."""

import case_pairs
import case_reduce
import case_shape
import case_unary

CASES = [c for part in (case_unary, case_pairs, case_reduce, case_shape) for c in part.cases()]
