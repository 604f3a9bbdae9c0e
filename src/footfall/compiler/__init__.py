"""Textbook NumPy in, native code out: trace a function once, run it as machine code.

kernel = build_kernel(lambda x: {"y": np.sin(x) @ x}, {"x": 3})
kernel(np.ones(3)), kernel(np.ones((1000, 3)))
"""

from footfall.compiler.differentiate import jacobian, rate_of
from footfall.compiler.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    call,
    cos,
    equal,
    exp,
    floor,
    gather,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    repeat,
    sin,
    sqrt,
    tan,
    where,
)
from footfall.compiler.graph import NativeFunction
from footfall.compiler.kernel import Kernel, build_kernel
from footfall.compiler.symbols import Condition, Symbol
from footfall.compiler.trace import Program, Signature, trace
from footfall.errors import KernelInputError, TraceError

__all__ = [
    "Condition",
    "Kernel",
    "KernelInputError",
    "NativeFunction",
    "Program",
    "Signature",
    "Symbol",
    "TraceError",
    "absolute",
    "acos",
    "asin",
    "atan",
    "atan2",
    "build_kernel",
    "call",
    "cos",
    "equal",
    "exp",
    "floor",
    "gather",
    "greater",
    "greater_equal",
    "jacobian",
    "less",
    "less_equal",
    "log",
    "maximum",
    "minimum",
    "rate_of",
    "repeat",
    "sin",
    "sqrt",
    "tan",
    "trace",
    "where",
]
