"""Networks: modules that know their parameters, layers, losses, and how weights start."""

from minigrad.nn import init as init
from minigrad.nn.activations import GELU as GELU
from minigrad.nn.activations import LogSoftmax as LogSoftmax
from minigrad.nn.activations import ReLU as ReLU
from minigrad.nn.activations import Sigmoid as Sigmoid
from minigrad.nn.activations import SiLU as SiLU
from minigrad.nn.activations import Softmax as Softmax
from minigrad.nn.activations import Softplus as Softplus
from minigrad.nn.activations import Tanh as Tanh
from minigrad.nn.containers import ModuleList as ModuleList
from minigrad.nn.containers import Sequential as Sequential
from minigrad.nn.dropout import Dropout as Dropout
from minigrad.nn.linear import Linear as Linear
from minigrad.nn.losses import BCEWithLogitsLoss as BCEWithLogitsLoss
from minigrad.nn.losses import CrossEntropyLoss as CrossEntropyLoss
from minigrad.nn.losses import MSELoss as MSELoss
from minigrad.nn.module import Module as Module
from minigrad.nn.parameter import Parameter as Parameter
from minigrad.nn.shaping import Flatten as Flatten
from minigrad.nn.shaping import Identity as Identity
