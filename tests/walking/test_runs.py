"""Walks with a name: all of them can be asked for, and a short one is walked by the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli.application import app
from footfall.gait.actions import straight
from footfall.motion.joint_loads import joint_loads
from footfall.motion.parameters import MotionParameters
from footfall.recording.reader import read_recording
from footfall.scene.load import load_scene
from footfall.walking.gains import control_gains
from footfall.walking.request import WalkRequest, of_now, read_request, write_request
from footfall.walking.runs import RUNS
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.signals import Set, WalkStraight
from footfall.walking.walk import walk
from footfall.walking.walker import WalkingCode

# Seiwald 2023, chapter 8, by the words that stand for them here
VALIDATION = (
    "platform",
    "right-wall",
    "right-table",
    "corridor",
    "obstacles",
    "ramps",
    "stairs",
    "short-stairs",
    "trap",
    "stamping",
    "uneven-ground",
    "rolling-board",
    "fast",
    "replanning",
    "vision",
    "vision-wall",
    "fast-corridor",
)

SCRIPT = """
scene = "flat"
rest = 0.1
[[signal]]
time = 0.0
do = "add"
name = "box"
size = [0.1, 0.1, 0.1]
position = [1.0, 1.0, 0.05]
[[signal]]
time = 0.2
do = "move"
object = "box"
position = [1.0, -1.0, 0.05]
[[signal]]
time = 0.8
do = "walk"
distance = 0.2
"""


def test_every_validation_run_has_a_word() -> None:
    assert set(VALIDATION) <= set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_runs_can_be_asked_for(name: str, code: WalkingCode, tmp_path: Path) -> None:
    run = RUNS[name]
    assert run.about
    load_scene(run.request.scene)
    write_request(run.request, tmp_path / "run.walk.json")
    assert read_request(tmp_path / "run.walk.json") == of_now(run.request)
    settings = _settings(code)
    for signal in run.request.signals:
        if isinstance(signal, Set):
            settings = settings.changed(signal.name, signal.value)  # refuses what there is not


def test_the_fastest_walk_is_within_what_drives_can(code: WalkingCode) -> None:
    """4.5 km/h; hips would be too slow for it with swings as they usually are."""
    model, signals = code.body.model, RUNS["fastest"].request.signals
    (walk,) = (each for each in signals if isinstance(each, WalkStraight))
    usual = settings = _settings(code)
    for signal in signals:
        if isinstance(signal, Set):
            settings = settings.changed(signal.name, signal.value)
    usual = usual.changed("motion.phase.transition_s", settings.motion.phase.transition_s)
    shares = []
    for parameters in (settings.motion, usual.motion):
        plan = footfall.walking_plan(model, straight(walk.distance, longest=walk.longest))
        motion = footfall.generate_motion(plan, model, parameters=parameters, body=code.whole)
        middle = motion.sample([0.4 * motion.duration, 0.6 * motion.duration]).center_of_mass[:, 0, 0]
        assert (middle[1] - middle[0]) / (0.2 * motion.duration) > 4.5 / 3.6
        shares.append(joint_loads(motion, code.whole).velocity_share)
    assert shares[0] < 1.0 < shares[1]


def _settings(code: WalkingCode) -> WalkSettings:
    model = code.body.model
    return WalkSettings(
        planner=planner_parameters(model),
        motion=MotionParameters(),
        planning=PlanningParameters(),
        gains=control_gains(model),
    )


def test_a_script_is_walked_recorded_and_replayed(tmp_path: Path) -> None:
    script = tmp_path / "short.toml"
    script.write_text(SCRIPT)
    runner, folder = CliRunner(), tmp_path / "out"
    options = ["--script", str(script), "--no-plot", "--json", "-o", str(folder)]
    result = runner.invoke(app, ["walk", *options])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["reached"]
    assert summary["plans"] == 2
    recording = read_recording(folder / "short.mcap")
    words = [event.name for event in recording.events]
    assert words.count("plan") == 2
    assert words.count("signal") == 3
    plan = [event for event in recording.events if event.name == "plan"][-1]
    assert plan.data["about"] == "walk"
    assert len(plan.data["feet"]) >= 3
    signals = recording.signals
    assert signals.units["zmp"] == "m"
    assert signals.values["right_foot"].shape == (len(signals.time), 6)
    weight = recording.robot.mass * 9.81
    last = signals.values["right_foot"][-1, 2] + signals.values["left_foot"][-1, 2]
    assert last == pytest.approx(weight, rel=0.02)
    # The plan that is followed changes when the second one was taken up, and sensors without errors tell what is true.
    begin = recording.events[words.index("plan", words.index("plan") + 1)].time
    np.testing.assert_array_equal(signals.values["plan"], signals.time > begin + 1.5e-3)
    assert signals.units["measured_right_foot"] == "N, N m"
    measured = signals.values["measured_right_foot"][-1]
    np.testing.assert_allclose(measured[2], signals.values["right_foot"][-1, 2], rtol=1e-3)
    np.testing.assert_allclose(signals.values["measured_joints"], recording.q[:, 7:33], atol=1e-12)
    # The box is where it was put, then where it was moved to.
    assert recording.scene is not None
    box = recording.scene.object("box")
    assert box.motion is not None
    assert box.motion.pose(0.1).translation[1] == pytest.approx(1.0)
    assert box.motion.pose(1.0).translation[1] == pytest.approx(-1.0)
    again = runner.invoke(
        app, ["replay", str(folder / "short.walk.json"), "--no-plot", "--json", "-o", str(tmp_path)]
    )
    assert again.exit_code == 0, again.output
    assert (tmp_path / "short.npz").read_bytes() == (folder / "short.npz").read_bytes()


def test_a_fall_is_reported_with_its_cause_and_kept(tmp_path: Path) -> None:
    options = ["flat", "--goal", "1,0,0", "--push", "torso,0,5000,0,0.3,0.2", "--no-plot", "--json"]
    result = CliRunner().invoke(app, ["walk", *options, "-o", str(tmp_path)])
    assert result.exit_code == 1
    summary = json.loads(result.stdout)
    assert summary["fallen"]
    assert " at " in summary["cause"]
    assert summary["residual"] < 1e-8  # in the air too
    recording = read_recording(tmp_path / "flat.mcap")
    assert [event.name for event in recording.events].count("fallen") == 1


def test_lists_say_what_there_is() -> None:
    text = CliRunner().invoke(app, ["walk", "--list"]).output
    assert "rolling-board" in text
    assert "A floor without end." in text


def test_standing_is_a_walk_too() -> None:
    done = walk(WalkRequest(scene="flat", seconds=0.3))
    assert done.summary.reached
    assert done.summary.steps == 0
    assert done.summary.distance == 0.0


def test_ctrl_c_while_a_walk_is_written_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended without a word when the plot was being drawn."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("footfall.scenarios.walk_outputs.plot_walk", interrupted)
    options = ["walk", "flat", "--goal", "0.3,0", "--seconds", "0.1", "--output", str(tmp_path)]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 130, result.output
    assert "interrupted while it wrote; kept:" in result.output
    for ending in (".json", ".mcap", ".npz", ".walk.json"):
        assert (tmp_path / f"flat{ending}").is_file()
        assert f"flat{ending}" in result.output
