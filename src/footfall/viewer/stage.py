"""The server with light, ground and camera, on which robots and recordings are shown."""

from __future__ import annotations

import io
import logging
import socket
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import PortInUse
from footfall.math.rotations import quaternion_from_matrix
from footfall.viewer.guard import Guard
from footfall.viewer.loop_event import let_threads_push
from footfall.viewer.page_link import PageLink

if TYPE_CHECKING:
    import viser


_FIRST_PORT, _PORTS = 8080, 100
_MOST_LINES = 500  # of a list on the page
_LONGEST_LINE = 200  # characters
_FIELD_OF_VIEW = np.radians(40.0)
_SETTLING = 1.5  # s until a page that opens has told where its camera is
_HAZE = (14.0, 40.0)  # m, from where on things fade, and where they are gone
_UNPLACED = 3.0  # m, in x, y and z: where viser puts a camera before anything is said of it
_DIRECTION = np.array([1.0, -0.75, 0.42])  # from the robot to the camera: half from the front, a little above


class CameraView(NamedTuple):
    """position (3,) in m, wxyz: quaternion (4,) of the axes right, down and forward, fov: vertical angle, rad."""

    position: Array
    wxyz: Array
    fov: float


class Stage:
    """A viser server. host, port: where it listens; port 0 takes a free one. title: of the page.

    token, origins: who may use it, see `Guard`. link: to a script of ours in its pages. port None: the first free one
    from 8080 on. uploads: bytes of a file that a page may send, none by default.
    """

    def __init__(
        self,
        *,
        host: str = "localhost",
        port: int | None = None,
        title: str = "footfall",
        token: bool | None = None,
        origins: Collection[str] = (),
        link: PageLink | None = None,
        uploads: int = 0,
    ) -> None:
        import viser

        # Browsers open connections ahead and drop them, which is logged as an error.
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        self._guard = Guard(host, token=token, origins=origins, link=link, uploads=uploads)
        # viser greets even when it is not verbose
        with redirect_stdout(io.StringIO()), self._guard.watching():
            self.server: viser.ViserServer = viser.ViserServer(
                host=host,
                port=_free_port(host) if port is None else _checked_port(host, port),
                label=title,
                verbose=False,
            )
        let_threads_push(self.server)
        self.host = host
        self.port = self.server.get_port()
        self.focus = np.zeros(3)  # what the camera looks at, m
        self._offset = _DIRECTION.copy()  # from there to the camera, m
        self._opened: dict[int, float] = {}  # when pages were opened, s
        self._leaving: list[Callable[[int], None]] = []
        self.server.on_client_connect(self._on_open)
        self.server.on_client_disconnect(self._on_close)
        self._dress()

    @property
    def address(self) -> str:
        """What to type into a browser."""
        host = "localhost" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{self._guard.path}"

    def close(self) -> None:
        """Stop the server."""
        with redirect_stdout(io.StringIO()):
            self.server.stop()

    def set_sky(self) -> None:
        """Let the view end in a sky, from blue above to light at the horizon, in place of white."""
        share = np.linspace(0.0, 1.0, 256)[:, None, None] ** 0.8
        above, below = np.array([[[150.0, 182.0, 214.0]]]), np.array([[[240.0, 243.0, 247.0]]])
        sky = (1.0 - share) * above + share * below
        self.server.scene.set_background_image(
            np.broadcast_to(np.rint(sky), (256, 4, 3)).astype(np.uint8), "png"
        )
        self.server.scene.configure_fog(_HAZE[0], _HAZE[1], color=(238, 241, 245))

    def set_ground(self, height: float) -> None:
        """Draw the ground at a height, m."""
        self._ground.position = (0.0, 0.0, height)

    def add_text(self, title: str, lines: Sequence[str] = ()) -> None:
        """Put a title and a list onto the page, as they are: no Markdown, no HTML, whatever files have as names."""
        rest = len(lines) - _MOST_LINES
        shown = [*lines[:_MOST_LINES], *([f"and {rest} more"] if rest > 0 else [])]
        items = "".join(f"<li>{escape(line[:_LONGEST_LINE])}</li>" for line in shown)
        self.server.gui.add_html(
            f'<div style="padding: 0 0.75em; font-size: 0.85em; overflow-wrap: anywhere">'
            f"<b>{escape(title[:_LONGEST_LINE])}</b><ul>{items}</ul></div>"
        )

    def look_at(self, bounds: Array, *, margin: float = 1.0) -> None:
        """Point the camera of pages that open from now on at a box (2, 3), m, or one that is larger by a factor."""
        self.focus = bounds.mean(axis=0)
        radius = max(0.5 * float(np.linalg.norm(bounds[1] - bounds[0])), 0.05)
        distance = 1.12 * margin * radius / np.sin(_FIELD_OF_VIEW / 2)
        camera = self.server.initial_camera
        camera.position = self.focus + distance * _DIRECTION / np.linalg.norm(_DIRECTION)
        camera.look_at = self.focus
        self._offset = camera.position - self.focus
        camera.up = np.array([0.0, 0.0, 1.0])
        camera.fov = float(_FIELD_OF_VIEW)

    def follow(self, focus: Array) -> None:
        """Let the cameras of all pages look at another place, (3,) m, from the same side and distance."""
        if np.abs(focus - self.focus).max() < 1e-6:
            return
        self.focus = focus
        camera = self.server.initial_camera  # of pages that are opened later
        camera.position = focus + self._offset
        camera.look_at = focus
        settled = time.monotonic() - _SETTLING
        for number, client in self.server.get_clients().items():
            if self._opened.get(number, np.inf) > settled:
                continue
            # The difference holds however late the page tells where its camera is. Until it has drawn its first picture
            # it tells of viser's own place, which nobody has chosen.
            offset = client.camera.position - client.camera.look_at
            if np.abs(offset - _UNPLACED).max() < 1e-6:
                offset = self._offset
            with client.atomic():
                client.camera.position = focus + offset
                client.camera.look_at = focus

    @property
    def view(self) -> CameraView:
        """Where pages that open now look from."""
        forward = -self._offset / np.linalg.norm(self._offset)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(forward, right), forward], axis=1)  # right, down, forward
        return CameraView(self.focus + self._offset, quaternion_from_matrix(axes), float(_FIELD_OF_VIEW))

    @property
    def is_watched(self) -> bool:
        """Whether a page has been opened and has had time to draw."""
        ready = time.monotonic() - _SETTLING
        return any(opened <= ready for opened in list(self._opened.values()))

    @property
    def is_open(self) -> bool:
        """Whether any page is open."""
        return bool(self._opened)

    def on_leave(self, call: Callable[[int], None]) -> None:
        """Call this with the number of each page that is closed."""
        self._leaving.append(call)

    def _on_close(self, client: Any) -> None:
        self._opened.pop(client.client_id, None)
        for call in self._leaving:
            call(client.client_id)

    def _on_open(self, client: Any) -> None:
        let_threads_push(client)
        self._opened[client.client_id] = time.monotonic()

    def _dress(self) -> None:
        scene, gui = self.server.scene, self.server.gui
        scene.set_up_direction("+z")
        scene.world_axes.visible = False
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(None)
        scene.add_light_hemisphere(
            "/light/sky", sky_color=(255, 255, 255), ground_color=(196, 200, 208), intensity=1.6
        )
        scene.add_light_directional("/light/sun", intensity=1.8, position=(3.0, -1.5, 5.0), cast_shadow=True)
        scene.add_light_directional(
            "/light/fill", intensity=0.5, position=(-1.0, 3.0, 2.0), cast_shadow=False
        )
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        self._ground: Any = scene.add_grid(
            "/ground",
            width=40.0,
            height=40.0,
            cell_size=0.25,
            cell_color=(214, 218, 224),
            section_size=1.0,
            section_color=(170, 177, 188),
            plane_color=(238, 240, 243),
            plane_opacity=1.0,
            shadow_opacity=0.25,
            infinite_grid=True,
            fade_distance=25.0,
        )


def _free_port(host: str) -> int:
    """The first port from 8080 on at which nothing listens."""
    for port in range(_FIRST_PORT, _FIRST_PORT + _PORTS):
        try:
            return _checked_port(host, port)
        except PortInUse:
            continue
    return _checked_port(host, 0)


def _checked_port(host: str, port: int) -> int:
    """The port, refused if something listens there: viser would quietly take the next one."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            raise PortInUse(
                f"cannot listen on {host}:{port}: {problem.strerror}; choose another host or port"
            ) from None
        return int(probe.getsockname()[1])
