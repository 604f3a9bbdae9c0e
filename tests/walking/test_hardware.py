"""The hardware layer: set points at the rate of servos, its state machine, checks and faults."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from footfall.compiler.routines import routine
from footfall.errors import InvalidInput, UnknownName
from footfall.walking.gains import control_gains
from footfall.walking.hardware import (
    Event,
    Hardware,
    Orders,
    Stage,
    measure,
    next_stage,
    upsample,
    upsampled_rate,
)
from footfall.walking.hardware_request import BusQuality, HardwareFault, read_fault
from footfall.walking.hardware_setup import TICKS, new_hardware
from footfall.walking.request import WalkRequest
from footfall.walking.walker import WalkingCode


@routine
def ticks_of_period(hardware: Hardware, orders: Orders, rates: np.ndarray) -> None:
    for k in range(len(rates)):
        share = k / len(rates)
        rates[k] = upsampled_rate(orders, 0, share)
        upsample(hardware, orders._replace(share=share))


def test_set_points_and_their_rates_are_continuous(code: WalkingCode) -> None:
    """Rates change by a quarter of what they change in a period, angles are their exact integral."""
    gains = control_gains(code.body.model)
    hardware = new_hardware(
        code.body, None, code.limits, gains, code.body.comfort, bus=BusQuality(), faults=(), seed=0
    )
    settings = hardware.settings._replace(ticks=TICKS)
    hardware = hardware._replace(settings=settings)
    rng, n = np.random.default_rng(0), len(code.body.driven)
    velocities = np.concatenate([np.zeros((1, n)), rng.normal(size=(50, n))])
    places, rates = [hardware.state.target[0]], []
    none = np.zeros(n)
    for before, after in pairwise(velocities):
        part = np.zeros(TICKS)
        ticks_of_period(hardware, Orders(0.0, before.copy(), after.copy(), none), part)
        rates.append(part)
        # The integral of a line is that of its mean.
        places.append(places[-1] + 0.5 * gains.period * (before[0] + after[0]))
        assert hardware.state.target[0] == pytest.approx(places[-1], abs=1e-15)
    sampled = np.concatenate(rates)
    jumps = np.abs(np.diff(velocities[:, 0]))
    assert np.abs(np.diff(sampled)).max() <= jumps.max() / TICKS + 1e-12
    # Rates that are held for a period, which is simpler, jump by all of it.
    held = np.repeat(velocities[1:, 0], TICKS)
    assert np.abs(np.diff(held)).max() > 3.0 * np.abs(np.diff(sampled)).max()


@routine
def heard(hardware: Hardware, q: np.ndarray, elapsed: float) -> None:
    measure(hardware, q, 0.0, elapsed)


def test_rates_after_lost_frames_are_those_of_the_time_that_has_passed(code: WalkingCode) -> None:
    """A joint that turns at 1 rad/s: after three lost frames its angle is 4 ticks further on, its rate is the same."""
    gains = control_gains(code.body.model)
    hardware = new_hardware(
        code.body, None, code.limits, gains, code.body.comfort, bus=BusQuality(), faults=(), seed=0
    )
    settings, state, q = hardware.settings, hardware.state, code.body.comfort.copy()
    place = settings.coordinates[0]
    for elapsed in [settings.tick] * 100 + [4.0 * settings.tick] * 20:
        q[place] += 1.0 * elapsed
        heard(hardware, q, elapsed)
        # A quantum of 48 urad in a tick of 0.25 ms is 0.19 rad/s, smoothed over 2 ms.
        assert state.measured_rate[0] < 1.0 + settings.quantum / settings.tick
    assert state.measured_rate[0] == pytest.approx(1.0, abs=0.1)


def test_errors_are_left_by_a_reset_only() -> None:
    for stage in Stage:
        assert next_stage(stage, Event.FAILED) == Stage.ERROR
        assert next_stage(stage, Event.NOTHING) == stage
    assert next_stage(Stage.OFF, Event.SWITCHED_ON) == Stage.READY
    assert next_stage(Stage.READY, Event.ANSWERED) == Stage.ACTIVE
    for event in (Event.SWITCHED_ON, Event.ANSWERED, Event.NOTHING):
        assert next_stage(Stage.ERROR, event) == Stage.ERROR
    assert next_stage(Stage.ERROR, Event.RESET) == Stage.OFF
    assert next_stage(Stage.ACTIVE, Event.RESET) == Stage.ACTIVE


def test_faults_are_read_and_refused(code: WalkingCode) -> None:
    assert read_fault("motor:kfr,3,0.2") == HardwareFault("motor", 3.0, 0.2, "kfr")
    for text in ("motor:kfr", "fire,1,2", "bus,x,1", "bus,-1,1", "bus,1,0"):
        with pytest.raises(InvalidInput):
            read_fault(text)
    gains, q = control_gains(code.body.model), code.body.comfort
    with pytest.raises(UnknownName):
        new_hardware(
            code.body,
            None,
            code.limits,
            gains,
            q,
            bus=BusQuality(),
            faults=[read_fault("motor:nose,1,1")],
            seed=0,
        )
    with pytest.raises(InvalidInput):
        WalkRequest(faults=(HardwareFault("bus", 1.0),))
    with pytest.raises(InvalidInput):
        WalkRequest(mode="full", substeps=6)


def test_a_goal_beside_a_route_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one of them"):
        WalkRequest(scene="flat", route="straight", goal=(1.0, 0.0, 0.0))
