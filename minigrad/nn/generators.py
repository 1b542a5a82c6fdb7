"""Where a layer's random numbers come from."""

from minigrad.random import generator_or_default as generator_or_default
