"""What can be wrong with rotations, curves and polygons."""

from __future__ import annotations

from footfall.errors.base import FootfallError


class InvalidRotation(FootfallError, ValueError):
    """Too many or too few numbers for a rotation."""


class SingularParameters(FootfallError, ValueError):
    """Rates of parameters were asked for where the parameters are singular."""

    def __init__(self, kind: str, quantity: str, value: float) -> None:
        self.kind = kind
        self.quantity = quantity
        self.value = value
        super().__init__(
            f"{kind} parameters have no rates here: {quantity} is {value:.3g} and must not vanish; "
            "use a parameterisation without a singularity at this pose, such as 'cartesian' or 'quaternion'"
        )


class NoLogarithm(FootfallError, ValueError):
    """A quaternion without logarithm: zero, or real and negative."""


class InvalidCurve(FootfallError, ValueError):
    """Times and rotations that make no curve."""


class OppositeQuaternions(FootfallError, ValueError):
    """Two neighbouring quaternions that point into opposite directions."""


class InvalidKeyframes(FootfallError, ValueError):
    """Orientations that make no spline."""


class InvalidKnots(FootfallError, ValueError):
    """Knots that carry no B-splines."""


class InvalidPolynomial(FootfallError, ValueError):
    """Times and coefficients that make no curve, spline or trajectory."""


class NoCollocation(FootfallError, ValueError):
    """An equation without a spline that obeys it at the sites."""


class InvalidPolygon(FootfallError, ValueError):
    """Points that make no polygon."""
