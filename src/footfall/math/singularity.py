"""Where a set of parameters cannot follow every motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.errors import FootfallError

THRESHOLD = 1e-9


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


def refuse_singular(kind: str, quantity: str, value: Any) -> None:
    """Raise if `value` is a number that vanishes; a symbol passes, its kernel then gives infinite entries."""
    if isinstance(value, (int, float, np.integer, np.floating)) and abs(float(value)) < THRESHOLD:
        raise SingularParameters(kind, quantity, float(value))
