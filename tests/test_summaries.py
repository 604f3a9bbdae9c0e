"""What a notebook and a prompt show of values: one screen, with what one needs to go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import footfall


def test_a_robot_as_html() -> None:
    robot = footfall.load("quadruped")
    text = robot._repr_html_()
    assert text.startswith("<b>Robot &#x27;quadruped&#x27;: 17 bodies")
    assert text.count("<tr>") == 1 + 17  # the head, the base and 16 joints
    joint = robot.joints[-1]
    assert f">{joint.name}</td>" in text
    assert f">{robot.q_slice(joint.name).start}</td>" in text
    assert ">0 to 6</td>" in text
    assert "and 20 more" in footfall.load("chain-60")._repr_html_()


def test_a_recording_as_html(tmp_path: Path) -> None:
    robot = footfall.load("double-pendulum")
    with footfall.RecordingWriter(tmp_path / "a.mcap", robot, metadata={"by": "<me>"}) as writer:
        writer.state(0.0, np.zeros(2), np.zeros(2))
        writer.event(0.0, "started")
    text = footfall.read_recording(tmp_path / "a.mcap")._repr_html_()
    assert ">(1, 2)<" in text
    assert ">started<" in text
    assert "&lt;me&gt;" in text
    assert "<me>" not in text


def test_trajectories_and_simulations_are_one_line() -> None:
    simulation = footfall.Simulation(footfall.load("double-pendulum"), dt=0.01)
    trajectory = simulation.run(simulation.zero_command, 0.05)
    assert repr(trajectory).startswith("Trajectory over 0.01 to 0.05 s: time (5,), q (5, 2), v (5, 2)")
    assert repr(simulation).startswith(
        "Simulation of 'double-pendulum' in scene 'empty': t = 0.05 s, steps of 10 ms"
    )
