"""The operator's states: orders of switching, what follows for joints and motors, replays, and goals too far."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from footfall.errors import InvalidInput
from footfall.robot.drives.homing import HomingPhase
from footfall.walking import WalkRequest
from footfall.walking import signals as told
from footfall.walking.hardware import Stage
from footfall.walking.hardware_request import HardwareFault
from footfall.walking.live.commands import state_of
from footfall.walking.session import WalkSession
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import WalkingCode

_REQUEST = WalkRequest(scene="flat", seconds=1.0, noise=True, seed=1011)


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkSession(_REQUEST).code


@pytest.fixture
def session(code: WalkingCode) -> WalkSession:
    return WalkSession(_REQUEST, code=code)


def _tell(session: WalkSession, *signals: told.AnySignal) -> None:
    for each in signals:
        session.send(msgspec.structs.replace(each, time=session.time))


# States by the signals that lead there, and what each of them refuses.
_WAYS: dict[Stage, tuple[told.AnySignal, ...]] = {
    Stage.ACTIVE: (),
    Stage.READY: (told.Deactivate(),),
    Stage.OFF: (told.Deactivate(), told.Power(on=False)),
    Stage.ERROR: (told.EmergencyStop(),),
}
_ALLOWED = {
    Stage.ACTIVE: {"deactivate", "drive"},
    Stage.READY: {"activate", "power off"},
    Stage.OFF: {"power on"},
    Stage.ERROR: {"reset"},
}
_TRIED: dict[str, told.AnySignal] = {
    "activate": told.Activate(),
    "deactivate": told.Deactivate(),
    "power on": told.Power(on=True),
    "power off": told.Power(on=False),
    "reset": told.Reset(),
    "drive": told.Drive(forward=0.2),
}


@pytest.mark.parametrize("stage", list(_WAYS))
def test_each_state_allows_what_its_order_says_and_tells_what_comes_next(code: WalkingCode, stage: Stage):
    for name, signal in _TRIED.items():
        session = WalkSession(_REQUEST, code=code)
        session.run(0.01)
        _tell(session, *_WAYS[stage])
        assert session.operator.stage is stage
        if name in _ALLOWED[stage]:
            _tell(session, signal)
            continue
        sent = len(session.sent)
        with pytest.raises(InvalidInput, match=r"is refused: the robot is .*; "):
            _tell(session, signal)
        assert len(session.sent) == sent  # what is refused is not replayed


def test_joints_stand_still_without_power_and_the_walk_goes_on_afterwards(
    session: WalkSession, code: WalkingCode
):
    session.run(0.3)
    _tell(session, told.Deactivate(), told.Power(on=False))
    assert state_of(session) == "off"
    session.run(0.001)
    before = session.walker.arrays[0].q[7:].copy()
    session.run(0.3)
    # Prescribed joints have velocity zero; positions are sums of them, to the integrator's rounding.
    assert np.abs(session.walker.arrays[0].q[7:] - before).max() < 1e-12
    assert not session.walker.brain.state.after.any()
    _tell(session, told.Power(on=True), told.Activate())
    session.run(0.2)
    assert np.abs(session.walker.arrays[0].q[7:] - before).max() > 1e-9  # it balances again
    session.drive(0.3)
    session.run(2.5)
    assert not session.fallen
    assert session.walker.arrays[0].q[0] > 0.2
    again = WalkSession(session.request, code=code)
    again.run_until(session.time)
    assert np.array_equal(again.walker.log.q, session.walker.log.q)


def test_an_emergency_stop_in_motion_is_an_end(session: WalkSession):
    session.drive(0.3)
    session.run(1.2)
    assert not session.pilot.rests(session.time)
    with pytest.raises(InvalidInput, match="tell it to `stop` first"):
        _tell(session, told.Deactivate())
    _tell(session, told.EmergencyStop())
    with pytest.raises(InvalidInput, match="in error"):
        session.drive(0.3)
    _tell(session, told.Reset())
    with pytest.raises(InvalidInput, match="middle of a motion"):
        _tell(session, told.Power(on=True))


def test_an_emergency_stop_takes_the_power_of_motors_and_the_robot_sinks(code: WalkingCode):
    session = WalkSession(msgspec.structs.replace(_REQUEST, mode="full"), code=code)
    session.run(0.3)
    walker = session.walker
    settings, height = walker.hardware.settings, float(walker.latest["center"][2])
    drives = walker.arrays[0].drives
    assert (drives[settings.power] == 1.0).all()
    assert np.abs(drives[settings.current]).max() > 0.1
    _tell(session, told.EmergencyStop())
    session.run(0.05)
    drives = walker.arrays[0].drives
    assert (drives[settings.power] == 0.0).all()
    # Without power the current dies out with the motor's time constant, below a millisecond: exp(-50) is nothing.
    assert np.abs(drives[settings.current]).max() < 1e-6
    target = walker.hardware.state.target.copy()
    session.run(2.0)
    assert np.array_equal(target, walker.hardware.state.target)
    assert float(walker.latest["center"][2]) < height - 0.1
    assert session.fallen
    assert "the emergency stop was pressed" in str(cause_of_fall(walker))


def test_a_tare_takes_the_offsets_of_hands(session: WalkSession):
    with pytest.raises(InvalidInput, match="hands must have touched nothing"):
        _tell(session, told.Tare())
    session.run(0.5)
    before = np.abs(session.walker.log.sensors.hands[-200:].mean(axis=0)).max()
    _tell(session, told.Tare())
    session.run(0.5)
    after = np.abs(session.walker.log.sensors.hands[-200:].mean(axis=0)).max()
    assert after < 0.2 * before


def test_force_control_has_a_factor(session: WalkSession):
    usual = session.walker.gains
    _tell(session, told.ForceControl(factor=0.5))
    assert session.walker.gains.force_rate == 0.5 * usual.force_rate
    _tell(session, told.ForceControl(factor=0.0))
    assert session.walker.gains.hand_rate == 0.0
    _tell(session, told.ForceControl(factor=1.0))
    assert session.walker.gains == usual
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"do": "force_control", "factor": 1.5}, told.ForceControl)


def test_goals_that_are_too_far_are_refused_before_anything_is_believed(session: WalkSession):
    for x, y in ((300.0, 0.0), (10_000.0, 0.0), (40.0, 40.0)):
        with pytest.raises(InvalidInput, match="is too far: goals are within 120 m"):
            session.walk_to(x, y)
    with pytest.raises(InvalidInput, match="is too far"):
        WalkSession(WalkRequest(scene="flat", goal=(300.0, 0.0, 0.0)))
    session.walk_to(20.0, 2.0)
    session.run(0.05)
    assert session.problem is None


def test_calibration_takes_what_encoders_are_off(code: WalkingCode):
    """In the jig, a frame that holds the robot, without power; what is left is the quantum of encoders, 2 pi / 2^17,
    and what moves in a tick."""
    fault = HardwareFault("encoder", 0.05, name="vp", size=0.1)
    session = WalkSession(msgspec.structs.replace(_REQUEST, mode="full", faults=(fault,)), code=code)
    session.happen("frame", slack=-0.05)
    session.run(0.04)
    _tell(session, told.Deactivate())
    with pytest.raises(InvalidInput, match="not off"):
        _tell(session, told.Calibrate())
    _tell(session, told.Power(on=False))
    session.run(0.06)
    body, hardware = session.code.body, session.walker.hardware
    joint = body.joint_names.index("vp")
    place = body.coordinates[joint]

    def off() -> float:
        return float(hardware.state.measured[joint] - session.walker.arrays[0].q[place])

    assert off() == pytest.approx(0.1, abs=1e-3)
    assert session.operator.stage is Stage.ERROR  # no joint is as fast as this encoder says
    _tell(session, told.Reset(), told.Calibrate())
    assert abs(off()) < 1e-3
    session.run(0.1)
    assert abs(off()) < 1e-3
    assert session.operator.stage is Stage.OFF  # no jump that the hardware would take for a fault
    again = WalkSession(session.request, code=code)
    again.run_until(session.time)
    assert np.array_equal(again.walker.log.q, session.walker.log.q)


def test_a_robot_that_sees_by_a_camera_looks_around_before_it_walks(code: WalkingCode):
    request = WalkRequest(scene="flat", goal=(1.0, 0.0, 0.0), sight="camera", scan=True, seed=1012)
    session = WalkSession(request, code=code)
    session.run(8.0)
    abouts = [each.about for each in session.pilot.versions if each.problem is None]
    assert abouts.index("perform") == 1
    assert abouts.count("perform") == 2
    assert abouts[3].startswith("walk to")
    pan = session.walker.log.q[:, code.body.coordinates[code.body.joint_names.index("vp")]]
    assert pan.max() > 0.5
    assert pan.min() < -0.5
    assert session.run_to_rest(30.0)
    assert session.succeeded


def test_homing_finds_out_where_a_joint_is_whose_encoder_has_jumped(code: WalkingCode):
    """The head tilts into its lower stop, counts from there, and comes back; meanwhile the robot takes no orders."""
    jump = 0.3
    fault = HardwareFault(kind="encoder", start=0.3, name="vt", size=jump)
    asked = msgspec.structs.replace(_REQUEST, mode="full", faults=(fault,))
    session = WalkSession(asked, code=code)
    hardware = session.walker.hardware
    joint = code.body.joint_names.index("vt")
    place = code.body.coordinates[joint]
    usual = float(session.walker.arrays[0].q[place])
    _tell(session, told.Frame(slack=0.0))  # what has no power would sink
    session.run(0.4)
    assert session.operator.stage is Stage.ERROR
    _tell(session, told.Reset())
    session.run(0.2)
    assert session.operator.stage is Stage.OFF  # joints that hang may move as they like
    _tell(session, told.Power(on=True))
    session.run(0.4)
    assert session.operator.stage is Stage.READY, cause_of_fall(session.walker)
    assert hardware.state.measured[joint] == pytest.approx(session.walker.arrays[0].q[place] + jump, abs=1e-3)
    _tell(session, told.Home())
    hardware.homing[0]["state"]["phase"] = (
        HomingPhase.HOMED
    )  # the other one, which would take ten seconds more
    session.run(0.05)
    assert session.operator.stage is Stage.HOMING
    for signal in (told.Activate(), told.Home(), told.Power(on=False), told.WalkTo(x=1.0)):
        with pytest.raises(InvalidInput, match=r"the robot is homing.*found their stops"):
            _tell(session, signal)
    session.run(5.5)
    assert session.operator.stage is Stage.READY, session.problem
    # The stop gives way by what contact lets through, its place is known to the quantum of encoders and 0.2 mrad.
    assert hardware.state.offsets[joint] == pytest.approx(-jump, abs=5e-4)
    session.run(1.0)
    assert session.walker.arrays[0].q[place] == pytest.approx(usual, abs=2e-3)
    _tell(session, told.Activate())
    assert session.operator.stage is Stage.ACTIVE


def test_homing_is_for_drives_that_are_simulated(session: WalkSession):
    session.run(0.01)
    _tell(session, told.Deactivate())
    with pytest.raises(InvalidInput, match="choose mode full"):
        _tell(session, told.Home())
