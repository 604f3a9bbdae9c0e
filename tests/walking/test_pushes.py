"""Pushes: however strong, a walk ends with numbers, a cause and what is recorded."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.scene.load import load_scene
from footfall.walking.request import Push
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode
from tests.walking.test_estimation import standing


def pushed(code: WalkingCode, force: tuple[float, float, float], **options: object) -> Walker:
    """A robot that stands and is pushed for 0.1 s after 0.2 s."""
    push = Push("torso", force, 0.2, 0.1)
    return Walker(code, load_scene("flat"), standing(code, 5.0), WalkerOptions(pushes=(push,), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["reduced", "full"])
@pytest.mark.parametrize("force", [5e3, 1e6])
def test_a_blow_that_takes_it_off_its_feet_is_a_fall_in_numbers(
    code: WalkingCode, mode: str, force: float
) -> None:
    """Contact is solved to 1e-9 of the weight with feet on the ground and in the air, where nothing holds it."""
    walker = pushed(code, (force, 0.0, 0.0), mode=mode)
    assert not walker.run_until(1.0)
    assert not walker.lost
    assert cause_of_fall(walker) is not None
    signals = walker.log.signals
    assert signals["residual"].max() < 1e-8
    in_the_air = signals["right_foot"][:, 2] + signals["left_foot"][:, 2] == 0.0
    assert in_the_air.any()
    # In the air there is no zero-moment point; all else are numbers.
    assert np.isfinite(signals["zmp"][~in_the_air]).all()
    assert all(np.isfinite(signals[name]).all() for name in signals.dtype.names if name != "zmp")


def test_a_blow_beyond_all_numbers_is_told_as_such(code: WalkingCode) -> None:
    walker = pushed(code, (1e200, 0.0, 0.0))
    assert not walker.run_until(1.0)
    assert cause_of_fall(walker) == "numbers ran away at 0.201 s"
