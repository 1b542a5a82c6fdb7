"""Optimisers: how far each parameter moves along its gradient; and schedules of how far that is."""

from minigrad.optim import schedule as schedule
from minigrad.optim.adam import Adam as Adam
from minigrad.optim.adamw import AdamW as AdamW
from minigrad.optim.clip import clip_grad_norm_ as clip_grad_norm_
from minigrad.optim.optimizer import Optimizer as Optimizer
from minigrad.optim.rmsprop import RMSprop as RMSprop
from minigrad.optim.sgd import SGD as SGD
