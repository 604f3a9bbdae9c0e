"""Timed signals, scripts and parameters: what is taken, and what is refused with the right name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from footfall.errors import InvalidInput, UnknownName
from footfall.motion.parameters import MotionParameters
from footfall.scene.load import load_scene
from footfall.scene.model import Material
from footfall.walking.gains import control_gains
from footfall.walking.request import WALKS, WalkRequest, of_now, other_version, read_request, write_request
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.signal_effects import added_object, changed_objects
from footfall.walking.signals import WORDS, Add, Drive, Move, Set, Surface, WalkTo
from footfall.walking.walker import (
    POINT_DAMPING,
    POINT_STIFFNESS,
    SHEAR_SHARE,
    WalkingCode,
    soft,
    soft_scene,
)

SCRIPT = """
scene = "flat"
noise = true
seconds = 4.0

[[signal]]
time = 2.0
do = "walk_to"
x = 1.0
y = 0.5

[[signal]]
time = 0.5
do = "drive"
forward = 0.3
"""


@pytest.fixture
def settings(code: WalkingCode) -> WalkSettings:
    model = code.body.model
    return WalkSettings(
        planner=planner_parameters(model),
        motion=MotionParameters(),
        planning=PlanningParameters(),
        gains=control_gains(model),
    )


def written(folder: Path, text: str) -> Path:
    path = folder / "script.toml"
    path.write_text(text)
    return path


def test_a_script_is_read_in_the_order_of_times(tmp_path: Path) -> None:
    request = read_request(written(tmp_path, SCRIPT))
    assert request.noise
    assert request.seconds == 4.0
    assert request.ordered_signals == (Drive(time=0.5, forward=0.3), WalkTo(time=2.0, x=1.0, y=0.5))
    write_request(request, tmp_path / "again.walk.json")
    assert read_request(tmp_path / "again.walk.json") == of_now(request)


@pytest.mark.parametrize(
    ("wrong", "right", "hint"),
    [
        ('"drive"', '"drvie"', "drive"),
        ("forward", "foward", "forward"),
        ("seconds", "second", "seconds"),
        ("0.3", '"fast"', "float"),
    ],
)
def test_wrong_scripts_are_refused_with_the_right_name(
    tmp_path: Path, wrong: str, right: str, hint: str
) -> None:
    with pytest.raises(InvalidInput, match=hint):
        read_request(written(tmp_path, SCRIPT.replace(wrong, right)))


def test_numbers_are_checked() -> None:
    with pytest.raises(InvalidInput, match="rad"):
        WalkTo(x=1.0, y=0.0, yaw=90.0)
    with pytest.raises(InvalidInput, match="finite"):
        Drive(forward=float("nan"))
    with pytest.raises(InvalidInput, match="exact, noisy, camera"):
        WalkRequest(sight="eyes")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="reduced, full"):
        WalkRequest(mode="fulll")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="drop"):
        WalkRequest(drop=-0.1)


def test_soft_things_have_the_damping_that_is_given() -> None:
    given: dict[str, Any] = {
        "name": "mat",
        "size": (1.0, 1.0, 0.1),
        "position": (0.0, 0.0, 0.05),
        "stiffness": 1e4,
    }
    damping = [added_object(Add(**given, damping=each)).material.damping for each in (None, 0.0, 30.0)]
    assert damping == [POINT_DAMPING, 0.0, 30.0]


def test_soft_things_are_soft_along_their_surface_too() -> None:
    """A spring along the surface that is as many times the normal one as that of soles on hard ground."""
    soft_box = soft(added_object(Add(name="mat", size=(1, 1, 1), position=(0, 0, 0), stiffness=1e4)).material)
    assert soft_box.shear_stiffness == SHEAR_SHARE * 1e4
    scene = soft_scene(load_scene("flat"))
    (floor,) = changed_objects(Surface(stiffness=2e4), scene)
    assert soft(floor.material).shear_stiffness == SHEAR_SHARE * 2e4
    hard = soft(Material())
    assert (hard.stiffness, hard.shear_stiffness) == (POINT_STIFFNESS, SHEAR_SHARE * POINT_STIFFNESS)


def test_every_signal_says_what_it_is() -> None:
    for word, kind in WORDS.items():
        assert kind.__doc__, word
    again = msgspec.convert(msgspec.to_builtins(Add(name="box", size=(1, 1, 1), position=(0, 0, 1))), Add)
    assert again.name == "box"
    assert Move(object="box", position=(1.0, 0.0, 0.0)).word == "move"
    assert Set(name="gains.step_share", value=0.5).word == "set"


def test_parameters_by_name(settings: WalkSettings) -> None:
    names = dict(settings.names())
    assert len(names) > 100
    changed = settings.changed("planner.step.forward_m", 0.25)
    assert changed.planner.step.forward_m == 0.25
    assert settings.changed("gains.step_share", 0).gains.step_share == 0.0
    assert settings.changed("motion.foot.step_height_m", 0.05).motion.foot.step_height_m == 0.05
    with pytest.raises(UnknownName, match=r"planner\.step\.forward_m"):
        settings.changed("planner.step.foward_m", 0.25)
    with pytest.raises(InvalidInput, match="> 0"):
        settings.changed("planner.step.forward_m", -1.0)
    with pytest.raises(InvalidInput, match="zero or above"):
        settings.changed("gains.balance_rate", "high")
    assert "gains.mass" not in names


def test_a_walk_of_another_version_is_told(tmp_path: Path) -> None:
    """A file says which version of walks wrote it; one without was written before there were any."""
    path = tmp_path / "a.walk.json"
    write_request(WalkRequest(scene="flat"), path)
    assert other_version(read_request(path)) is None
    text = path.read_text()
    assert f'"version": {WALKS}' in text
    path.write_text(text.replace(f'"version": {WALKS}', f'"version": {WALKS - 1}'))
    told = other_version(read_request(path))
    assert (
        told
        == f"written by version {WALKS - 1} of walks, this is version {WALKS}: it may walk otherwise than it did"
    )
    path.write_text('{"scene": "flat"}')
    told = other_version(read_request(path))
    assert told is not None
    assert "before walks had versions" in told
