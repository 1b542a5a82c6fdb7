"""The public API: every name that a user may rely on, in one table.

`minigrad.NAME` is looked up by it, docs/api.md is made from it (`make cut`), and tests/conformance
has a case for each row on every device. Who adds a name adds its row here, or a test fails.

A row is: name, kinds, gradient, and the operator that does the same.

    kinds     f  minigrad.NAME     m  x.NAME() of a tensor     a  x.NAME, an attribute
              o  only the operator that the name stands for
    gradient  d  differentiable    0  differentiable, and the gradient is 0 everywhere
              -  it has none
"""

from dataclasses import dataclass

TABLE = """
# Making tensors
tensor                f  -
asarray               f  -
from_dlpack           f  -
empty                 f  -
zeros                 f  -
ones                  f  -
full                  f  -
empty_like            f  -
zeros_like            f  -
ones_like             f  -
full_like             f  -
arange                f  -
linspace              f  -
eye                   f  -

# Chance: numbers of a generator, the same for the same seed
rand                  f  -
randn                 f  -
randint               f  -
randperm              f  -
bernoulli             f  -
manual_seed           f  -
Generator             f  -

# Types of numbers
DType                 f  -
float32               f  -
float64               f  -
int64                 f  -
bool_                 f  -

# A tensor, and what Python makes of it
Tensor                f  -
shape                 a  -
dtype                 a  -
device                a  -
ndim                  a  -
size                  a  -
nbytes                a  -
strides               a  -
is_contiguous         a  -
is_parameter          a  -
astype                fm d
to                    m  d
to_                   m  -
copy                  m  d
numpy                 m  -
item                  m  -
tolist                m  -
__len__               o  -  len(x)
__iter__              o  d  iter(x)
__bool__              o  -  bool(x)
__float__             o  -  float(x)
__int__               o  -  int(x)
__index__             o  -  range(x)
__hash__              o  -  hash(x)
__repr__              o  -  repr(x)
__array__             o  -  np.asarray(x)
__dlpack__            o  -  np.from_dlpack(x)
__reduce__            o  -  pickle.dumps(x)
__deepcopy__          o  -  copy.deepcopy(x)

# One tensor, element by element
neg                   fm d  -x
abs                   fm d  abs(x)
sign                  fm 0
exp                   fm d
expm1                 fm d
log                   fm d
log1p                 fm d
sqrt                  fm d
rsqrt                 fm d
reciprocal            fm d
square                fm d
sin                   fm d
cos                   fm d
tanh                  fm d
erf                   fm d
sigmoid               fm d
relu                  fm d
silu                  fm d
softplus              fm d
gelu                  fm d
floor                 fm 0
ceil                  fm 0
round                 fm 0
isnan                 fm -
isinf                 fm -
isfinite              fm -
logical_not           fm -  ~x
clip                  fm d
masked_fill           fm d

# Two and more, element by element
add                   f  d  x + y
sub                   f  d  x - y
mul                   f  d  x * y
div                   f  d  x / y
pow                   f  d  x ** y
maximum               f  d
minimum               f  d
equal                 f  -  x == y
not_equal             f  -  x != y
less                  f  -  x < y
less_equal            f  -  x <= y
greater               f  -  x > y
greater_equal         f  -  x >= y
logical_and           f  -  x & y
logical_or            f  -  x | y
logical_xor           f  -  x ^ y
where                 f  d

# Reductions, and what goes along an axis
sum                   fm d
mean                  fm d
max                   fm d
min                   fm d
prod                  fm d
var                   fm d
std                   fm d
any                   fm -
all                   fm -
argmax                fm -
argmin                fm -
logsumexp             fm d
softmax               fm d
log_softmax           fm d
cumsum                fm d
topk                  fm d

# Shapes
reshape               fm d
permute_dims          fm d
matrix_transpose      fm d
T                     a  d
mT                    a  d
expand                fm d
sum_to                fm d
squeeze               fm d
unsqueeze             fm d
flip                  fm d
roll                  fm d
tile                  fm d
pad                   fm d
cat                   f  d
stack                 f  d
split                 fm d

# Indices
__getitem__           o  d  x[index]
take                  fm d
gather                fm d
scatter_add           fm d
one_hot               f  -
tril                  fm d
triu                  fm d

# Products and losses
matmul                f  d  x @ y
mse                   f  d
cross_entropy         f  d
binary_cross_entropy_with_logits f d

# Layers of transformers, and draws
layer_norm            f  d
rms_norm              f  d
embedding             f  d
rotary                f  d
scaled_dot_product_attention f d
multinomial           f  -

# Layers of images: convolution, pooling, batch normalisation
conv2d                f  d
conv_transpose2d      f  d
max_pool2d            f  d
avg_pool2d            f  d
batch_norm            f  d

# In place: the memory changes, and every view of it with it
__setitem__           o  d  x[index] = y
__iadd__              o  d  x += y
__isub__              o  d  x -= y
__imul__              o  d  x *= y
__itruediv__          o  d  x /= y
__ipow__              o  d  x **= y
copy_                 m  d
add_                  m  d
mul_                  m  d
zero_                 m  d

# Gradients: what is recorded, and the way back
requires_grad         a  -
requires_grad_        m  -
is_leaf               a  -
backward              m  -
grad                  a  -
retain_grad           m  -
register_hook         m  -
detach                m  -
grad                  f  -
no_grad               f  -
enable_grad           f  -
is_grad_enabled       f  -
Function              f  d
"""

# What stands behind a dot of its own: minigrad.nn.Linear.
MODULES = (
    "api", "checkpoint", "data", "dtypes", "gradcheck", "kernels", "models", "nn", "optim",
    "random", "scalar", "training",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A public name: where it stands, whether it is differentiable, the operator of its own."""

    name: str
    group: str
    kinds: str
    gradient: str
    operator: str

    @property
    def key(self) -> str:
        """How it is written: minigrad.exp is "exp", an attribute or a mere method "x.grad"."""
        if self.kinds == "o":
            return self.operator
        return self.name if "f" in self.kinds else f"x.{self.name}"


def parsed(table: str) -> tuple[Row, ...]:
    """The rows of a table like the one above."""
    rows, group = [], ""
    for line in filter(None, table.splitlines()):
        if line.startswith("# "):
            group = line[2:]
            continue
        name, kinds, gradient, *operator = line.split(None, 3)
        rows.append(Row(name, group, kinds, gradient, "".join(operator)))
    return tuple(rows)


ROWS = parsed(TABLE)
# What minigrad itself has beside its modules.
NAMES = frozenset(row.name for row in ROWS if "f" in row.kinds)
