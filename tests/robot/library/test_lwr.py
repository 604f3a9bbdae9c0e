"""The KUKA LWR 4 against the regression case of Devaramani 2019, chapter 3, solved as a constrained problem."""

from __future__ import annotations

import numpy as np

from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.load import load


def test_constrained_accelerations() -> None:
    robot = load("kuka-lwr")
    q = robot.configuration("regression")
    v = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0])
    torques = np.array([5.0, 0.0, 0.0, 0.0, 0.0, -6.0, 0.0])
    wrench = np.array([10.0, 15.0, 0.0, 0.0, 0.0, 5.0])
    rows = [0, 1, 2, 5]  # linear x, y, z and angular z of the tip are prescribed
    prescribed = np.array([-0.5, -0.5, 0.0, 0.2])

    mass = np.asarray(mass_matrix.textbook(robot, q))
    assert np.linalg.eigvalsh(mass)[0] > 0.0
    jacobian = np.asarray(frame_jacobian.textbook(robot, q, "tip"))
    # The reference counts accelerations from free fall and without the velocity product: theirs is ours plus
    # 9.81 m/s2 upwards less w x v.
    tip = jacobian @ v
    bias = np.asarray(frame_jacobian_bias.textbook(robot, q, v, "tip"))
    bias = bias + np.concatenate([[0.0, 0.0, 9.81] - np.cross(tip[3:], tip[:3]), np.zeros(3)])
    free = torques - np.asarray(bias_forces.textbook(robot, q, v)) + jacobian.T @ wrench
    constraints = jacobian[rows]
    system = np.block([[mass, constraints.T], [constraints, np.zeros((4, 4))]])
    solution = np.linalg.solve(system, np.concatenate([free, prescribed - bias[rows]]))

    accelerations = [573.38989, -1447.4742, 925.00688, 23.014342, -14.322013, -15.349682, 1443.9185]
    np.testing.assert_allclose(solution[:7], accelerations, rtol=3e-8)
    multipliers = [669693.30355, 5930.60826, -639.5238, 573.90485]
    np.testing.assert_allclose(solution[7:], multipliers, rtol=1e-7)
