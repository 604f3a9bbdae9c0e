"""Geometric errors of LOLA's leg from measured foot poses: derivative, rank, recovery, uncertainty."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, RobotError, UnknownName
from footfall.math.rotations import matrix_from_rotation_vector, rotation_vector_from_matrix
from footfall.math.transform import Transform
from footfall.robot.drives.kinematic_identification import (
    KinematicChain,
    chain_of,
    identification_jacobian,
    identify_kinematics,
)

LOLA = footfall.load("lola")
LEG = chain_of(LOLA, "sfr", base="ba")  # the six joints that the jig sets
PLACES = [LOLA.q_slice(name).start for name in LEG.joints]


def leg_positions(count: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.uniform(LOLA.lower_limits[PLACES], LOLA.upper_limits[PLACES], (count, 6))


def damaged(seed: int = 5, size: float = 1e-3) -> KinematicChain:
    return LEG.with_line_errors(size * np.random.default_rng(seed).normal(size=(6, 4)))


def measured(chain: KinematicChain, positions: np.ndarray, noise: float, seed: int = 1) -> list[Transform]:
    random = np.random.default_rng(seed)
    poses = [chain.pose(q) for q in positions]
    return [
        Transform(
            matrix_from_rotation_vector(noise * random.normal(size=3)) @ pose.rotation,
            pose.translation + noise * random.normal(size=3),
        )
        for pose in poses
    ]


def distance(a: KinematicChain, b: KinematicChain) -> float:
    """Between the lines of two chains: greatest difference of directions and of moments."""
    moments = np.cross(a.points, a.directions) - np.cross(b.points, b.directions)
    return float(max(np.abs(a.directions - b.directions).max(), np.abs(moments).max()))


def test_chain_is_the_robot() -> None:
    assert LEG.joints == ("hrr", "har", "hfr", "kfr", "sar", "sfr")
    q = footfall.neutral(LOLA)
    for position in leg_positions(4):
        q[PLACES] = position
        base, foot = (footfall.frame_pose(LOLA, q, name) for name in ("ba", "sfr"))
        expected = Transform(*base).inverse() @ Transform(*foot)
        found = LEG.pose(position)
        np.testing.assert_allclose(found.translation, expected.translation, atol=1e-14)
        np.testing.assert_allclose(found.rotation, expected.rotation, atol=1e-14)


@pytest.mark.parametrize("tool", [False, True])
def test_jacobian_is_the_derivative(tool: bool) -> None:
    q, step = leg_positions(1)[0], 1e-6
    columns = []
    for unit in np.eye(24 + 6 * tool):
        ends = []
        for sign in (step, -step):
            chain = LEG.with_line_errors(sign * unit[:24].reshape(6, 4))
            ends.append((chain.with_tool_error(sign * unit[24:]) if tool else chain).pose(q))
        turn = rotation_vector_from_matrix(ends[0].rotation @ ends[1].rotation.T)
        columns.append(np.concatenate([ends[0].translation - ends[1].translation, turn]) / (2 * step))
    np.testing.assert_allclose(
        identification_jacobian(LEG, q, tool=tool), np.stack(columns, axis=1), atol=1e-8
    )


def test_three_poses_are_too_few_and_twenty_four_enough() -> None:
    for count, complete in ((3, False), (24, True), (30, True)):
        positions = leg_positions(count)
        found = identify_kinematics(LEG, positions, measured(damaged(), positions, 0.0))
        assert found.parameters == 24
        assert found.complete == complete
        if complete:
            assert found.rank == 24
            assert found.condition < 1e3
            assert np.isfinite(found.uncertainty).all()
        else:
            assert found.rank <= 18
            assert found.condition == np.inf
            assert np.isinf(found.uncertainty).any()


def test_errors_are_recovered() -> None:
    positions, true = leg_positions(24), damaged()
    found = identify_kinematics(LEG, positions, measured(true, positions, 0.0))
    assert found.converged
    assert found.steps <= 6
    assert distance(LEG, true) > 1e-3
    assert distance(found.chain, true) < 1e-11
    assert found.residual < 1e-8


def test_tool_is_recovered_as_well() -> None:
    positions = leg_positions(30)
    true = damaged().with_tool_error(np.array([1e-3, -2e-3, 3e-3, 2e-3, 1e-3, -1e-3]))
    found = identify_kinematics(LEG, positions, measured(true, positions, 0.0), tool=True)
    assert found.rank == found.parameters == 30
    assert distance(found.chain, true) < 1e-10
    np.testing.assert_allclose(found.chain.tool.translation, true.tool.translation, atol=1e-10)
    alone = identify_kinematics(LEG, positions, measured(true, positions, 0.0))
    assert alone.residual > 1.0  # lines alone cannot explain it


def test_uncertainty_predicts_the_errors() -> None:
    positions, true, noise = leg_positions(30), damaged(), 1e-4
    ratios = []
    for seed in range(4):
        poses = measured(true, positions, noise, seed)
        found = identify_kinematics(LEG, positions, poses, position_noise=noise, angle_noise=noise)
        assert found.residual == pytest.approx(np.sqrt(1.0 - 24 / 180), abs=0.2)  # 24 of 180 are fitted
        shift = found.chain.directions - true.directions
        sides = true.error_directions()[:, 3:, :2]
        # A direction turned by e about a side moves by side x direction: read the angles back.
        angles = np.einsum("kij,ki->kj", sides, np.cross(true.directions, shift))
        ratios.append(angles / found.uncertainty.reshape(6, 4)[:, :2])
    assert np.std(ratios) == pytest.approx(1.0, abs=0.3)


def test_faults() -> None:
    with pytest.raises(InvalidInput, match=r"must be \(2, 6\)"):
        identify_kinematics(LEG, np.zeros((3, 6)), [LEG.tool, LEG.tool])
    with pytest.raises(UnknownName, match="nose"):
        chain_of(LOLA, "nose", base="ba")
    with pytest.raises(UnknownName, match="body 'nose'"):
        chain_of(LOLA, "RF", base="nose")
    with pytest.raises(RobotError, match="does not hang on"):
        chain_of(LOLA, "RH", base="ba")
    with pytest.raises(RobotError, match="hinges only"):
        chain_of(
            footfall.load("scara"),
            footfall.load("scara").bodies[-1].name,
            base=footfall.load("scara").bodies[0].name,
        )
