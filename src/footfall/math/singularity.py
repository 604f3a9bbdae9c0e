"""Where a set of parameters cannot follow every motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.errors import InvalidInput

THRESHOLD = 1e-9


def refuse_singular(kind: str, quantity: str, value: Any) -> None:
    """Raise if `value` is a number that vanishes; a symbol passes, its kernel then gives infinite entries."""
    if isinstance(value, (int, float, np.integer, np.floating)) and abs(float(value)) < THRESHOLD:
        raise InvalidInput(
            f"{kind} parameters have no rates here: {quantity} is {float(value):.3g} and must not vanish; "
            "use a parameterisation without a singularity at this pose, such as 'cartesian' or 'quaternion'"
        )
