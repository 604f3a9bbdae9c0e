"""A policy in a scene with contacts that are found, and from the command line."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from footfall.errors import FootfallError
from footfall.learning import Policy, PolicyRun, note_of, quadruped_velocity, read_policy_note, save_policy

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def run() -> PolicyRun:
    return PolicyRun("go2")


def test_shipped_policy_follows_where_contacts_are_found(run):
    run.reset()
    run.command = np.array([0.6, 0.0, 0.0])
    moving = []
    for k in range(200):
        run.step()
        if k >= 75:
            moving.append(run.velocity)
    assert not run.fallen
    assert np.mean(moving, axis=0) == pytest.approx([0.6, 0.0, 0.0], abs=0.15)
    run.command = np.zeros(3)
    for _ in range(75):
        run.step()
    assert np.abs(run.velocity[:2]).max() < 0.2


def test_the_shipped_biped_walks_ahead():
    """Legs only; what the policy does not move is where its file says."""
    run = PolicyRun("g1")
    run.command = np.array([0.5, 0.0, 0.0])
    moving = [run.step() and run.velocity for _ in range(200)][75:]
    assert not run.fallen
    assert np.mean(moving, axis=0)[:2] == pytest.approx([0.5, 0.0], abs=0.2)
    assert len(run.note.joints) == 12
    robot = run.observer.robot
    assert run.simulation.q[robot.q_slice("left_elbow_joint")] == pytest.approx(
        run.note.others["left_elbow_joint"], abs=0.1
    )


def test_runs_repeat_to_the_bit(run):
    paths = []
    for _ in range(2):
        run.reset()
        run.command = np.array([0.3, 0.2, -0.4])
        paths.append(np.array([run.step().q[-1] for _ in range(20)]))
    assert np.array_equal(*paths)


def test_fallen_is_seen(run):
    run.reset()
    assert not run.fallen
    q = run.simulation.q
    q[3:7] = np.cos(0.7), np.sin(0.7), 0.0, 0.0  # 1.4 rad to a side
    run.simulation.reset(q)
    assert run.fallen


def network(path, inputs, outputs, *, rows=1, value=0.0, name="obs"):
    """A file as others write them: one linear layer, for one robot, without a note."""
    helper, kinds = onnx.helper, onnx.TensorProto
    weight, bias = np.zeros((inputs, outputs), np.float32), np.full(outputs, value, np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", [name, "w", "b"], ["continuous_actions"])],
        "theirs",
        [helper.make_tensor_value_info(name, kinds.FLOAT, [rows, inputs])],
        [helper.make_tensor_value_info("continuous_actions", kinds.FLOAT, [rows, outputs])],
        [onnx.numpy_helper.from_array(weight, "w"), onnx.numpy_helper.from_array(bias, "b")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8), path)
    return path


# The order of a public joystick policy for Go1 and Go2: joints from front right to rear left, velocities of the sensor
# unscaled, then the command.
THEIRS = """
robot = "go2"
period = 0.02
dt = 0.004
joints = ["FR_hip_joint", "FR_thigh_joint", "FR_calf_joint", "FL_hip_joint", "FL_thigh_joint", "FL_calf_joint",
          "RR_hip_joint", "RR_thigh_joint", "RR_calf_joint", "RL_hip_joint", "RL_thigh_joint", "RL_calf_joint"]
default = [0.1, 0.9, -1.8, -0.1, 0.9, -1.8, 0.1, 0.9, -1.8, -0.1, 0.9, -1.8]
kp = 35.0
kd = 0.5
action_scale = 0.5
speeds = [1.5, 0.8, 1.2]
observations = ["base_velocity", { term = "base_rate", scale = 1.0 }, "gravity", "joint_position",
                { term = "joint_rate", scale = 1.0 }, "last_action", "command"]
"""


def test_a_policy_that_was_trained_elsewhere(tmp_path):
    path = network(tmp_path / "theirs.onnx", 48, 12, value=0.1)
    note = tmp_path / "theirs.toml"
    note.write_text(THEIRS)
    policy = Policy(path)
    assert policy.note is None
    assert policy(np.zeros((3, 48))).shape == (3, 12)  # though it takes one row at a time
    with pytest.raises(FootfallError, match="does not say what it sees"):
        PolicyRun(policy)
    run = PolicyRun(policy, note=read_policy_note(note))
    assert run.simulation.substeps == 5
    for _ in range(25):
        run.step()
    assert not run.fallen
    assert run.action == pytest.approx(0.1)
    robot = run.observer.robot
    # All goals are 0.05 rad above their posture; servos leave the legs where their weight lets them.
    assert run.simulation.q[robot.q_slice("RL_hip_joint")] == pytest.approx(-0.05, abs=0.06)


def test_sizes_are_compared(tmp_path):
    (tmp_path / "theirs.toml").write_text(THEIRS)
    note = read_policy_note(tmp_path / "theirs.toml")
    with pytest.raises(FootfallError, match="takes 47 numbers; the observations it names have 48"):
        PolicyRun(network(tmp_path / "a.onnx", 47, 12), note=note)
    with pytest.raises(FootfallError, match="gives 11 actions; it names 12 joints"):
        PolicyRun(network(tmp_path / "b.onnx", 48, 11), note=note)
    with pytest.raises(FootfallError, match="must be a whole number of it"):
        PolicyRun(network(tmp_path / "c.onnx", 48, 12), note=note, dt=0.003)
    wild = PolicyRun(network(tmp_path / "d.onnx", 48, 12, value=np.nan), note=note)
    with pytest.raises(FootfallError, match=r"action for joint 'FR_hip_joint' is nan at 0\.000 s"):
        wild.step()


def test_touch_is_felt(tmp_path):
    from footfall.learning import terms

    task = quadruped_velocity(
        "go2", observations={"touching": terms.foot_touching, "force": terms.foot_force}
    )
    layers = [(np.zeros((12, 8)), np.zeros(12))]
    save_policy(tmp_path / "p.onnx", task, layers, mean=np.zeros(8), variance=np.ones(8))
    run = PolicyRun(tmp_path / "p.onnx")
    for _ in range(50):
        run.step()
    seen = run.observe()
    assert seen[:4].tolist() == [1.0] * 4
    # A robot at rest: forces (scaled by 0.01) carry its weight.
    assert 100 * seen[4:].sum() == pytest.approx(9.81 * task.model.mass, rel=0.05)


def invoke(*arguments):
    from footfall.cli.application import app

    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("--policy", "go2", "--velocity", "0.5,0,0", "--duration", "0.4", "-o", "go2.mcap")
    assert result.exit_code == 0, result.output
    assert "moves 12 joints every 0.02 s" in result.output
    assert (tmp_path / "go2.mcap").is_file()
    for arguments, message in (
        (["--policy", "none.onnx"], "is not there"),
        (["--policy", "go2", "--velocity", "fast"], "three numbers"),
        (["--policy", "go2", "--limp"], "do not go together"),
        (["go2", "--panel"], "--panel needs a policy"),
        (["anymal", "--policy", "go2"], "no joint 'FL_hip_joint'"),
        ([], "what to simulate is missing"),
    ):
        result = invoke(*arguments)
        assert result.exit_code != 0
        assert message in " ".join((result.output + str(result.exception)).split()), result.output


def test_note_names_what_a_task_has():
    note = note_of(quadruped_velocity("go2"))
    assert [part.term for part in note.observations][:3] == ["base_velocity", "base_rate", "gravity"]
