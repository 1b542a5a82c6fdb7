"""Models, put together of layers."""

from minigrad.models.generating import generate as generate
from minigrad.models.gpt import GPT as GPT
from minigrad.models.gpt import GPTConfig as GPTConfig
from minigrad.models.lenet import lenet as lenet
from minigrad.models.mlp import mlp as mlp
from minigrad.models.sampling import next_probabilities as next_probabilities
