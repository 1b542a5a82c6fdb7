"""Stands where the native module would, in a checkout: puts the built one in its own place.

`import minigrad._native` so finds what `make build` left under build/native, or fails with the one
sentence of minigrad.native.
"""

from minigrad import native

native.load()
