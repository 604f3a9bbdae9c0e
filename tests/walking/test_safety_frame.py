"""The safety frame: its rope is a spring that only pulls; robots that would fall hang in it, and stand again."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InvalidInput
from footfall.walking.safety_frame import INTERVAL, SafetyFrame
from footfall.walking.session import WalkSession
from footfall.walking.walker import WalkingCode


@pytest.fixture
def frame(code: WalkingCode) -> SafetyFrame:
    session = WalkSession(code=code, scene="flat")
    made = SafetyFrame(code.body, 60.0, 10.0, session.walker.arrays[0].q)
    made.let_out(0.04)
    return made


def at(code: WalkingCode, way: tuple[float, float, float]) -> np.ndarray:
    """Configuration of a robot that stands, moved by a way, m."""
    q = WalkSession(code=code, scene="flat").walker.arrays[0].q.copy()
    q[:3] += way
    return q


def test_the_rope_is_a_spring_beyond_its_slack(frame: SafetyFrame, code: WalkingCode) -> None:
    q = at(code, (0.0, 0.0, -0.039))
    frame.act(q)
    assert frame.tension == 0.0
    assert frame.room == pytest.approx(0.001, abs=1e-9)
    for _ in range(2):  # in the second interval it does not move any more
        frame.act(at(code, (0.0, 0.0, -0.055)))
    # f = k (l - l0), k = weight / 3 cm, stretched by 1.5 cm: half of the weight
    assert frame.tension == pytest.approx(300.0, rel=1e-6)
    assert frame.share == pytest.approx(0.5, rel=1e-6)
    np.testing.assert_allclose(frame.wrench[:3], [0.0, 0.0, 300.0], atol=1e-6)
    frame.act(at(code, (0.0, 0.0, 0.1)))
    assert frame.tension == 0.0  # a rope does not push


def test_the_gantry_follows_and_stands_while_it_holds(frame: SafetyFrame, code: WalkingCode) -> None:
    begin, q = frame.bar.copy(), at(code, (0.15, 0.0, 0.0))
    frame.act(q)
    # 0.15 m in 0.25 s is 0.6 m/s
    assert frame.bar[0] - begin[0] == pytest.approx(0.6 * INTERVAL)
    far = at(code, (2.0, 0.0, 0.0))
    stood = frame.bar.copy()
    frame.act(far)
    assert frame.bar[0] - stood[0] == pytest.approx(1.0 * INTERVAL)  # no faster than a person
    assert frame.is_taut
    stood = frame.bar.copy()
    frame.act(far)
    np.testing.assert_array_equal(frame.bar, stood)
    assert frame.wrench[0] < 0.0  # back to the gantry


@pytest.mark.parametrize("way", [0.0, 1.57, 3.14])
def test_who_would_fall_is_caught_and_stands_again(code: WalkingCode, way: float) -> None:
    force = (float(800.0 * np.cos(way)), float(800.0 * np.sin(way)), 0.0)
    body = code.body.body_of("UB")

    def pushed(*, framed: bool) -> WalkSession:
        session = WalkSession(code=code, scene="flat")
        if framed:
            session.happen("frame")
        session.drive(0.3)
        session.run(2.0)
        session.happen("push", body=body, force=force, seconds=0.1)
        session.run(0.3)
        session.stop()
        session.run(3.7)
        return session

    assert pushed(framed=False).fallen  # otherwise the frame would have nothing to do
    caught = pushed(framed=True)
    assert not caught.fallen
    assert caught.walker.frame is not None
    assert caught.walker.frame.share < 0.2  # it stands by itself
    again = WalkSession(caught.request, code=code)
    while again.time < caught.time - 1e-9:
        again.run(min(0.0437, caught.time - again.time))  # however it is cut into pieces
    assert again.walker.arrays[0].q.tobytes() == caught.walker.arrays[0].q.tobytes()


def test_it_lifts_the_robot_and_sets_it_down(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat")
    session.happen("frame")
    session.run(0.5)
    before = float(session.walker.arrays[0].q[2])
    session.happen("frame", slack=-0.1)
    session.run(2.5)
    frame = session.walker.frame
    assert frame is not None
    assert frame.share > 0.7
    assert session.walker.arrays[0].q[2] > before + 0.04
    session.happen("frame", on=False)
    assert session.walker.frame is None


def test_a_frame_of_a_mile_is_refused(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat")
    with pytest.raises(InvalidInput, match="slack"):
        session.happen("frame", slack=1600.0)
