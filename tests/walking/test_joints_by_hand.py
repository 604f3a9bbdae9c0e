"""Single joints by hand, sweeps, and what drives are found to do by them."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, UnknownName
from footfall.walking import signals as told
from footfall.walking.body import walking_body
from footfall.walking.identification import (
    FeedForwardSearch,
    Heard,
    best_share,
    heard_sweep,
    sweep_response,
)
from footfall.walking.joints_by_hand import Sweep, rate_towards, sweep_rate
from footfall.walking.session import WalkSession
from footfall.walking.walker import WalkingCode

PERIOD = 1e-3


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkingCode(walking_body(footfall.load("lola")))


def tell(session: WalkSession, signal: told.AnySignal) -> None:
    session.send(msgspec.structs.replace(signal, time=session.time))


@pytest.mark.parametrize("gap", [0.7, -0.02, 1e-5])
def test_a_joint_comes_to_rest_where_it_shall_be(gap: float):
    at, rate, fastest, rates = 0.0, 0.0, 0.5, [0.0]
    for _ in range(4000):
        after = rate_towards(gap - at, rate, fastest, PERIOD)
        at, rate = at + 0.5 * PERIOD * (rate + after), after
        rates.append(rate)
    assert at == pytest.approx(gap, abs=2e-9)
    assert rate == pytest.approx(0.0, abs=1e-6)
    assert np.abs(rates).max() <= fastest
    assert np.abs(np.diff(rates)).max() <= 4.0 * fastest * PERIOD * (1 + 1e-9)
    assert (np.array(rates) * np.sign(gap) >= -1e-5).all()  # it does not swing over


def test_a_sweep_ends_where_it_began_and_goes_through_its_frequencies():
    sweep = Sweep(0, 1.0, 7.0, 0.1, 1.0, 5.0)
    times = 1.0 + PERIOD * np.arange(6001)
    rates = np.array([sweep_rate(sweep, time) for time in times])
    angle = np.concatenate([[0.0], np.cumsum(0.5 * PERIOD * (rates[1:] + rates[:-1]))])
    since = times - 1.0
    # Trapezoids of a rate leave h2 / 12 |x''| of it, here below (2 pi 5)2 0.1 1e-6 / 12 < 1e-5.
    whole = (since > 0.5) & (since < 5.5)
    course = 0.1 * np.sin(2 * np.pi * (1.0 + 4.0 * since / 12.0) * since)
    assert angle[whole] == pytest.approx(course[whole], abs=1e-5)
    assert angle[-1] == pytest.approx(0.0, abs=1e-5)
    assert sweep_rate(sweep, 7.0) == 0.0
    assert sweep_rate(sweep, 0.9) == 0.0


def chirp(seconds: float = 8.0) -> tuple[np.ndarray, np.ndarray]:
    time = PERIOD * np.arange(round(seconds / PERIOD))
    grown = np.minimum(np.minimum(time, seconds - time) / 0.5, 1.0)
    return time, 0.05 * grown * np.sin(2 * np.pi * (0.5 + 9.5 * time / (2 * seconds)) * time)


def test_a_response_is_that_of_a_first_order_lag():
    time, wanted = chirp()
    lag, measured = 0.02, np.zeros(len(time))
    share = 1.0 - math.exp(-PERIOD / lag)  # exact for what is held over a period
    for k in range(1, len(time)):
        measured[k] = measured[k - 1] + share * (wanted[k - 1] - measured[k - 1])
    found = sweep_response(Heard(time, wanted, measured), 1.0, 9.0)
    z = np.exp(2j * np.pi * found.frequencies * PERIOD)
    exact = share / (z - (1.0 - share))  # the response of that recursion
    assert found.gain == pytest.approx(np.abs(exact), rel=0.02)  # bands are as wide as a tenth of a frequency
    assert found.phase == pytest.approx(np.angle(exact), abs=0.04)
    assert (found.coherence > 0.99).all()
    # 1 / (2 pi lag) = 8 Hz
    assert found.bandwidth == pytest.approx(1.0 / (2.0 * np.pi * lag), rel=0.12)


def test_the_best_share_is_found_where_the_error_is_affine_in_it():
    time, wanted = chirp()
    rate = np.gradient(wanted, time)
    rest = 1e-5 * np.cos(40.0 * time)

    def sweep(share: float) -> Heard:
        return Heard(time, wanted, wanted - (1.07 - share) * 0.01 * rate - rest)

    share, left = best_share(sweep(1.0), sweep(1.1), (1.0, 1.1))
    assert share == pytest.approx(1.07, abs=1e-3)  # what is left is hardly along the rate
    assert left == pytest.approx(np.std(rest), rel=0.01)


def test_a_head_is_moved_by_hand_and_given_back_and_it_replays(code: WalkingCode):
    session = WalkSession(scene="flat", code=code)
    session.run(0.2)
    place = code.body.coordinates[code.body.joint_names.index("vp")]
    before = float(session.walker.arrays[0].q[place])
    tell(session, told.MoveJoint(name="vp", offset=0.2))
    session.run(1.5)
    beside = float(session.walker.arrays[0].q[place] - session.walker.brain.state.q[place])
    # From a joint's true angle to that of the model; both are sums of 1,500 velocities.
    assert beside == pytest.approx(0.2, abs=1e-6)
    assert session.operator.moved_by_hand == ("vp",)
    with pytest.raises(InvalidInput, match="vp moved by hand"):
        session.drive(0.3)
    with pytest.raises(InvalidInput, match="it can go from"):
        tell(session, told.MoveJoint(name="vp", offset=3.0))
    with pytest.raises(InvalidInput, match="choose mode full"):
        tell(session, told.SweepJoint(name="vp"))
    with pytest.raises(UnknownName):
        tell(session, told.MoveJoint(name="tail"))
    tell(session, told.MoveJoint(name="all"))
    session.run(1.5)
    assert float(session.walker.arrays[0].q[place]) == pytest.approx(before, abs=2e-3)
    assert session.operator.moved_by_hand == ()
    session.drive(0.3)  # is obeyed again
    session.run(0.2)
    again = WalkSession(session.request, code=code)
    again.run_until(session.time)
    assert again.walker.arrays[0].q.tobytes() == session.walker.arrays[0].q.tobytes()


def test_a_drive_is_swept_and_its_feed_forward_optimised(code: WalkingCode):
    session = WalkSession(scene="flat", mode="full", code=code)
    session.run(0.1)
    with pytest.raises(InvalidInput, match="lower amplitude"):
        tell(session, told.SweepJoint(name="efr", amplitude=0.4, last=50.0))
    tell(session, told.FeedVelocity(name="efr", share=0.8))  # badly set
    with pytest.raises(InvalidInput, match="no sweep has come to its end"):
        heard_sweep(session)
    search = FeedForwardSearch(session, told.SweepJoint(name="efr", amplitude=0.03, seconds=2.0))
    while not search.advance():
        session.run(0.1)
    tuned = search.tuned
    assert tuned is not None
    assert tuned.share == pytest.approx(
        1.0, abs=0.05
    )  # what is left is the bus, which is late by half a period
    assert tuned.after < 0.3 * tuned.before  # the rest is not along the velocity: no share takes it away
    assert tuned.after == pytest.approx(tuned.predicted, rel=0.05)
    found = sweep_response(heard_sweep(session), 0.5, 8.0)
    assert found.gain == pytest.approx(1.0, abs=0.1)
    assert 0.0 < found.delay < 3e-3
    tell(session, told.SweepJoint(name="efr", amplitude=0.01, seconds=2.0))
    with pytest.raises(InvalidInput, match="'joint' is refused: a sweep runs"):
        tell(session, told.MoveJoint(name="efl", offset=0.1))
