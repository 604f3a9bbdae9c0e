"""Observations of robots that somebody else simulates, and what files say of policies."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from footfall.errors import FootfallError, UnknownName
from footfall.learning import (
    FootfallVectorEnv,
    Observer,
    Term,
    note_of,
    quadruped_velocity,
    read_policy_note,
    terms,
)
from footfall.learning.policy_note import note_from_json, note_text


@pytest.fixture(scope="module")
def quiet_task():
    """Go2 without noise and wrong encoders, so that what is seen follows from the state."""
    task = quadruped_velocity("go2", kp=30.0, kd=0.8)
    plain = {name: Term(each.function, options=each.options) for name, each in task.observations.items()}
    plain["phase"] = Term(terms.gait_phase, options={"period": 0.5})
    plain["touching"] = Term(terms.foot_touching)
    resets = {name: each for name, each in task.resets.items() if name != "encoder_bias"}
    return dataclasses.replace(task, observations=plain, resets=resets)


def test_observer_sees_what_the_environment_shows(quiet_task):
    env = FootfallVectorEnv(quiet_task, 6)
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(8):
        last = env.rows["action"].copy()
        seen, *_ = env.step(rng.normal(scale=0.5, size=(6, 12)))
    rows = env.rows
    observe = Observer(note_of(quiet_task))
    touching = (rows["air_time"] == 0.0).astype(float)
    felt = (np.zeros((6, 4, 3)), touching, np.zeros((6, 4)), rows["air_time"])
    own = observe.kernel.batch(
        rows["q"], rows["v"], rows["command"], rows["action"], last, rows["elapsed"], *felt, threads=1
    )
    np.testing.assert_allclose(own, seen, rtol=0, atol=2e-6)  # float32 of numbers up to 20
    assert observe.size == seen.shape[1] == 48 + 2 + 4
    plain = observe(
        rows["q"],
        rows["v"],
        command=rows["command"],
        action=rows["action"],
        last_action=last,
        elapsed=rows["elapsed"],
    )
    assert np.array_equal(plain[:, :50], own[:, :50])
    assert np.abs(plain[:, 50:] - own[:, 50:]).max() == 1.0  # nobody told it what touches


def test_notes_go_through_files(quiet_task):
    note = note_of(quiet_task)
    again = note_from_json(note_text(note), "p.onnx")
    assert again == note
    assert again.observations[-2].options == {"period": 0.5}
    assert again.speeds == (1.0, 0.5, 1.0)


def test_notes_of_the_first_version_are_read():
    text = (
        '{"robot": "go2", "joints": ["FL_hip_joint"], "default": [0.1], "kp": [30.0], "kd": [0.8], '
        '"action_scale": 0.35, "action_limit": 10.0, "period": 0.02, '
        '"observations": [["gravity", 3], ["joint_rate", 1]]}'
    )
    note = note_from_json(text, "old.onnx")
    assert note.parts == {"gravity": 3, "joint_rate": 1}
    assert Observer(note).size == 4


def test_own_terms_need_the_task():
    def double(gravity):
        return 2.0 * gravity

    task = quadruped_velocity("go2", observations={"twice": double})
    note = note_from_json(note_text(note_of(task)), "p.onnx")
    with pytest.raises(FootfallError, match="'twice' is a function of the task's own"):
        Observer(note)
    assert Observer(note, task=task).size == 3


WRITTEN = """
robot = "go2"
period = 0.02
dt = 0.004
joints = ["FR_hip_joint", "FL_hip_joint", "FR_calf_joint"]
default = [-0.1, 0.1, -1.5]
kp = 35.0
kd = 0.5
action_scale = 0.5
speeds = [1.5, 0.8, 1.2]
observations = [
    "base_velocity",
    { term = "base_rate", scale = 1.0 },
    "gravity",
    { term = "command", scale = [2.0, 2.0, 0.25] },
    "joint_position",
    { term = "joint_rate", scale = 0.05 },
    "last_action",
]
[others]
thigh = 0.9
"""


def test_policies_of_others_are_told_by_a_file(tmp_path):
    path = tmp_path / "theirs.toml"
    path.write_text(WRITTEN)
    note = read_policy_note(path)
    assert note.kp == (35.0, 35.0, 35.0)
    observe = Observer(note)
    robot = observe.robot
    q, v = np.array(observe.default), np.zeros(robot.nv)
    assert q[robot.q_slice("RR_thigh_joint")] == 0.9
    q[robot.q_slice("FR_hip_joint")] = 0.2  # the first of theirs, not of ours
    v[robot.v_slice("FR_calf_joint")] = 3.0
    v[3:6] = 0.1, 0.2, 0.3
    action, command = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.2, 1.0])
    (seen,) = observe(
        q[None], v[None], command=command[None], action=action[None], last_action=np.zeros((1, 3))
    )
    wanted = [0, 0, 0, 0.1, 0.2, 0.3, 0, 0, -1, 1.0, -0.4, 0.25, 0.3, 0, 0, 0, 0, 0.15, 1.0, 2.0, 3.0]
    np.testing.assert_allclose(seen, wanted, atol=1e-12)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('"FL_hip_joint", "FR_calf', '"FL_hip", "FR_calf', r"no joint 'FL_hip'.*FL_hip_joint"),
        ("kp = 35.0", "kp = [35.0]", r"kp of .* is \[35.0\]; it must be 3 finite"),
        ("kd = 0.5", "kd = -0.5", "kd of .* must be at least 0"),
        ("period = 0.02", "period = 0.0", "period of .* is 0.0; it must be above zero"),
        ("period = 0.02\n", "", "does not say period"),
        ("dt = 0.004", "step = 0.004", "no key 'step'"),
        ('"gravity"', '"gravitation"', "no term 'gravitation'"),
        ("scale = 0.05", "scales = 0.05", "no option 'scales'"),
        ("scale = 0.05", "scale = 'small'", "option 'scale' of observation 'joint_rate'.*must be numbers"),
        (
            '"gravity"',
            '{ term = "gravity", size = 4 }',
            "has 3 numbers on robot 'go2_description'; .*trained with 4",
        ),
        ('"FR_hip_joint", "FL_hip_joint"', '"FL_hip_joint", "FL_hip_joint"', "names a joint twice"),
        ('robot = "go2"', "robot = ", "no TOML"),
        ("thigh = 0.9", "tail = 0.9", "no joint 'tail'"),
    ],
)
def test_wrong_files_of_policies_are_told(tmp_path, old, new, message):
    assert old in WRITTEN
    path = tmp_path / "wrong.toml"
    path.write_text(WRITTEN.replace(old, new))
    with pytest.raises((FootfallError, UnknownName), match=message):
        Observer(read_policy_note(path))
