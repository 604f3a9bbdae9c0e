"""Local indices against singular values, closed forms and what the source's reference pose has."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.workspace.chain import hand_motion
from footfall.workspace.evaluation import Asked, constants, evaluation_kernel
from footfall.workspace.indices import greatest_push, jacobian_indices
from tests.workspace.arms import lola_arm, planar_arm


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("columns", [3, 4, 7])
def test_condition_and_manipulability_are_those_of_singular_values(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows + 10 * columns)
    for _ in range(50):
        matrix = random.normal(size=(rows, columns)) * random.uniform(0.01, 3.0, (rows, 1))
        values = np.linalg.svd(matrix, compute_uv=False)
        found = jacobian_indices(matrix)
        # Gram and Schmidt lose digits with the condition, as all that forms J J^T does.
        tolerance = 1e-13 * (values[0] / values[-1]) ** 2
        assert found.condition == pytest.approx(values[-1] / values[0], rel=tolerance)
        assert found.manipulability == pytest.approx(values.prod(), rel=tolerance)


def test_fewer_joints_than_directions_have_no_manipulability() -> None:
    assert jacobian_indices(np.ones((3, 2))) == (0.0, 0.0)


def test_the_reference_pose_has_the_values_of_the_source() -> None:
    # Seiwald 2023, Fig. 3.5: (40, -15, 0, -90) degrees; values from Table H.1.
    chain = lola_arm()
    q = np.radians([40.0, -15.0, 0.0, -90.0])
    shares = (q - chain.lower) / (chain.upper - chain.lower)
    position, _, values = evaluation_kernel(chain, Asked())(shares, *constants(chain, Asked()))
    assert position == pytest.approx([0.1429, -0.2081, 0.3710], abs=5e-5)
    assert values[1] == pytest.approx(0.3834, abs=5e-5)
    assert values[2] == pytest.approx(0.06486, abs=5e-6)
    assert values[4] == pytest.approx(0.5579, abs=5e-5)
    longer = Asked(length=0.951)
    _, _, values = evaluation_kernel(chain, longer)(shares, *constants(chain, longer))
    assert values[2] == pytest.approx(0.0754, abs=5e-5)


def test_a_planar_arm_has_the_manipulability_of_the_textbook() -> None:
    # Yoshikawa: l1 l2 |sin q2|; stretched or folded the condition is 0.
    chain = planar_arm(0.4, 0.25)
    kernel, known = evaluation_kernel(chain, Asked()), constants(chain, Asked())
    for q in ([0.3, 0.8], [-1.0, -2.5], [2.0, 0.0], [0.0, np.pi]):
        shares = (np.array(q) - chain.lower) / (chain.upper - chain.lower)
        values = kernel(shares, *known)[2]
        # Shares round: 1e-16 of a turn at arms below 1 m.
        assert values[2] == pytest.approx(0.1 * abs(np.sin(q[1])), abs=1e-15 * 10)
        assert (values[1] < 1e-12) == (np.sin(q[1]) < 1e-12 and np.sin(q[1]) > -1e-12)


def test_a_wrist_of_three_crossing_axes_turns_by_the_sine_of_its_middle_joint() -> None:
    # The rotational manipulability of z-x-z axes is |sin q2|: the determinant of its three axes.
    text = """
        name = "wrist"
        [denavit_hartenberg]
        tool = [0.0, 0.0, 0.2]
        [[denavit_hartenberg.row]]
        type = "continuous"
        [[denavit_hartenberg.row]]
        type = "continuous"
        alpha_deg = 90
        [[denavit_hartenberg.row]]
        type = "continuous"
        alpha_deg = -90
    """
    from footfall.robot.toml import parse_toml
    from footfall.workspace import arm_chain

    chain = arm_chain(parse_toml(text), "base", "tool")
    kernel, known = evaluation_kernel(chain, Asked()), constants(chain, Asked())
    for angle in (0.2, 1.4, -2.0):
        shares = (np.array([0.5, angle, -1.0]) + np.pi) / (2.0 * np.pi)
        position, _, values = kernel(shares, *known)
        assert values[3] == pytest.approx(abs(np.sin(angle)), abs=1e-14)
        assert np.linalg.norm(position) == pytest.approx(0.2, abs=1e-15)


def test_jacobians_are_what_positions_change_by() -> None:
    chain = lola_arm()
    q, step = np.array([0.3, -0.7, 0.2, -1.0]), 1e-6
    motion = hand_motion(chain.attached, q)
    for k in range(4):
        there, here = (chain.pose(q + sign * step * np.eye(4)[k]).translation for sign in (1.0, -1.0))
        # Central differences: error of order step^2 and 1e-16 / step.
        assert (there - here) / (2.0 * step) == pytest.approx(motion.linear[:, k], abs=1e-9)


def test_seen_from_the_other_hand_both_arms_move() -> None:
    from footfall.workspace import arm_chain

    robot = footfall.load("lola")
    chain = arm_chain(robot, "LH", "RH")
    assert len(chain.joints) == 8
    q, step = np.linspace(-0.5, 0.5, 8), 1e-6
    motion = hand_motion(chain.attached, q)
    for k in range(8):
        there, here = (chain.pose(q + sign * step * np.eye(8)[k]).translation for sign in (1.0, -1.0))
        assert (there - here) / (2.0 * step) == pytest.approx(motion.linear[:, k], abs=1e-9)


def test_loads_and_pushes_are_those_of_statics() -> None:
    # tau = g(q) - J^T m g_vector; a push F along d needs g(q) + F J^T d within the limits.
    chain = lola_arm()
    asked = Asked(load=2.0, push=(0.0, 0.0, 1.0))
    q = np.array([0.4, -0.9, 0.3, -1.2])
    shares = (q - chain.lower) / (chain.upper - chain.lower)
    values = evaluation_kernel(chain, asked)(shares, *constants(chain, asked))[2]
    motion = hand_motion(chain.attached, q)
    own = footfall.gravity_forces(chain.robot, q)
    to_root = chain.attached.root.placement.rotation.T
    torques = own - motion.linear.T @ (2.0 * to_root @ np.array(chain.robot.gravity))
    assert values[6] == pytest.approx(np.abs(torques / chain.effort).max(), rel=1e-12)
    force = values[7]
    needed = np.abs(own + force * motion.linear.T @ np.array([0.0, 0.0, 1.0])) / chain.effort
    assert needed.max() == pytest.approx(1.0, rel=1e-12)


def test_no_push_is_left_where_weight_is_too_much() -> None:
    assert greatest_push(np.array([5.0, 0.0]), np.array([4.0, 4.0]), [1.0, 1.0]) == 0.0
    assert greatest_push(np.array([1.0, 0.0]), np.array([4.0, 4.0]), [-0.5, 0.1]) == 10.0
