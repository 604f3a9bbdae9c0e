"""`footfall simulate`: any robot in any scene, with a recording that is readable however it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from footfall.cli import app
from footfall.errors import SceneWarning
from footfall.recording.reader import read_recording
from footfall.simulation.simulation import Simulation

RUN = ["--duration", "0.3", "--output"]


def result_of(*words: str) -> Any:
    return CliRunner().invoke(app, ["simulate", *words])


def test_a_robot_comes_to_the_ground(tmp_path: Path) -> None:
    target = tmp_path / "base.mcap"
    result = result_of("point-foot-quadruped", "--height", "0", *RUN, str(target))
    assert result.exit_code == 0, result.output
    assert "carried by the ground" in result.output
    assert f"View it: footfall view {target}" in result.output.replace("\n", "")
    recording = read_recording(target)
    assert recording.complete
    assert recording.time[-1] == pytest.approx(0.3)
    assert recording.scene is not None
    weight = recording.robot.mass * 9.81
    contacts = recording.contacts
    last = contacts.force[contacts.at(len(contacts.time) - 1)].sum(axis=0)
    assert last[2] == pytest.approx(weight, rel=0.02)
    again = result_of("point-foot-quadruped", *RUN, str(target))
    assert "--force overwrites it" in str(again.exception)


def test_a_fixed_robot_holds_its_pose_or_hangs_limp(tmp_path: Path) -> None:
    ends = {}
    for name, options in (("held", []), ("limp", ["--limp"])):
        result = result_of("double-pendulum", *RUN, str(tmp_path / f"{name}.mcap"), *options)
        assert "its root is fixed to the world; --floating-base sets it free" in result.output
        recording = read_recording(tmp_path / f"{name}.mcap")
        ends[name] = float(np.abs(recording.q[-1] - recording.q[0]).max())
    assert ends["held"] <= ends["limp"]


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, calls = Simulation.run, []

    def interrupted(self: Simulation, *arguments: Any, **options: Any) -> Any:
        calls.append(self.state.time)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run(self, *arguments, **options)

    monkeypatch.setattr(Simulation, "run", interrupted)
    target = tmp_path / "stopped.mcap"
    result = result_of("double-pendulum", "--duration", "100", "--output", str(target))
    assert result.exit_code == 130
    assert "stopped by Ctrl-C at 0.200 s" in result.output
    recording = read_recording(target)
    assert recording.complete
    assert recording.time[-1] == pytest.approx(0.2)


def test_unknown_names_are_told(tmp_path: Path) -> None:
    result = result_of("quadruped", "--touching", "foot", "--output", str(tmp_path / "a.mcap"))
    assert "no body 'foot' in the simulation" in str(result.exception)
    assert not (tmp_path / "a.mcap").exists()
    result = result_of("quadruped", "--scene", "moon", "--output", str(tmp_path / "a.mcap"))
    assert "moon" in str(result.exception)


def test_a_scene_goes_by_itself(tmp_path: Path) -> None:
    scene = tmp_path / "drop.toml"
    scene.write_text(
        'name = "drop"\n[[object]]\nname = "floor"\nshape = "plane"\n'
        '[[object]]\nname = "ball"\nshape = "sphere"\nradius = 0.1\nmass = 1.0\nposition = [0.0, 0.0, 0.1]\n'
    )
    result = result_of(str(scene), *RUN, str(tmp_path / "drop.mcap"))
    assert result.exit_code == 0, result.output
    assert read_recording(tmp_path / "drop.mcap").q[-1, 2] == pytest.approx(0.1, abs=1e-6)
    result = result_of("flat", *RUN, str(tmp_path / "none.mcap"))
    assert "nothing in it moves by itself" in str(result.exception)


def test_a_robot_is_in_the_world_of_its_file(tmp_path: Path) -> None:
    """It starts as the file has it, and stands on the shelf that the file has; in another scene that is told."""
    source, target = tmp_path / "shelf.xml", tmp_path / "shelf.mcap"
    source.write_text(
        '<mujoco model="shelf"><worldbody><geom name="shelf" type="box" size="1 1 0.1" pos="0 0 0.9"/>'
        '<body name="crate" pos="0 0 1.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>'
        "</worldbody></mujoco>"
    )
    result = result_of(str(source), *RUN, str(target))
    assert result.exit_code == 0, result.output
    assert "shelf.xml: shelf" in result.output.replace("\n", "")
    recording = read_recording(target)
    np.testing.assert_allclose(recording.q[:, 2], 1.1, atol=1e-6)
    assert recording.scene is not None
    assert [each.name for each in recording.scene.objects] == ["shelf"]
    with pytest.warns(SceneWarning, match="no part of a robot: shelf"):
        result_of(str(source), "--scene", "flat", *RUN, str(tmp_path / "flat.mcap"))
    on_floor = read_recording(tmp_path / "flat.mcap")
    assert on_floor.q[0, 2] == pytest.approx(0.12, abs=1e-6)  # 2 cm above it, as everywhere
