"""The pattern generator locks to the tables, and switches gaits without a jump, Ayit 2015, chapter 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import InvalidInput
from footfall.gait.gaits import GAITS, Gait, gait
from footfall.gait.pattern_generator import PatternGenerator

DT = 0.005


@pytest.mark.parametrize("name", GAITS)
def test_phases_stay_on_the_table(name: str) -> None:
    generator = PatternGenerator(gait(name), frequency=2.0)
    for _ in range(300):
        generator.step(DT)
    assert generator.phase_error() < 1e-9
    # 1.5 s at 2 Hz are three cycles: back where it started, and the oscillators turn as they should
    wanted = gait(name).offsets["LF"] - np.array([*gait(name).offsets.values()])
    assert np.abs((generator.leg_phases() - wanted + 0.5) % 1.0 - 0.5).max() < 1e-6


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(GAITS)))
def test_phases_converge_from_anywhere(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    generator = PatternGenerator(gait(name), mu=0.25)
    # anywhere but against the wanted phase, which is an unstable rest
    turn = np.exp(2j * np.pi * rng.uniform(-0.45, 0.45, 4))
    generator.z = generator.z * turn * rng.uniform(0.2, 2.0, 4)
    for _ in range(1000):
        generator.step(DT)
    assert generator.phase_error() < 1e-6
    assert np.abs(generator.z) == pytest.approx(np.full(4, 0.5), abs=1e-6)


def test_trot_turns_into_pace_without_interruption() -> None:
    generator = PatternGenerator(gait("trot"), frequency=1.5)
    course = [generator.z]
    for k in range(1600):
        if k == 400:
            generator.switch(gait("pace"))
        generator.step(DT)
        course.append(generator.z)
    z = np.array(course)
    # No step is longer than the limit cycle's speed, the glide and a little for the lag of the coupling allow.
    assert np.abs(np.diff(z, axis=0)).max() < 1.1 * 2 * np.pi * (1.5 + 0.5) * DT
    assert np.abs(z).min() > 0.9
    legs = generator.gait.legs
    phases = np.unwrap(np.angle(z), axis=0)
    assert (np.diff(phases, axis=0) > 0.0).all()  # no leg ever goes back
    behind = (phases[:, legs.index("LB")] - phases[:, legs.index("LF")]) / (2 * np.pi)
    assert abs(abs(behind[400] - behind[0])) < 1e-9
    assert abs(behind[-1] - behind[0]) == pytest.approx(0.5, abs=1e-6)
    assert generator.phase_error() < 1e-6


def test_without_gliding_the_amplitude_would_break_down() -> None:
    """The comparison above can fail: differences that jump by half a cycle stop the oscillator."""
    generator = PatternGenerator(gait("trot"), glide=1e9, coupling=20.0)
    generator.switch(gait("pace"))
    smallest = 1.0
    for _ in range(200):
        generator.step(DT)
        smallest = min(smallest, float(np.abs(generator.z).min()))
    assert smallest < 0.5


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="frequency of the pattern generator is 0"):
        PatternGenerator(gait("trot"), frequency=0.0)
    with pytest.raises(InvalidInput, match=r"no leg 'tail' to lead; there are: RB"):
        PatternGenerator(gait("trot"), master="tail")
    with pytest.raises(InvalidInput, match=r"gait 'hop' has legs \('LF',\)"):
        PatternGenerator(gait("trot")).switch(Gait("hop", {"LF": 0.0}, 0.5))
