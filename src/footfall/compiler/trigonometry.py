"""Sine and cosine as LLVM IR for any number of lanes, without a library call.

Argument reduction to [-pi/4, pi/4] in three parts with fused multiply-adds (exact for the range taken here), then
the minimax polynomials of FDLIBM with the tail of the reduced argument. Below 1 ulp up to 2**20; larger arguments,
infinities and NaN go to the C library lane by lane, so that lanes never disagree with the one-lane code.
"""

from __future__ import annotations

import math
import struct

LARGEST = 2.0**20
# pi/2 as a sum of three doubles
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def number(value: float) -> str:
    """A double as LLVM writes it."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def vector_type(lanes: int, element: str = "double") -> str:
    return element if lanes == 1 else f"<{lanes} x {element}>"


def literal(value: float, lanes: int) -> str:
    """A double in all lanes."""
    return number(value) if lanes == 1 else f"splat (double {number(value)})"


def suffix(lanes: int) -> str:
    """Type suffix of LLVM intrinsics."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


class _Writer:
    """Writes instructions and names their results."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.type = vector_type(lanes)
        self.lines: list[str] = []

    def do(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def fma(self, a: str, b: str, c: str) -> str:
        t = self.type
        return self.do(f"call {t} @llvm.fma.{suffix(self.lanes)}({t} {a}, {t} {b}, {t} {c})")

    def mul(self, a: str, b: str) -> str:
        return self.do(f"fmul {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.do(f"fsub {self.type} {a}, {b}")

    def add(self, a: str, b: str) -> str:
        return self.do(f"fadd {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.do(f"fneg {self.type} {a}")

    def select(self, mask: str, a: str, b: str) -> str:
        return self.do(f"select {vector_type(self.lanes, 'i1')} {mask}, {self.type} {a}, {self.type} {b}")

    def constant(self, value: float) -> str:
        return literal(value, self.lanes)

    def horner(self, x: str, coefficients: tuple[float, ...]) -> str:
        result = self.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self.fma(result, x, self.constant(coefficient))
        return result


def sincos_function(lanes: int) -> str:
    """Definition of `@sincos{lanes}(x) -> {sin x, cos x}`."""
    w = _Writer(lanes)
    t, integers = w.type, vector_type(lanes, "i32")
    turns = w.mul("%x", w.constant(2.0 / math.pi))
    turns = w.do(f"call {t} @llvm.roundeven.{suffix(lanes)}({t} {turns})")
    back = w.neg(turns)
    reduced = w.fma(back, w.constant(HALF_PI[0]), "%x")  # exact
    # minus the second part, with the rounding errors of the product and of the difference in the tail
    product = w.mul(turns, w.constant(HALF_PI[1]))
    rest = w.fma(back, w.constant(HALF_PI[1]), product)
    high = w.sub(reduced, product)
    moved = w.sub(high, reduced)
    tail = w.sub(w.sub(reduced, w.sub(high, moved)), w.add(product, moved))
    tail = w.fma(back, w.constant(HALF_PI[2]), w.add(tail, rest))
    z = w.mul(high, high)
    # sine: high - ((z (tail/2 - v r) - tail) - v S1)
    v = w.mul(z, high)
    r = w.horner(z, SINE[1:])
    inner = w.fma(w.neg(v), r, w.mul(tail, w.constant(0.5)))
    inner = w.fma(z, inner, w.neg(tail))
    inner = w.fma(w.neg(v), w.constant(SINE[0]), inner)
    sine = w.sub(high, inner)
    # cosine: w + (((1 - w) - z/2) + (z r - high tail)), w = 1 - z/2
    r = w.mul(z, w.horner(z, COSINE))
    half = w.mul(z, w.constant(0.5))
    one_minus = w.sub(w.constant(1.0), half)
    rest = w.sub(w.sub(w.constant(1.0), one_minus), half)
    rest = w.add(rest, w.fma(z, r, w.neg(w.mul(high, tail))))
    cosine = w.add(one_minus, rest)
    # quadrant

    def splat(value: int) -> str:
        return str(value) if lanes == 1 else f"splat (i32 {value})"

    quadrant = w.do(f"fptosi {t} {turns} to {integers}")
    odd = w.do(f"and {integers} {quadrant}, {splat(1)}")
    odd = w.do(f"icmp ne {integers} {odd}, {splat(0)}")
    flip_sine = w.do(f"and {integers} {quadrant}, {splat(2)}")
    flip_sine = w.do(f"icmp ne {integers} {flip_sine}, {splat(0)}")
    shifted = w.do(f"add {integers} {quadrant}, {splat(1)}")
    flip_cosine = w.do(f"and {integers} {shifted}, {splat(2)}")
    flip_cosine = w.do(f"icmp ne {integers} {flip_cosine}, {splat(0)}")
    s, c = w.select(odd, cosine, sine), w.select(odd, sine, cosine)
    s = w.select(flip_sine, w.neg(s), s)
    c = w.select(flip_cosine, w.neg(c), c)
    zero = w.do(f"fcmp oeq {t} %x, {w.constant(0.0)}")  # keeps the sign of zero
    s = w.select(zero, "%x", s)
    size = w.do(f"call {t} @llvm.fabs.{suffix(lanes)}({t} %x)")
    beyond = w.do(f"fcmp ugt {t} {size}, {w.constant(LARGEST)}")
    anywhere = beyond
    if lanes > 1:
        anywhere = w.do(f"call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> {beyond})")
    pair = f"{{{t}, {t}}}"
    head = [f"define internal fastcc {pair} @sincos{lanes}({t} %x) nounwind {{"]
    lines = [*head, *w.lines, f"  br i1 {anywhere}, label %far, label %near", "near:"]
    lines += [
        f"  %near_s = insertvalue {pair} undef, {t} {s}, 0",
        f"  %near_sc = insertvalue {pair} %near_s, {t} {c}, 1",
        f"  ret {pair} %near_sc",
        "far:",
    ]
    if lanes == 1:
        lines += ["  %far_s = call double @sin(double %x)", "  %far_c = call double @cos(double %x)"]
    else:
        lines += _lane_calls(lanes, "sin", "s", s, beyond) + _lane_calls(lanes, "cos", "c", c, beyond)
    lines += [
        f"  %far_0 = insertvalue {pair} undef, {t} %far_s, 0",
        f"  %far_1 = insertvalue {pair} %far_0, {t} %far_c, 1",
        f"  ret {pair} %far_1",
        "}",
    ]
    return "\n".join(lines)


def _lane_calls(lanes: int, function: str, tag: str, near: str, beyond: str) -> list[str]:
    """The library's results in the lanes beyond the range, the polynomial's elsewhere, as `%far_{tag}`."""
    t = vector_type(lanes)
    lines, gathered = [], "undef"
    for lane in range(lanes):
        lines += [
            f"  %{tag}x{lane} = extractelement {t} %x, i32 {lane}",
            f"  %{tag}y{lane} = call double @{function}(double %{tag}x{lane})",
            f"  %{tag}z{lane} = insertelement {t} {gathered}, double %{tag}y{lane}, i32 {lane}",
        ]
        gathered = f"%{tag}z{lane}"
    lines.append(f"  %far_{tag} = select <{lanes} x i1> {beyond}, {t} {gathered}, {t} {near}")
    return lines


def sincos_declarations(lanes: int) -> list[str]:
    t = vector_type(lanes)
    declarations = [
        f"declare {t} @llvm.fma.{suffix(lanes)}({t}, {t}, {t})",
        f"declare {t} @llvm.roundeven.{suffix(lanes)}({t})",
        f"declare {t} @llvm.fabs.{suffix(lanes)}({t})",
        "declare double @sin(double)",
        "declare double @cos(double)",
    ]
    if lanes > 1:
        declarations.append(f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)")
    return declarations
