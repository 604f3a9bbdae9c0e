"""Plays a generated motion in the browser: footprints, support areas, feet, hands, masses, and the robot on it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.gait.poses import FootContact
from footfall.math.rotations import quaternion_from_matrix, rotate_by_quaternion
from footfall.motion.following import Followed
from footfall.motion.motion import Motion
from footfall.robot.model import Robot
from footfall.viewer.drawing import FORCE_COLOR, RobotDrawing
from footfall.viewer.plan_supports import draw_supports
from footfall.viewer.playback import Playback
from footfall.viewer.stage import Stage
from footfall.viewer.timeline import Timeline, latest_row

RIGHT, LEFT, ZMP, CENTER, TORSO = (196, 78, 82), (76, 114, 176), (20, 20, 20), (46, 139, 87), (129, 114, 179)
AREA = (255, 140, 0)
_LEGEND = {
    "right": RIGHT,
    "left": LEFT,
    "centre of mass": CENTER,
    "torso": TORSO,
    "zero-moment point": ZMP,
    "support area": AREA,
    "hand force": FORCE_COLOR,
}
_LAYERS = {"Courses": "/plan/courses", "Footprints": "/plan/prints", "Supports": "/plan/supports"}
_TRAIL = 400  # points of a line
_LIFT = 0.004  # m of footprints above the ground
_LENGTH_OF_FORCE = 0.008  # m/N


class PlanPlayer(Playback):
    """Shows a motion, with controls to play it. robot, followed: a robot that follows it, to be drawn too."""

    def __init__(
        self,
        stage: Stage,
        motion: Motion,
        *,
        robot: Robot | None = None,
        followed: Followed | None = None,
        loop: bool = False,
    ) -> None:
        super().__init__(stage, Timeline(np.array([motion.begin_time, motion.end_time]), loop=loop))
        self.motion = motion
        self._followed = followed
        self._robot: RobotDrawing | None = None
        scene = stage.server.scene
        layers = _LAYERS if followed is None else {"Robot": "/robot", **_LAYERS}
        self._layers = {name: scene.add_frame(node, show_axes=False) for name, node in layers.items()}
        if robot is not None and followed is not None:
            self._robot = RobotDrawing(scene, robot)
            poses = forward_kinematics(robot, np.ascontiguousarray(followed.q))
            self._positions, self._quaternions = poses.position, quaternion_from_matrix(poses.rotation)
        draw_supports(scene, motion)
        self._draw_footprints()
        self._draw_courses()
        self._markers = {
            name: scene.add_icosphere(f"/plan/{name}", radius=radius, color=color)
            for name, radius, color in (
                ("zmp", 0.02, ZMP),
                ("center", 0.03, CENTER),
                ("torso", 0.035, TORSO),
                ("hand/right", motion.model.hand_radius, RIGHT),
                ("hand/left", motion.model.hand_radius, LEFT),
            )
        }
        self._feet = [self._add_foot(name, color) for name, color in (("right", RIGHT), ("left", LEFT))]
        self._forces: Any = scene.add_arrows(
            "/plan/forces",
            np.zeros((0, 2, 3), dtype=np.float32),
            FORCE_COLOR,
            shaft_radius=0.008,
            head_radius=0.02,
            head_length=0.05,
        )
        self._area: Any = scene.add_line_segments(
            "/plan/area",
            np.zeros((1, 2, 3), dtype=np.float32),
            AREA,
            thickness=4.0,
            thickness_units="screen",
        )
        middle = motion.sample(motion.begin_time).center_of_mass[0]
        stage.set_ground(0.0)
        reach = np.array([0.5, 0.5, motion.model.com_height])
        stage.look_at(np.array([middle - reach, middle + reach * [1.0, 1.0, 0.75]]))
        self._focus_offset = stage.focus - middle
        self.add_controls()
        self._add_legend()
        self.show()

    def draw(self, now: float) -> None:
        """Draw an instant, s."""
        samples = self.motion.snapshot(now)
        for name, position in (
            ("zmp", samples.zmp[0]),
            ("center", samples.center_of_mass[0]),
            ("torso", samples.torso[0]),
            ("hand/right", samples.hands[0, 0]),
            ("hand/left", samples.hands[0, 1]),
        ):
            self._markers[name].position = position
        for side, foot in enumerate(self._feet):
            foot.position, foot.wxyz = samples.feet[0, side], samples.quaternions[2 + side]
        self._draw_forces(samples)
        phase = int(self.motion.phases.at(np.array([now]))[0])
        corners = self.motion.phases.areas.polygon(phase)
        ring = np.column_stack([corners, np.full(len(corners), samples.zmp[0, 2] + 2 * _LIFT)])
        self._area.points = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1).astype(np.float32)
        if self._robot is not None and self._followed is not None:
            row = max(latest_row(self._followed.times, now), 0)
            self._robot.place(self._positions[row], self._quaternions[row])

    def follow(self, now: float) -> None:
        """Let the cameras follow the centre of mass."""
        self._stage.follow(self.motion.snapshot(now).center_of_mass[0] + self._focus_offset)

    def _add_legend(self) -> None:
        """What the colours mean, and boxes that show and hide what is drawn."""
        gui = self._stage.server.gui
        entries = (
            f'<span style="color: rgb{color}">&#9632;</span>&nbsp;{name}' for name, color in _LEGEND.items()
        )
        gui.add_html(f'<div style="padding: 0 0.75em; font-size: 0.8em">{" &ensp;".join(entries)}</div>')
        self._boxes: dict[str, Any] = {name: gui.add_checkbox(name, True) for name in self._layers}
        for name, box in self._boxes.items():
            box.on_update(partial(_show, box, self._layers[name]))

    def _draw_forces(self, samples: Any) -> None:
        hands, forces = samples.hands[0], samples.selection[0][:, None] * samples.wrenches[0, :, :3]
        drawn = np.linalg.norm(forces, axis=1) > 1.0
        ends = hands[drawn] + _LENGTH_OF_FORCE * forces[drawn]
        self._forces.points = np.stack([hands[drawn], ends], axis=1).astype(np.float32)

    def _draw_footprints(self) -> None:
        scene, model = self._stage.server.scene, self.motion.model
        lines: dict[tuple[int, int, int], list[Array]] = {RIGHT: [], LEFT: []}
        for pose in self.motion.plan.poses:
            for foot, color in ((pose.right_foot, RIGHT), (pose.left_foot, LEFT)):
                whole = foot.contact is FootContact.FULL
                rear, front, right, left = model.sole if whole else model.toe_sole
                local = np.array(
                    [[rear, right, _LIFT], [front, right, _LIFT], [front, left, _LIFT], [rear, left, _LIFT]]
                )
                corners = np.array(foot.position) + rotate_by_quaternion(np.array(foot.rotation), local)
                lines[color].append(np.stack([corners, np.roll(corners, -1, axis=0)], axis=1))
        for name, color in (("right", RIGHT), ("left", LEFT)):
            points = np.concatenate(lines[color]).astype(np.float32)
            scene.add_line_segments(
                f"/plan/prints/{name}", points, color, thickness=2.0, thickness_units="screen"
            )

    def _draw_courses(self) -> None:
        times = np.linspace(
            self.motion.begin_time, self.motion.end_time, max(_TRAIL, int(40 * self.motion.duration))
        )
        samples = self.motion.sample(times)
        for name, course, color in (
            ("zmp", samples.zmp[:, 0] + [0.0, 0.0, _LIFT], ZMP),
            ("center", samples.center_of_mass[:, 0], CENTER),
            ("torso", samples.torso[:, 0], TORSO),
            ("foot/right", samples.feet[:, 0, 0], RIGHT),
            ("foot/left", samples.feet[:, 0, 1], LEFT),
            ("hand/right", samples.hands[:, 0, 0], RIGHT),
            ("hand/left", samples.hands[:, 0, 1], LEFT),
        ):
            points = np.stack([course[:-1], course[1:]], axis=1).astype(np.float32)
            self._stage.server.scene.add_line_segments(
                f"/plan/courses/{name}", points, color, thickness=1.5, thickness_units="screen"
            )

    def _add_foot(self, name: str, color: tuple[int, int, int]) -> Any:
        scene = self._stage.server.scene
        rear, front, right, left = self.motion.model.sole
        frame = scene.add_frame(f"/plan/foot/{name}", show_axes=False)
        scene.add_box(
            f"/plan/foot/{name}/sole",
            dimensions=(front - rear, left - right, 0.02),
            position=((front + rear) / 2, (left + right) / 2, 0.01),
            color=color,
            opacity=0.6,
        )
        return frame


def _show(box: Any, node: Any, _: Any) -> None:
    node.visible = bool(box.value)
