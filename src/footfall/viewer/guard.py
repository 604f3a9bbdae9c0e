"""Who may use the viewer's server, and what pages may say to it.

viser answers whoever connects: any page that is open in a browser on this machine could move sliders, publish the view
through a tunnel, or change any field of a control. Its server is that of the package websockets, whose `serve` is
given these checks before viser's own. Requests are refused

- that name another host than this one (a foreign name that leads here, DNS rebinding),
- that come from a page of another origin,
- that do not know the secret part of the address, where there is one: where others than this machine are served,
- with a query, by which a page of viser's is told to load something from elsewhere;

and of messages only those come through that a page of ours sends: cameras, values of controls, pictures, handles,
clicks and drags, and where files are taken, one file after the other within a limit. Where a page has a script of ours,
it is put into the page here, and its connection ends here too.
"""

from __future__ import annotations

import gzip
import http
import ipaddress
import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from footfall.errors import MissingPackage
from footfall.viewer.page_link import PATH, PageLink

_SMALL = 2**14  # bytes of a message that is not a picture
_LARGEST_NUMBER = 1e9  # of a number that a page sends
_HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)
_PATCHING = threading.Lock()
_MOST_PIECES = 4096  # of a file

# Scripts of the page stand in it and unpack themselves; nothing is fetched from anywhere else.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src data:; media-src 'none'; worker-src blob: data:; "
    "connect-src 'self' data: blob: ws://{host} wss://{host}; form-action 'none'; base-uri 'none'"
)


class Guard:
    """The checks of one server. host: that it listens on. token: whether the address has a secret part, by default
    where others than this machine are served. origins: of pages elsewhere that may use it, as "https://hub.org". link:
    to a script of ours in the page. uploads: bytes of a file that a page may send."""

    def __init__(
        self,
        host: str,
        *,
        token: bool | None = None,
        origins: Collection[str] = (),
        link: PageLink | None = None,
        uploads: int = 0,
    ) -> None:
        self.local = is_loopback(host)
        wanted = not self.local if token is None else token
        self.token = secrets.token_urlsafe(16) if wanted else ""
        self.in_force = False
        self._origins = frozenset(origins)
        self._link, self._uploads = link, uploads
        self._page = b""  # with our script, packed

    @property
    def path(self) -> str:
        """Of the page: what follows host and port in its address."""
        return f"/{self.token}/" if self.token else ""

    def refusal(self, path: str, host: str | None, origin: str | None) -> str | None:
        """Why a request is refused, None if it is not. host, origin: headers of these names."""
        if not host or not _HOST.fullmatch(host) or (self.local and not is_loopback(_hostname(host))):
            return f"host {host!r} is not this one"
        if origin is not None and origin not in self._origins and urlsplit(origin).netloc != host:
            return f"a page of {origin!r} may not use this"
        if self.token and not secrets.compare_digest(path.split("/")[1][:100].encode(), self.token.encode()):
            return "the address is not whole"
        return "an address without ?" if "?" in path else None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Servers that are started inside the block are guarded."""
        from websockets.asyncio import server

        serve = server.serve

        def guarded(handler: Any, *place: Any, process_request: Any = None, **options: Any) -> Any:
            self.in_force = True

            async def listen(connection: Any) -> None:
                if self._link is not None and connection.request.path == PATH:
                    await self._link.serve(connection)
                else:
                    await handler(_Listened(connection, self._uploads))

            return serve(listen, *place, process_request=self._check(process_request), **options)

        with _PATCHING:
            server.serve = guarded  # type: ignore[assignment,misc]
            try:
                yield
            finally:
                server.serve = serve  # type: ignore[misc]
        if not self.in_force:
            raise MissingPackage("this version of viser starts its server in another way; viser 1.1 is known")

    def _check(self, answer: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any]:
        """What is done with a request, before `answer` does its part."""

        def process_request(connection: Any, request: Any) -> Any:
            try:
                host, origin = request.headers.get("Host"), request.headers.get("Origin")
                reason = self.refusal(request.path, host, origin)
            except (LookupError, ValueError):  # a header twice, an address that is none
                reason = "a request that cannot be understood"
            if reason is not None:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f"refused: {reason}\n")
            if self.token:
                request.path = request.path.removeprefix(f"/{self.token}") or "/"
            if self._link is not None and "Accept-Encoding" in request.headers:
                del request.headers["Accept-Encoding"]
            response = None if answer is None else answer(connection, request)
            if response is not None:
                self._add_script(response)
                response.headers["Content-Security-Policy"] = _POLICY.format(host=host)
                response.headers["Referrer-Policy"] = "no-referrer"
            return response

        return process_request

    def _add_script(self, response: Any) -> None:
        """Put our script into the page, before all others: it takes keys first."""
        if self._link is None or b"<head>" not in response.body[:1000]:
            return
        if not self._page:
            head, rest = response.body.split(b"<head>", 1)
            self._page = gzip.compress(head + b"<head>" + self._link.html.encode() + rest)
        response.body = self._page
        for name, value in (("Content-Length", str(len(self._page))), ("Content-Encoding", "gzip")):
            del response.headers[name]
            response.headers[name] = value


class _Listened:
    """A connection through which only messages of our pages come."""

    def __init__(self, connection: Any, uploads: int = 0) -> None:
        self._connection, self._uploads = connection, uploads
        self._file, self._left = "", 0  # that the page sends now, and how many bytes of it may still come

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def recv(self) -> bytes:
        while True:
            message = await self._connection.recv()
            if isinstance(message, bytes) and (is_allowed(message) or self._is_of_file(message)):
                return message

    def _is_of_file(self, message: bytes) -> bool:
        """Whether it begins a file that is not too large, or is a piece of the one that comes: one after the other."""
        if self._uploads == 0:
            return False
        try:
            content = msgspec.msgpack.decode(message, type=_File | _Piece)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return False
        if isinstance(content, _File):
            if not 0 < content.size_bytes <= self._uploads or not 0 < content.part_count <= _MOST_PIECES:
                return False
            self._file, self._left = content.transfer_uuid, content.size_bytes
            return True
        self._left -= len(content.content)
        return content.transfer_uuid == self._file and self._left >= 0


class _Message(msgspec.Struct, tag_field="type"):
    """What pages send; the names are viser's."""


Text = Annotated[str, msgspec.Meta(max_length=1000)]
Three = tuple[float, float, float]


class _Camera(_Message, tag="ViewerCameraMessage"):
    wxyz: tuple[float, float, float, float]
    position: Three
    fov: float
    near: float
    far: float
    image_height: float
    image_width: float
    look_at: Three
    up_direction: Three


class _Value(msgspec.Struct, forbid_unknown_fields=True):
    """Of a control; other fields of it are not for pages to set."""

    # A tuple of three in this union ends the process in msgspec 0.22, at the next search for cycles.
    value: bool | float | Text | Annotated[list[float], msgspec.Meta(min_length=3, max_length=3)]


class _Update(_Message, tag="GuiUpdateMessage"):
    uuid: Text
    updates: _Value


class _Picture(_Message, tag="GetRenderResponseMessage"):
    payload: bytes
    render_uuid: Text


class _Handle(_Message, tag="TransformControlsUpdateMessage"):
    """A handle that is drawn; only pages of the modelling tool have one."""

    name: Text
    wxyz: tuple[float, float, float, float]
    position: Three
    owner: Text = ""


class _HandleTaken(_Message, tag="TransformControlsDragStartMessage"):
    name: Text
    owner: Text = ""


class _HandleLeft(_Message, tag="TransformControlsDragEndMessage"):
    name: Text
    owner: Text = ""


Modifier = Annotated[str, msgspec.Meta(max_length=30)] | None
Pixel = tuple[float, float]


class _Click(_Message, tag="ScenePointerMessage"):
    event_type: Literal["click"]
    ray_origin: Three
    ray_direction: Three
    screen_pos: tuple[Pixel]
    modifier: Modifier


class _Drag(_Message, tag="SceneNodeDragMessage"):
    phase: Literal["start", "update", "end"]
    name: Text
    instance_index: None
    start_position: Three
    start_screen_pos: Pixel
    end_position: Three
    end_screen_pos: Pixel
    button: Literal["left", "middle", "right"]
    modifier: Modifier
    owner: Text = ""


class _File(_Message, tag="FileTransferStartUpload"):
    """A file will come, in pieces."""

    source_component_uuid: Text
    transfer_uuid: Text
    filename: Text
    mime_type: Text
    part_count: int
    size_bytes: int


class _Piece(_Message, tag="FileTransferPart"):
    source_component_uuid: Text | None
    transfer_uuid: Text
    part_index: int
    content: bytes


_Known = _Camera | _Update | _Picture | _Handle | _HandleTaken | _HandleLeft | _Click | _Drag


def is_allowed(message: bytes) -> bool:
    """Whether a page of ours may send this."""
    try:
        content = msgspec.msgpack.decode(message, type=_Known)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    if isinstance(content, _Picture):
        return True
    numbers: list[Any] = []
    if isinstance(content, _Camera):
        numbers += [*content.wxyz, *content.position, *content.look_at, *content.up_direction]
        numbers += [content.fov, content.near, content.far, content.image_height, content.image_width]
    elif isinstance(content, _Handle):
        numbers += [*content.wxyz, *content.position]
    elif isinstance(content, _Click):
        numbers += [*content.ray_origin, *content.ray_direction, *content.screen_pos[0]]
    elif isinstance(content, _Drag):
        numbers += [*content.start_position, *content.end_position]
        numbers += [*content.start_screen_pos, *content.end_screen_pos]
    elif isinstance(content, _Update):
        value = content.updates.value
        numbers += [*value] if isinstance(value, list) else [_number(value)]
    return len(message) <= _SMALL and all(abs(number) <= _LARGEST_NUMBER for number in numbers)


def _number(value: bool | float | str) -> float:
    """What a control of numbers makes of a value: of text, too. A whole number beyond 64 bits could be sent to no page
    any more."""
    try:
        return float(value)
    except ValueError:
        return 0.0


def is_loopback(host: str) -> bool:
    """Whether a name or address stands for this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _hostname(header: str) -> str:
    """The name or address in a Host header, without its port."""
    return urlsplit(f"//{header}").hostname or ""
