"""The page on which a person models volumes: a body with its volume over it and beside it, handles and numbers."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import FootfallError
from footfall.geometry.swept_sphere import KINDS, SweptSphere
from footfall.robot.model import Robot
from footfall.viewer.stage import Stage
from footfall.viewer.volume_editor import VolumeEditor
from footfall.viewer.volumes import element_surface

_INSIDE, _NEAR, _OUT = np.array([70, 150, 90]), np.array([235, 190, 60]), np.array([210, 40, 30])
_ELEMENT, _CHOSEN = (0.35, 0.55, 0.85), (0.95, 0.55, 0.15)
_AXES = "xyz"


class VolumeTool:
    """A server with the page; use it as a context manager. robot: whose volumes are modelled. output: the file that
    "Save" writes. visuals: what is seen counts, see `VolumeEditor`. host, port, token: see `footfall.viewer.view`."""

    def __init__(
        self,
        robot: Robot,
        output: Path,
        *,
        visuals: bool = False,
        host: str = "localhost",
        port: int | None = None,
        token: bool | None = None,
    ) -> None:
        self.editor, self.output = VolumeEditor(robot, visuals=visuals), output
        self.body = next(iter(self.editor.bodies), "")
        self.chosen = 0
        self._lock = threading.RLock()
        self._quiet = False  # controls are set by us, not by a person
        self._handle: Any = None
        self._nodes: list[Any] = []
        self.stage = Stage(host=host, port=port, title=f"volumes of {robot.name}", token=token)
        try:
            self._add_controls()
            self.show(look=True)
        except BaseException:
            self.stage.close()
            raise

    @property
    def address(self) -> str:
        """What to type into a browser."""
        return self.stage.address

    def close(self) -> None:
        """Stop serving."""
        self.stage.close()

    def __enter__(self) -> VolumeTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, *, look: bool = False) -> None:
        """Draw the body and its volume as they are now. look: point the camera at them."""
        with self._lock, self.stage.server.atomic():
            for node in self._nodes:
                node.remove()
            self._nodes = []
            try:
                solid = self.editor.solid(self.body) if self.body else None
            except FootfallError:  # the report tells
                solid = None
            size = solid.size if solid is not None else 0.3
            if solid is not None:
                self._draw_solid(solid.triangles)
                if look:
                    self.stage.look_at(solid.bounds + np.array([[0.0], [1.0]]) * [0.0, 1.3 * size, 0.0])
                    self.stage.set_ground(float(solid.bounds[0, 2]))
            elements = self.editor.elements(self.body)
            self.chosen = min(self.chosen, max(len(elements) - 1, 0))
            beside = np.array([0.0, 1.3 * size, 0.0])
            for number, element in enumerate(elements):
                self._draw_element(number, element, beside)
            self._place_handle(elements, size)
            self._fill_in(elements)
            self._report()

    def _draw_solid(self, triangles: Array) -> None:
        """The shape, green where a volume holds it, red where it sticks out."""
        import trimesh

        mesh = trimesh.Trimesh(
            triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3), process=False
        )
        depth = self.editor.sticking_out(self.body, mesh.vertices)
        share = np.clip(depth / max(0.02 * float(np.ptp(mesh.vertices)), 1e-9), 0.0, 1.0)[:, None]
        colors = np.where(depth[:, None] <= 1e-9, _INSIDE, (1.0 - share) * _NEAR + share * _OUT)
        rgba = np.concatenate([colors, np.full((len(colors), 1), 255.0)], axis=1).astype(np.uint8)
        mesh.visual = trimesh.visual.ColorVisuals(mesh, vertex_colors=rgba)
        self._nodes.append(self.stage.server.scene.add_mesh_trimesh("/shape", mesh))

    def _draw_element(self, number: int, element: SweptSphere, beside: Array) -> None:
        vertices, triangles = element_surface(element)
        color = _CHOSEN if number == self.chosen else _ELEMENT
        for name, place, opacity in (("over", np.zeros(3), 0.35), ("beside", beside, 1.0)):
            self._nodes.append(
                self.stage.server.scene.add_mesh_simple(
                    f"/{name}/{number}",
                    (vertices + place).astype(np.float32),
                    triangles.astype(np.uint32),
                    color=color,
                    opacity=opacity if opacity < 1.0 else None,
                )
            )

    def _place_handle(self, elements: tuple[SweptSphere, ...], size: float) -> None:
        """Arrows at what is moved: the element, or the corner that was chosen."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        if not elements:
            return
        corners = elements[self.chosen].corners
        corner = self._corner(len(corners))
        place = corners.mean(axis=0) if corner is None else corners[corner]
        handle: Any = self.stage.server.scene.add_transform_controls(
            "/handle", scale=0.25 * size, disable_rotations=True, depth_test=False, position=place
        )
        self._handle = handle

        def moved(event: Any) -> None:
            if event.phase != "end":
                return
            target = np.asarray(handle.position, dtype=np.float64)
            if np.isfinite(target).all() and np.abs(target).max() < 1e3:
                self._do(lambda: self.editor.move(self.body, self.chosen, target - place, corner=corner))

        handle.on_update(moved)

    def _corner(self, count: int) -> int | None:
        text = str(self._part.value)
        number = int(text.split()[-1]) - 1 if text.startswith("corner ") else None
        return number if number is not None and number < count else None

    def _add_controls(self) -> None:
        gui: Any = self.stage.server.gui
        names = self.editor.bodies or ("",)
        bodies: Any = gui.add_dropdown("Body", names, initial_value=self.body)
        self._text: Any = gui.add_html("")  # on top, where it is seen without scrolling
        self._message: Any = gui.add_html("")
        self._number: Any = gui.add_number("Element", 1, min=1, max=999, step=1)
        self._part: Any = gui.add_dropdown("Handle moves", ("element", "corner 1", "corner 2", "corner 3"))
        self._radius: Any = gui.add_number("Radius, mm", 1.0, min=0.0, step=0.1)
        self._corners = [
            [gui.add_number(f"{axis}{k + 1}, mm", 0.0, step=0.1) for axis in _AXES] for k in range(3)
        ]
        with gui.add_folder("Change"):
            for kind in KINDS:
                self._button(f"Add {kind}", partial(self._add, kind))
            self._button("Copy", lambda: self._choose(self.editor.copy(self.body, self.chosen)))
            self._button("Delete", lambda: self.editor.delete(self.body, self.chosen))
            self._button("Undo", self.editor.undo)
            self._button("Redo", self.editor.redo)
        with gui.add_folder("Fit"):
            most: Any = gui.add_slider("Elements at most", 1, 16, 1, 8)
            self._button("Fit this body", lambda: self._fit(int(np.clip(most.value, 1, 16))))
        with gui.add_folder("Mirror"):
            axis: Any = gui.add_dropdown("Negate", tuple(_AXES), initial_value="y")
            onto: Any = gui.add_dropdown("Onto body", names)
            self._button(
                "Mirror this body",
                lambda: self.editor.mirror(self.body, str(axis.value), onto=str(onto.value)),
            )
        self._button(f"Save {self.output.name}", self._save)

        def choose_body(_: Any) -> None:
            if bodies.value in self.editor.bodies:  # pages may say anything
                self.body, self.chosen = str(bodies.value), 0
                self.show(look=True)

        bodies.on_update(choose_body)
        self._number.on_update(self._by_person(lambda: self._choose(int(self._number.value) - 1)))
        self._part.on_update(self._by_person(lambda: None))
        self._radius.on_update(self._by_person(self._take_numbers))
        for row in self._corners:
            for control in row:
                control.on_update(self._by_person(self._take_numbers))

    def _button(self, label: str, action: Callable[[], Any]) -> None:
        button: Any = self.stage.server.gui.add_button(label)
        button.on_click(lambda _: self._do(action))

    def _by_person(self, action: Callable[[], Any]) -> Callable[[Any], None]:
        return lambda _: None if self._quiet else self._do(action)

    def _do(self, action: Callable[[], Any]) -> None:
        """Do what a person asked for and draw what came of it; what cannot be done is told on the page."""
        with self._lock:
            try:
                self._say("")
                action()
            except FootfallError as error:
                self._say(str(error), wrong=True)
            except (ValueError, OverflowError):
                self._say("that is no number", wrong=True)
            except OSError as error:
                self._say(f"not written: {error.strerror or error}", wrong=True)
            self.show()

    def _add(self, kind: str) -> None:
        self._choose(self.editor.add(self.body, kind))

    def _fit(self, most: int) -> None:
        self._say("fitting, which takes a few seconds")
        self.editor.fit(self.body, most=most)
        self._say("")

    def _choose(self, number: int) -> None:
        self.chosen = max(0, number)

    def _take_numbers(self) -> None:
        elements = self.editor.elements(self.body)
        if not elements:
            return
        old = elements[self.chosen]
        corners = np.array([[float(control.value) / 1e3 for control in row] for row in self._corners])
        corners = corners[: len(old.corners)]
        radius = float(self._radius.value) / 1e3
        # As they are shown
        same = np.abs(corners - old.corners).max() < 1e-6 and abs(radius - old.radius) < 1e-6
        if not same and math.isfinite(radius) and np.isfinite(corners).all():
            self.editor.change(self.body, self.chosen, corners=corners, radius=radius)

    def _save(self) -> None:
        self.editor.save(self.output)
        self._say(f"written to {self.output.name}")

    def _fill_in(self, elements: tuple[SweptSphere, ...]) -> None:
        self._quiet = True
        try:
            count = len(elements[self.chosen].corners) if elements else 0
            self._number.value = self.chosen + 1
            self._radius.disabled = not elements
            if elements:
                self._radius.value = round(elements[self.chosen].radius * 1e3, 4)
            for k, row in enumerate(self._corners):
                for axis, control in enumerate(row):
                    control.visible = k < count
                    if k < count:
                        control.value = round(float(elements[self.chosen].corners[k, axis]) * 1e3, 4)
        finally:
            self._quiet = False

    def _report(self) -> None:
        try:
            found = self.editor.coverage(self.body) if self.body else None
        except FootfallError as error:
            self._text.content = _paragraph(f"the shape of this body cannot be drawn: {error}", wrong=True)
            return
        elements = len(self.editor.elements(self.body))
        if found is None:
            text = f"{elements} elements; nothing to compare them with" if elements else "no elements yet"
        else:
            out = (
                "nothing sticks out"
                if found.protrusion <= 1e-9
                else f"{found.protrusion * 1e3:.2f} mm stick out"
            )
            air = (
                f"{found.excess:+.0%} of the convex hull"
                if np.isfinite(found.excess)
                else "the shape is flat"
            )
            text = f"{elements} elements, {out}, air {air}"
        self._text.content = _paragraph(text)

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self._message.content = _paragraph(text, wrong=wrong)


def _paragraph(text: str, *, wrong: bool = False) -> str:
    """A text as it is, whatever files have as names."""
    color = "#b00020" if wrong else "#206020"
    return (
        f'<div style="padding: 0 0.75em; color: {color}; overflow-wrap: anywhere">{escape(text[:500])}</div>'
    )
