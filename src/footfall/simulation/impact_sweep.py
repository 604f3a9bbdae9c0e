"""Contact by a sequence of impacts inside the native step, see `footfall.contact.classic.impacts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.local_cone import cone_block, solve_cone
from footfall.simulation.contact_rows import Row, inner

_STEPS = 8  # of Newton's method in a collision: what is left over would stay in the impulse


def impact_impulse(rows: Sequence[Row], speed: Array, friction: Any) -> Array:
    """Impulse (3,) of one collision along (t1, t2, n), N s; zero unless the contact approaches.

    rows: whitened, of the contact. speed: (3,) along them before, m/s, the normal one with what restitution adds.
    """
    block = cone_block(
        inner(rows[0], rows[0]),
        inner(rows[0], rows[1]),
        inner(rows[0], rows[2]),
        inner(rows[1], rows[1]),
        inner(rows[1], rows[2]),
        inner(rows[2], rows[2]),
    )
    first, second, normal, _ = solve_cone(block, speed[0], speed[1], speed[2], friction, 0.0, 0.0, _STEPS)
    return np.array([first, second, normal])
