"""Rows of a learning task in MuJoCo: the same robot, gains, feet and step, seen by the same terms."""

from __future__ import annotations

from typing import Any, Literal

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.lab.contact_mujoco import add_servos
from footfall.arrays import Array
from footfall.geometry.height_map import HeightMap
from footfall.learning.task import LearningTask
from footfall.robot.mjcf_writer import mjcf_text
from tests.peers.mujoco import MujocoModel

FLAGS = "elliptic cones, impratio 10, implicitfast"
_POINT = 0.002  # m: radius of a ball that stands for a corner, which MuJoCo has no shape for

Shapes = Literal["feet", "all"]


class MujocoRows(MujocoModel):
    """Robots of a task in MuJoCo; one step of the environment is one call of `mujoco.rollout`.

    shapes: "feet", the balls that ours have, or "all" of the robot's file against the ground; robots do not touch
    themselves. dt: s, of a step, by default the task's. q (rows, nq), v (rows, nv): in our order.
    """

    def __init__(
        self,
        task: LearningTask,
        rows: int,
        *,
        shapes: Shapes = "feet",
        dt: float | None = None,
        friction: float = 0.8,
    ) -> None:
        robot, (kp, kd) = task.model, task.gains
        spec = mujoco.MjSpec.from_string(mjcf_text(robot, meshes=shapes == "all"))
        spec.option.timestep = task.dt if dt is None else dt
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 10.0
        if shapes == "feet":
            for geom in list(spec.geoms):
                spec.delete(geom)
            _add_feet(spec, task)
        for geom in spec.geoms:
            geom.contype, geom.conaffinity = 0, int(bool(geom.contype or geom.conaffinity))
            geom.friction[0] = friction
        _add_ground(spec, task.ground, friction)
        for motor in list(spec.actuators):
            spec.delete(motor)
        add_servos(spec, robot, kp, kd)
        super().__init__(robot, spec.compile())
        self.task, self.rows = task, rows
        self.substeps = round(task.dt * task.substeps / self.model.opt.timestep)
        self._data = mujoco.MjData(self.model)
        self.unstable = 0  # times that MuJoCo found numbers that are none or huge, and began anew
        self._states = np.zeros((rows, mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        self.reset(np.ones(rows, dtype=bool))

    def reset(self, chosen: Array, q: Array | None = None) -> None:
        """Let rows of a mask stand at the default configuration, or at q (nq,) or (chosen, nq)."""
        nq = self.model.nq
        self._states[chosen] = 0.0
        self._states[chosen, 1 : 1 + nq] = self.q(np.asarray(self.task.default if q is None else q))

    @property
    def positions(self) -> Array:
        """q (rows, nq)."""
        return self._states[:, 1 : 1 + self.model.nq][:, self.order_q]

    @property
    def velocities(self) -> Array:
        """v (rows, nv)."""
        nq = self.model.nq
        return self._states[:, 1 + nq : 1 + nq + self.model.nv][:, self.order_v]

    def kick(self, change: Array) -> None:
        """Change the base's velocity by (rows, 3) m/s, world axes."""
        first = 1 + self.model.nq + self.order_v[0]
        self._states[:, first : first + 3] += change

    def step(self, goals: Array) -> None:
        """One step of the environment under goals (rows, joints), rad."""
        control = np.repeat(goals[:, None], self.substeps, axis=1)
        mujoco.set_mju_user_warning(self._warned)
        states, _ = rollout.rollout(self.model, [self._data], self._states, control)
        self._states[:] = states[:, -1]

    def _warned(self, _: str) -> None:
        self.unstable += 1

    def goals(self, actions: Array) -> Array:
        """Of actions (rows, joints) in units of the action."""
        return self.task.goals(actions)

    @property
    def fallen(self) -> Array:
        """(rows,) whether the base is low or leans by more than 1.2 rad, as in the task."""
        q = self.positions
        upright = 1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2)
        ground = [self.task.step.height(x, y) for x, y in q[:, :2]]
        return np.asarray((q[:, 2] - ground < 0.55 * self.task.default[2]) | (upright < np.cos(1.2)))


def _add_feet(spec: Any, task: LearningTask) -> None:
    for foot in task.step.feet:
        for point in foot.points:
            center, radius = np.array(point.point), point.radius
            if radius < _POINT:  # a small ball inside of the corner, whose lowest point is the corner's
                center, radius = center + _upwards(task, foot.body) * (_POINT - radius), _POINT
            spec.body(foot.body).add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], pos=center, conaffinity=1, mass=0.0
            )


def _upwards(task: LearningTask, body: str) -> Array:
    from footfall.dynamics.kinematics import forward_kinematics

    rotation = forward_kinematics(task.model, task.default, frames=(body,)).rotation[0]
    return np.asarray(rotation[2])


def _add_ground(spec: Any, ground: HeightMap | None, friction: float) -> None:
    common: dict[str, Any] = {"friction": [friction, 0.005, 1e-4], "contype": 1, "conaffinity": 0}
    if ground is None:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **common)
        return
    heights, (x, y) = np.asarray(ground.heights), np.asarray(ground.origin)
    low, span = float(heights.min()), max(float(np.ptp(heights)), 1e-3)
    along_x, along_y = ground.size
    # MuJoCo's rows go along y, from low to high.
    field = spec.add_hfield(
        name="ground",
        nrow=heights.shape[1],
        ncol=heights.shape[0],
        size=[along_x / 2, along_y / 2, span, 1.0],
    )
    field.userdata = ((heights.T - low) / span).ravel()
    place = [x + along_x / 2, y + along_y / 2, low]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", pos=place, **common)
