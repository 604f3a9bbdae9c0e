"""Walking with drives: servos, motors and gears instead of joints that follow exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.gait.actions import stamping
from footfall.motion.motion import Motion
from footfall.scene.load import load_scene
from footfall.walking.hardware import Stage, Trouble
from footfall.walking.hardware_request import BusQuality, HardwareFault
from footfall.walking.loop import Brain
from footfall.walking.request import WalkRequest, of_now, read_request, write_request
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def motion_of(code: WalkingCode) -> Motion:
    model = code.body.model
    return footfall.generate_motion(footfall.walking_plan(model, stamping(1)), model)


def full(code: WalkingCode, **options: object) -> Walker:
    return Walker(code, load_scene("flat"), motion_of(code), WalkerOptions(mode="full", **options))  # type: ignore[arg-type]


def test_it_steps_on_its_drives_as_on_ideal_ones(code: WalkingCode) -> None:
    """Reduced and full mode agree within what drives can be off: a degree a joint, some mm of the centre of mass."""
    motion = motion_of(code)
    driven, ideal = full(code), Walker(code, load_scene("flat"), motion)
    for walker in (driven, ideal):
        assert walker.run_until(motion.end_time + 0.5)
    one, two = driven.log.signals, ideal.log.signals
    assert np.all(one["stage"][10:] == Stage.ACTIVE)
    assert np.rad2deg(np.median(one["tracking"])) < 1.0
    assert np.sqrt(np.mean((one["center"] - two["center"]) ** 2)) < 5e-3
    weight = code.body.model.mass * code.body.model.gravity
    last = one[-1]
    assert last["right_foot"][2] + last["left_foot"][2] == pytest.approx(weight, rel=0.01)
    # Drives are not ideal, and it shows.
    assert one["tracking"].max() > 1e-4
    assert two["tracking"].max() == 0.0


def test_the_controller_sees_sensors_only(code: WalkingCode) -> None:
    """While it decides, all that is true of robot and drives is NaN; the walk has the same bits."""
    plain, blind = (full(code, noise=True, seed=2) for _ in range(2))
    plain.run_until(0.6)
    hidden = ("q", "v", "impulses", "drives")
    kept: dict[str, np.ndarray] = {}

    def uncover(time: float, brain: Brain) -> None:
        for name in hidden:
            getattr(blind.arrays[0], name)[:] = kept[name]

    for k in range(600):
        for name in hidden:
            kept[name] = getattr(blind.arrays[0], name).copy()
            getattr(blind.arrays[0], name)[:] = np.nan
        blind.run_with(uncover, 1e-3 * (k + 1))
    assert blind.log.q.tobytes() == plain.log.q.tobytes()


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        (HardwareFault("bus", 0.2, 0.01), Trouble.BUS),
        (HardwareFault("motor", 0.2, 1.0, "kfr"), Trouble.MOTOR),
        (HardwareFault("encoder", 0.2, 1.0, "hfl", 0.5), Trouble.VELOCITY),
        (HardwareFault("force", 0.2, 1.0, "LF"), Trouble.SENSOR),
    ],
)
def test_a_fault_leads_to_the_error_state(code: WalkingCode, fault: HardwareFault, trouble: Trouble) -> None:
    """Motors have no power then, the robot falls, and the cause is the fault, not the fall."""
    walker = full(code, faults=(fault,))
    assert walker.run_until(0.199)
    assert walker.log.signals["stage"][-1] == Stage.ACTIVE
    walker.run_until(2.0)
    state = walker.hardware.state
    assert state.stage[0] == Stage.ERROR
    assert state.trouble[0] == trouble
    if fault.name in code.body.joint_names:
        assert code.body.joint_names[int(state.trouble[1])] == fault.name
    assert np.all(walker.engine.currents(walker.arrays[0].drives) == 0.0)
    assert walker.fallen
    assert "hardware stopped at 0." in str(cause_of_fall(walker))


@pytest.mark.parametrize(
    ("limit", "trouble"),
    [
        ({"tracking": 1e-5}, Trouble.TRACKING),
        ({"upper": np.full(26, -3.0)}, Trouble.POSITION),
        ({"fastest": np.full(26, 0.01)}, Trouble.VELOCITY),
        ({"strongest": np.full(26, 0.1)}, Trouble.OVERLOAD),
    ],
)
def test_limits_of_what_is_measured_stop_it(
    code: WalkingCode, limit: dict[str, object], trouble: Trouble
) -> None:
    """Limits are numbers: closer ones, which a healthy robot passes, nothing compiles anew."""
    walker = full(code)
    settings = walker.hardware.settings._replace(**limit)
    walker.hardware = walker.hardware._replace(settings=settings)
    walker.run_until(1.5)
    assert walker.hardware.state.trouble[0] == trouble


def test_lost_frames_are_tolerated_until_too_many_are(code: WalkingCode) -> None:
    many = full(code, bus=BusQuality(1, 0.1, 0.1), seed=1)
    assert many.run_until(0.6)
    assert many.log.signals["lost_frames"][-1] > 100
    # The same frames are too many if none may be missing.
    strict = full(code, bus=BusQuality(1, 0.1, 0.1, tolerated=0), seed=1)
    strict.run_until(0.6)
    assert strict.hardware.state.trouble[0] == Trouble.BUS
    # A gap of 1 ms is 4 frames, and 8 may be missing.
    gap = full(code, faults=(HardwareFault("bus", 0.2, 0.001),))
    assert gap.run_until(0.6)


def test_requests_say_the_mode(tmp_path: Path) -> None:
    request = WalkRequest(
        scene="flat",
        mode="full",
        bus=BusQuality(2, 0.1, 0.01),
        faults=(HardwareFault("motor", 1.0, 2.0, "kfr"),),
    )
    write_request(request, tmp_path / "a.walk.json")
    assert read_request(tmp_path / "a.walk.json") == of_now(request)
