"""Tabs of what walks where, and of what is drawn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from footfall.gait.poses import HANDS
from footfall.robot import library as robot_library
from footfall.scene import library as scene_library
from footfall.viewer.docks.dock import Dock
from footfall.viewer.plan_tree import PlanRow, PlanTree
from footfall.viewer.uploads import Uploads
from footfall.viewer.walk_scene import LAYERS
from footfall.walking.pilot import PlanVersion
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel


class SceneDock(Dock):
    """Robot, scene, mode and sight of the walk that begins next; robots of one's own."""

    title = "Scene"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        asked = panel.session.asked
        scenes = tuple(dict.fromkeys((asked.scene, *scene_library.names())))
        robots = tuple(dict.fromkeys((asked.robot, *robot_library.names())))
        self.scene: Any = gui.add_dropdown("scene", scenes, initial_value=asked.scene)
        self.robot: Any = gui.add_dropdown("robot", robots, initial_value=asked.robot)
        self.mode: Any = gui.add_dropdown(
            "mode",
            ("reduced", "full"),
            initial_value=asked.mode,
            hint="reduced: joints follow; full: servos, motors and a bus",
        )
        self.sight: Any = gui.add_dropdown(
            "sight", ("exact", "noisy", "camera"), initial_value=asked.sight or "exact"
        )
        self.noise: Any = gui.add_checkbox("sensors have errors", asked.noise)
        self.seed: Any = gui.add_number("seed", asked.seed, min=0, max=1_000_000, step=1)
        self.most: Any = gui.add_slider("fastest, m/s", 0.1, 0.8, 0.05, asked.speed or 0.5)
        gui.add_button("Begin", color="green").on_click(lambda _: self.begin())
        self._uploads = Uploads()
        button: Any = gui.add_upload_button(
            "A robot of your own ...", hint="URDF, MJCF or TOML, or a .zip of it with its meshes"
        )
        button.on_upload(lambda _: self.bring(button.value.name, button.value.content))
        gui.add_markdown(
            "A new walk begins; the one that runs is written. Another robot takes a minute at first."
        )

    def take(self, session: WalkSession) -> None:
        for control, value in (
            (self.scene, session.asked.scene),
            (self.robot, session.asked.robot),
            (self.mode, session.asked.mode),
        ):
            if value not in control.options:
                control.options = (value, *control.options)
            control.value = value

    def begin(self) -> None:
        """Begin another walk as the controls say."""
        changes: dict[str, Any] = {
            "scene": str(self.scene.value),
            "robot": str(self.robot.value),
            "mode": str(self.mode.value),
            "sight": str(self.sight.value),
            "noise": bool(self.noise.value),
            "seed": int(self.seed.value),
            "speed": float(self.most.value),
        }
        for name, control in (
            ("scene", self.scene),
            ("robot", self.robot),
            ("mode", self.mode),
            ("sight", self.sight),
        ):
            if changes[name] not in control.options:
                self._panel.message = ("bad", f"{name} {changes[name]!r} is not in the list")
                return
        asked = self._panel.session.asked
        lenient = asked.lenient if changes["robot"] == asked.robot else self._uploads.has(changes["robot"])
        self._panel.wish(
            lambda _: self._panel.reset_now(changed_request(asked, changes | {"lenient": lenient}))
        )

    def bring(self, name: str, content: bytes) -> None:
        """Let a robot that was uploaded be chosen; it is read first, and refused with the reason if it is none."""

        def unpack(_: WalkSession) -> None:
            path = self._uploads.take(name, content)
            self.robot.options = tuple(dict.fromkeys((path, *self.robot.options)))
            self.robot.value = path
            self._panel.message = ("plan", f"{name} is here: Begin lets it walk")

        self._panel.wish(unpack)


def changed_request(asked: WalkRequest, changes: dict[str, Any]) -> WalkRequest:
    """Another request, without what was told on the way."""
    return msgspec.structs.replace(asked, signals=(), seconds=None, route=None, goal=None, **changes)


class ShowDock(Dock):
    """What is drawn, and which version of the plan."""

    title = "Show"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.follow: Any = gui.add_checkbox("Follow the robot", True)
        self.layers = {name: gui.add_checkbox(name, shown) for name, shown in LAYERS.items()}
        for name, box in self.layers.items():
            box.on_update(lambda _, name=name, box=box: panel.scene.set_layer(name, bool(box.value)))
            panel.scene.set_layer(name, LAYERS[name])
        self.aside: Any = gui.add_slider("ghost aside, m", -1.5, 1.5, 0.1, 0.0)
        self.aside.on_update(lambda _: setattr(panel.scene, "aside", float(self.aside.value)))
        with gui.add_folder("Plans"):
            self.tree = PlanTree(gui, "the newest", self.choose)
        gui.add_html(
            '<div style="padding:0 .75em;font-size:.8em">Balance: '
            '<span style="color:rgb(46,139,87)">&#9679;</span> centre of mass, &#9679; zero-moment point. '
            "Cones: green holds, red slips.</div>"
        )
        self._seen = -1

    @property
    def follows(self) -> bool:
        """Whether the camera follows the robot."""
        return bool(self.follow.value)

    def take(self, session: WalkSession) -> None:
        self._seen = -1
        self.tree.forget()

    def refresh(self, session: WalkSession) -> None:
        versions = session.pilot.versions
        if len(versions) != self._seen:
            self._seen = len(versions)
            self.tree.offer([_plan_row(each) for each in versions if each.problem is None])

    def choose(self) -> None:
        """Draw the version and the poses that are chosen."""
        scene = self._panel.scene
        scene.version, scene.hidden = self.tree.version, self.tree.hidden
        self._panel.wish(scene.show_plan)


def _plan_row(version: PlanVersion) -> PlanRow:
    text = f"asked at {version.asked:.2f} s, planned in {version.milliseconds:.0f} ms"
    poses = []
    for pose in version.poses:
        x, y, _ = pose.stance_foot.position
        hands = "".join(f", {name}" for name in HANDS if pose.hand(name).closed)
        poses.append(f"{pose.stance} at {x:.2f}, {y:.2f} m{hands}")
    return PlanRow(version.number, version.about, text + (", late" if version.late else ""), tuple(poses))
