"""Networks: modules that know their parameters, layers, losses, and how weights start."""

from minigrad.nn import init as init
from minigrad.nn.activations import ReLU as ReLU
from minigrad.nn.containers import ModuleList as ModuleList
from minigrad.nn.containers import Sequential as Sequential
from minigrad.nn.linear import Linear as Linear
from minigrad.nn.losses import CrossEntropyLoss as CrossEntropyLoss
from minigrad.nn.module import Module as Module
from minigrad.nn.parameter import Parameter as Parameter
