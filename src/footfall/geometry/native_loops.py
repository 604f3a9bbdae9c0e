"""Native loops for geometry; they are made by the compiler package."""

from footfall.compiler.native_loops import native_callback as native_callback
from footfall.compiler.native_loops import native_loop as native_loop
