"""The control panel of a walk: the robot in the browser as it walks, and all that it can be told.

Pages only leave wishes in a queue. One thread walks, in real time, and takes them one after the other: each becomes a
signal of the session, so that a walk from the panel replays to the same bits. A fall, or an error, ends the session and
not the panel: RESET begins another one in the same page.
"""

from __future__ import annotations

import itertools
import logging
import math
import queue
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import FootfallError, NoPath
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.viewer.event_marks import event_marks
from footfall.viewer.fall_reason import Reason, reason_of_walk
from footfall.viewer.free_way import Blocked, FreeWay, stands_in
from footfall.viewer.held_drive import STANDING, HeldDrive, Velocity
from footfall.viewer.lamps import Lamp, lamps
from footfall.viewer.page_link import AnyMessage, Branch, Choose, Hold, PageLink, Press, Seek, Speed, Tool
from footfall.viewer.plot_feed import PlotFeed
from footfall.viewer.pointing import object_at, on_level
from footfall.viewer.stage import Stage
from footfall.viewer.walk_docks import WalkDocks
from footfall.viewer.walk_history import WalkHistory
from footfall.viewer.walk_preview import Preview, preview_way
from footfall.viewer.walk_scene import Drag, WalkScene, q_of
from footfall.walking.activity import activity
from footfall.walking.pilot import STOP
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.walk import cause_of_fall

_LOG = logging.getLogger("footfall")
_FRAME = 1.0 / 30.0  # s between two pictures
_NEWS = 0.1  # s between two states that pages are told
_SLOW = 0.5  # s between two looks of tables
_SINGLE_STEP = 0.02  # s of a single step
_PERIODS = 600  # pictures, for the histogram of control periods
_MOST_WISHES = 100  # that wait
_LAG = 0.25  # s: who is farther behind real time does not try to catch up
_REVIEW, _REVIEW_SPEED = 10.0, 0.25  # s before a fall that are shown again, and how fast
# Of the mouse: N/m for a robot of 1 kg, longest pull as a part of its weight.
_SPRING, _STRONGEST = 12.0, 0.6
_BOX = (0.2, 0.3, 0.12)  # m, of boxes that are put down

Wish = Callable[[WalkSession], object]


@dataclass
class _Pull:
    """The mouse pulls a body: where it was taken, in its axes, and where to, m."""

    client: int
    body: str
    local: Array | None
    grabbed: Array
    to: Array


class WalkPanel:
    """A walk with its controls on a page. link: to the script in the page. make: makes a session, also of another
    request. ended: called with a session that is over, which another follows."""

    def __init__(
        self,
        stage: Stage,
        session: WalkSession,
        *,
        link: PageLink | None = None,
        make: Callable[..., WalkSession] = WalkSession,
        ended: Callable[[WalkSession], None] = lambda _: None,
    ) -> None:
        self.session, self.paused, self.speed, self.tool = session, False, 1.0, "goal"
        self.held = HeldDrive()
        self.preview: Preview | None = None
        self.message: tuple[str, str] = ("", "")  # kind and text
        self.failed: str | None = None
        self._stage, self._make, self._ended, self._link = stage, make, ended, link or PageLink()
        self._link.received, self._link.lost = self._on_message, self._on_lost
        self.plots = PlotFeed(self._link)
        stage.on_leave(self._on_leave)
        stage.set_sky()
        self._wishes: queue.Queue[Wish] = queue.Queue(_MOST_WISHES)
        self._given_up = False  # what has been written of this session already
        self._steps_due = 0
        self._rest = 0.0  # s of simulated time that are due
        self.periods: deque[float] = deque(maxlen=_PERIODS)  # s of processor time, means of pictures
        self._busy = 0.0  # s of processor time for a second of the walk, smoothed
        self._pull: _Pull | None = None
        self._selected: str | None = None
        # Which page drags which object, and where that is from where it was taken, m.
        self._grip: tuple[tuple[int, str], Array] | None = None
        self._boxes = 0
        self._review: float | None = None  # s, where the last seconds are shown again
        self._reason: Reason | None = None  # of the fall
        self._marked = -1  # how much of what happened is marked on the time line
        self._looks_back = False  # at an instant that was chosen, and stays there
        self._refreshed, self._tables = -math.inf, -math.inf
        self.history, self._way = WalkHistory(session), FreeWay(session)
        self.plots.offer(self.history)
        self.scene = WalkScene(stage, session, self._on_drag)
        self.docks = WalkDocks(stage.server.gui, self)
        stage.server.scene.on_click()(self._on_click)
        self.show()

    # What a page can ask for

    def wish(self, wish: Wish) -> None:
        """Leave something to be done by the thread that walks; too many are dropped."""
        try:
            self._wishes.put_nowait(wish)
        except queue.Full:
            self.message = ("bad", "too many commands at once: some were dropped")

    def drive(self, velocity: Velocity) -> None:
        """Walk with a velocity from now on."""
        self.wish(lambda session: session.drive(*velocity))

    def stop(self) -> None:
        """Come to rest, whatever is held."""
        self.held.forget()
        self.forget_preview()
        self.wish(WalkSession.stop)

    def reset(self, request: WalkRequest | None = None) -> None:
        """Begin again, on its feet, in the scene as it was; or with another request."""
        self.wish(lambda session: self._begin(_fresh(session.asked) if request is None else request))

    def reset_now(self, request: WalkRequest) -> None:
        """Begin another session at once; only the thread that walks may say so."""
        self._begin(request)

    def aim(self, x: float, y: float, yaw: float | None = None) -> None:
        """Plan a way to a place, m, and show it; without a heading, rad, the one in which it comes there."""
        self.wish(lambda session: self._aim(session, x, y, yaw))

    def walk_there(self) -> None:
        """Walk as the preview shows."""
        self.wish(self._walk_there)

    def forget_preview(self) -> None:
        """Show no preview any more."""
        self.wish(lambda _: self._forget_preview())

    def kick(self, impulse: float, direction: float, *, when: str = "now") -> None:
        """Push the upper body for 0.1 s. impulse: N s. direction: rad, from the heading to the left, of the push. when:
        "now", "at touch-down" or "in mid-swing"."""
        self.wish(lambda session: self._kick(session, impulse, direction, when))

    def remove_selected(self) -> None:
        """Take the object away that was clicked last."""
        self.wish(lambda session: self._remove(session))

    def review(self) -> None:
        """Show the last seconds again, slowly."""
        self.wish(lambda session: self._begin_review(session))

    def look_at(self, moment: float | None) -> None:
        """Show an instant of the last minute, s, and stay there; None: go on. Nothing is simulated meanwhile."""
        self.wish(lambda session: self._look_at(moment))

    @property
    def looks_back(self) -> bool:
        """Whether an instant of the past is shown, and nothing is simulated."""
        return self._review is not None and self._looks_back

    def _on_message(self, page: int, message: AnyMessage) -> None:
        """What the script in a page says; in the server's thread."""
        match message:
            case Hold():
                self.held.hear(page, message, time.monotonic())
            case Speed(value=value):
                self.speed = value
            case Tool(name=name):
                self.tool = name
            case Choose(names=names):
                self.plots.choose(page, names)
            case Seek(time=moment):
                self.look_at(moment)
            case Press(name=name):
                self._on_press(name)
            case Branch():
                self.docks.show.tree.take(message)

    def _on_lost(self, page: int) -> None:
        self.held.forget(page)
        self.plots.forget(page)

    def _on_press(self, name: str) -> None:
        match name:
            case "pause":
                self.paused = not self.paused
            case "step":
                self.paused = True
                self._steps_due += 1
            case _:
                {
                    "stop": self.stop,
                    "reset": self.reset,
                    "go": self.walk_there,
                    "undo": self.forget_preview,
                    "remove": self.remove_selected,
                    "review": self.review,
                    "forget": self._forget_message,
                }[name]()

    def _on_leave(self, client: int) -> None:
        """A page is gone: what its mouse held is let go."""
        pull = self._pull
        if pull is not None and pull.client == client:
            self._pull = None

    def _on_click(self, event: Any) -> None:
        origin, direction = (np.array(each, np.float64) for each in (event.ray_origin, event.ray_direction))
        self.wish(lambda session: self._point(session, origin, direction))

    def _on_drag(self, kind: str, drag: Drag) -> None:
        """In the server's thread: pulls are only noted here, all else is a wish."""
        if kind == "body":
            if drag.phase == "end":
                self._pull = None
            elif drag.phase == "start" or self._pull is None:
                self._pull = _Pull(drag.client, drag.name, None, drag.grabbed, drag.to)
            else:
                self._pull.to = drag.to
        elif kind == "object":
            self.wish(lambda session: self._drag_object(session, drag))
        elif self.preview is not None:
            self.wish(lambda session: self._turn_goal(session, drag))

    # What the thread that walks does

    def run(self, ended: Callable[[], bool], *, most: float = math.inf) -> None:
        """Walk in real time until `ended` says so, or `most` simulated seconds are over."""
        due = time.monotonic()
        while not ended() and self.session.time < most:
            self.step()
            due += _FRAME
            ahead = due - time.monotonic()
            if ahead < -_LAG:
                due = time.monotonic()
            if ahead > 0.0:
                time.sleep(ahead)
        self.show()

    def finish(self) -> None:
        """Let the walk be written that runs, if it has begun."""
        if self.session.time > self.session.walker.gains.period:
            problem = self._end()
            if problem is not None:
                raise problem

    def _end(self) -> FootfallError | OSError | None:
        """Let this walk be written, once; what was wrong with that."""
        if not self._given_up:
            self._given_up = True
            try:
                self._ended(self.session)
            except (FootfallError, OSError) as problem:
                return problem
        return None

    def step(self) -> None:
        """Take what was wished for, and walk on for a picture's time."""
        self._take_wishes()
        session = self.session
        if self._review is not None:
            self._review_on()
        elif self.failed is None and not session.fallen:
            seconds = self._seconds_due()
            if seconds > 0.0:
                try:
                    self._drive_on()
                except FootfallError as problem:  # a robot without power takes no orders
                    self.message = ("bad", str(problem)[:400])
                self.docks.gamepad.shape_steps(session, self.held.gait(time.monotonic()))
                self._pull_on(seconds)
                self._walk(seconds)
                self._watch(session)
        elif not self._given_up:
            self._give_up()
        self.show()

    def _watch(self, session: WalkSession) -> None:
        """Let docks go on with what they have begun."""
        try:
            self.docks.frame.watch(session)
            self.docks.identify.watch(session)
        except FootfallError as problem:
            self.message = ("bad", str(problem)[:400])

    def _seconds_due(self) -> float:
        """Simulated time of this picture, s: whole control periods."""
        if self.paused:
            self._rest, steps = 0.0, self._steps_due
            self._steps_due = 0
            return steps * _SINGLE_STEP
        self._rest += _FRAME * self.speed
        period = self.session.walker.gains.period
        seconds = math.floor(self._rest / period + 1e-9) * period
        self._rest -= seconds
        return seconds

    def _walk(self, seconds: float) -> None:
        begin = time.thread_time()
        try:
            self.session.run(seconds)
        except Exception as problem:  # the page lives on, and says what was wrong
            expected = isinstance(problem, FootfallError)  # a full disk, say
            cause = f": {problem}" if expected else ""
            _LOG.error("the walk failed at %.3f s%s", self.session.time, cause, exc_info=not expected)
            self.failed = str(problem) if expected else f"{type(problem).__name__}: {problem}"
        share = (time.thread_time() - begin) / seconds
        self._busy += 0.1 * (share - self._busy)
        self.periods.append(share * self.session.walker.gains.period)

    def _take_wishes(self) -> None:
        while True:
            try:
                wish = self._wishes.get_nowait()
            except queue.Empty:
                return
            try:
                wish(self.session)
            except FootfallError as problem:
                self.message = ("bad", str(problem)[:400])
            except Exception as problem:
                _LOG.exception("a command of a page failed")
                self.message = ("bad", f"{type(problem).__name__}: {problem}"[:400])

    def _drive_on(self) -> None:
        """Tell the robot what is held, if that is something new."""
        now = time.monotonic()
        wanted = self.held.wanted(now)
        looks = wanted != STANDING and bool(self.docks.gamepad.careful.value)
        blocked = self._way.blocked(wanted) if looks else None
        velocity = self.held.change(now, self.session.time, free=blocked is None)
        self._warn(blocked)
        if velocity is None:
            return
        self._forget_preview()
        if velocity == STANDING:
            self.session.stop()
        else:
            self.session.drive(*velocity)

    def _warn(self, blocked: Blocked | None) -> None:
        """Say what keys stop before, as long as they are held."""
        if blocked is not None:
            self.message = ("warn", str(blocked))
        elif self.message[0] == "warn":
            self.message = ("", "")

    def _pull_on(self, seconds: float) -> None:
        """A spring from the mouse to the body, as a push that lasts as long as this picture."""
        pull = self._pull
        if pull is None:
            self.scene.pull(None, 0.0)
            return
        whole, session = self.scene.whole, self.session
        index = next((k for k, each in enumerate(whole.bodies) if each.name == pull.body), None)
        known = {each.name for each in session.code.body.robot.bodies}
        if index is None or pull.body not in known:
            self._pull = None
            return
        poses = forward_kinematics(whole, q_of(session))
        position, rotation = np.array(poses.position[index]), np.array(poses.rotation[index])
        if pull.local is None:
            pull.local = rotation.T @ (pull.grabbed - position)
        arm = rotation @ pull.local
        mass = session.walker.gains.mass
        force = _SPRING * mass * (pull.to - position - arm)
        size = float(np.linalg.norm(force))
        force *= min(1.0, _STRONGEST * mass * session.walker.gains.gravity / max(size, 1e-9))
        force = np.round(force, 3)
        torque = np.round(np.cross(arm, force), 3)
        session.happen(
            "push",
            body=pull.body,
            force=tuple(force.tolist()),
            torque=tuple(torque.tolist()),
            seconds=seconds,
        )
        self.scene.pull(
            (position + arm, position + arm + force / (_SPRING * mass)), float(np.linalg.norm(force))
        )

    def _begin(self, request: WalkRequest) -> None:
        """Another session in place of this one."""
        asked = self.session.asked
        same = all(
            getattr(request, name) == getattr(asked, name) for name in ("robot", "lenient", "frames", "sole")
        )
        self._show_state("preparing", "native code for another robot is made" if not same else "")
        session = self._make(request, code=self.session.code if same else None)  # may be refused
        unwritten = self._end()
        self.session = session
        self.failed, self._given_up, self._review, self._pull = None, False, None, None
        self._looks_back, self._reason, self._marked = False, None, -1
        self.history, self._way = WalkHistory(session), FreeWay(session)
        self.plots.offer(self.history)
        self._rest, self._selected, self._boxes, self.message = 0.0, None, 0, ("", "")
        if unwritten is not None:
            self.message = ("bad", f"the walk before could not be written: {unwritten}"[:400])
        self.held.forget()
        self.preview = None
        self.scene.take(self.session)
        self.docks.take(self.session)

    def _give_up(self) -> None:
        """This session goes no farther: say why, once, and let it be written."""
        self._pull = None
        self.scene.pull(None, 0.0)
        reason = self.failed or cause_of_fall(self.session.walker) or "unknown"
        said = "failed" if self.failed else "fallen"
        self.message = ("bad", f"{said}, because {reason}")
        if not self.failed:
            self._reason = reason_of_walk(self.session)
            if self._reason is not None:
                self.message = (
                    "bad",
                    f"fallen, because {self._reason.text.removeprefix('fell because ')}"[:400],
                )
        self._mark()
        problem = self._end()
        if problem is not None:
            self.message = ("bad", f"{self.message[1]}. It could not be written: {problem}"[:400])

    def _mark(self) -> None:
        """Mark on the time line what happened in the time that can be looked at."""
        begin = self.history.range[0]
        self._marked = len(self.session.happened)
        recent = itertools.takewhile(lambda each: each[0] >= begin, reversed(self.session.happened))
        self.plots.mark(event_marks(recent, self._reason))

    # Goals

    def _point(self, session: WalkSession, origin: Array, direction: Array) -> None:
        """A click: a foot or a hand tells its wrench, an object is chosen; on the ground a goal or a box appears."""
        solid = [each for each in session.walker.scene.fixed_objects if each.name in self.scene.object_names]
        hit = object_at(origin, direction, solid)
        ground = on_level(origin, direction, self.scene.ground)
        body = self.scene.body_at(session, origin, direction)
        if body is not None and (hit is None or body[1] < float(np.linalg.norm(hit[1] - origin))):
            self.scene.choose_foot(body[0], session)
            return
        if hit is not None and (hit[1][2] > self.scene.ground + 0.02):
            if self.tool == "goal" and direction[2] < 0 and _is_top(session, hit):
                self._aim(session, float(hit[1][0]), float(hit[1][1]), None)
                return
            self._selected = hit[0]
            self.message = ("plan", f"{hit[0]}: drag it to move it")
            return
        if ground is None:
            return
        if self.tool == "goal":
            self._aim(session, float(ground[0]), float(ground[1]), None)
        else:
            self._put_box(session, ground)

    def _aim(self, session: WalkSession, x: float, y: float, yaw: float | None) -> None:
        x, y = round(x, 3), round(y, 3)
        if yaw is None:
            here = q_of(session)[:2]
            yaw = math.atan2(y - float(here[1]), x - float(here[0]))
        yaw = round(yaw, 3)
        self.scene.goal.put(np.array([x, y, self.scene.ground]), yaw)
        self._show_state("planning", f"to {x:.2f}, {y:.2f} m")
        try:
            self.preview = preview_way(session, x, y, yaw)
        except NoPath as problem:
            self.preview = None
            self.scene.preview.clear()
            self.scene.goal.put(np.array([x, y, self.scene.ground]), yaw, (214, 40, 31))
            self.scene.close_way(_named_object(str(problem), session))
            self.message = ("bad", str(problem)[:400])
            return
        self.scene.close_way(None)
        self.scene.preview.show(self.preview.poses, self.preview.motion)
        self.message = ("plan", self.preview.text)

    def _walk_there(self, session: WalkSession) -> None:
        preview = self.preview
        if preview is None:
            return
        session.walk_to(preview.x, preview.y, preview.yaw)
        self.preview = None
        self.scene.preview.clear()
        self.message = ("", "")

    def _turn_goal(self, session: WalkSession, drag: Drag) -> None:
        preview = self.preview
        place = on_level(drag.origin, drag.to - drag.origin, self.scene.ground)
        if preview is None or place is None:
            return
        yaw = round(math.atan2(place[1] - preview.y, place[0] - preview.x), 3)
        if drag.phase == "end":
            self._aim(session, preview.x, preview.y, yaw)
        else:
            self.scene.goal.put(np.array([preview.x, preview.y, self.scene.ground]), yaw)

    def _forget_preview(self) -> None:
        if self.preview is not None or self.message[0] == "plan":
            self.message = ("", "")
        self.preview = None
        self.scene.preview.clear()
        self.scene.goal.hide()
        self.scene.close_way(None)

    def _forget_message(self) -> None:
        self.message = ("", "")

    # Things around it

    def _put_box(self, session: WalkSession, place: Array) -> None:
        x, y = (round(float(each), 3) for each in place[:2])
        position = (x, y, round(self.scene.ground + _BOX[2] / 2, 4))
        if stands_in(session, Box(_BOX), Transform(np.eye(3), np.array(position))):
            self.message = ("bad", "the robot stands there: put the box beside it")
            return
        names = {each.name for each in session.walker.scene.objects}
        self._boxes = next(k for k in range(self._boxes + 1, 10_000) if f"box-{k}" not in names)
        name = f"box-{self._boxes}"
        session.happen("add", name=name, size=_BOX, position=position)
        self._selected = name
        self.message = ("plan", f"{name} is there: drag it to move it")

    def _drag_object(self, session: WalkSession, drag: Drag) -> None:
        """Objects follow the mouse on the ground, by the place where they were taken: a page shows them later than they
        move, and what is left to go by its picture would be gone twice."""
        thing = next((each for each in session.walker.scene.fixed_objects if each.name == drag.name), None)
        height = float(drag.grabbed[2])
        place = on_level(drag.origin, drag.to - drag.origin, height)
        taken = on_level(drag.origin, drag.grabbed - drag.origin, height)
        if thing is None or place is None or taken is None:
            return
        self._selected = drag.name
        before = thing.placement.translation
        taker = (drag.client, drag.name)
        if drag.phase == "start" or self._grip is None or self._grip[0] != taker:
            self._grip = (taker, before - taken)
        x, y = (round(float(each), 3) for each in (place + self._grip[1])[:2])
        if drag.phase == "end":
            self._grip = None
        there = Transform(thing.placement.rotation, np.array([x, y, before[2]]))
        if math.hypot(x - before[0], y - before[1]) < 0.01 or stands_in(session, thing.shape, there):
            return
        session.happen("move", object=drag.name, position=(x, y, float(before[2])))

    def _remove(self, session: WalkSession) -> None:
        if self._selected is not None:
            name, self._selected = self._selected, None
            session.happen("remove", object=name)
            self.message = ("", "")

    def _kick(self, session: WalkSession, impulse: float, direction: float, when: str) -> None:
        body = session.code.body.body_of("UB")
        spans = [(begin, end) for _, _, begin, end in session.pilot.motion.plan.spans() if end > session.time]
        at = session.time
        if when != "now" and spans:
            begin, end = spans[0]
            at = end if when == "at touch-down" else 0.5 * (begin + end)
            at = at if at > session.time or len(spans) < 2 else 0.5 * sum(spans[1])
        force = 10.0 * impulse  # for 0.1 s
        way = heading_of(session) + direction
        push = {"body": body, "force": (force * math.cos(way), force * math.sin(way), 0.0), "seconds": 0.1}
        session.happen_at(max(at, session.time), "push", **push)

    # What pages see

    def _begin_review(self, session: WalkSession) -> None:
        self._review = max(session.time - _REVIEW, self.history.range[0])
        self._looks_back = False

    def _look_at(self, moment: float | None) -> None:
        begin, end = self.history.range
        self._looks_back = moment is not None and begin < end
        self._review = min(max(moment, begin), end) if moment is not None and begin < end else None

    def _review_on(self) -> None:
        assert self._review is not None
        if not self.paused and not self._looks_back:
            self._review += _FRAME * _REVIEW_SPEED
        if self._review >= self.session.time:
            self._review = None

    def show(self) -> None:
        """Draw all as it is now, if anybody looks."""
        now = time.monotonic()
        if now - self._refreshed >= _NEWS:
            self._refreshed = now
            self.history.take(self.session)
            self._show_state()
            self.plots.show(
                self.session.time if self._review is None else self._review, live=self._review is None
            )
        if not self._stage.is_open:
            return
        try:
            past = None if self._review is None else self.history.at(self._review)
            self.scene.show(self.session, past=past, follow=self.docks.show.follows)
            if now - self._tables >= _SLOW:
                self._tables = now
                self.docks.refresh(self.session)
                self.plots.refresh()
                if len(self.session.happened) != self._marked:
                    self._mark()
        except Exception as problem:  # the robot walks on, and the next picture may be a good one
            _LOG.exception("the panel cannot draw %.3f s", self.session.time)
            self.message = ("bad", f"this cannot be drawn: {type(problem).__name__}: {problem}"[:400])

    def _show_state(self, word: str | None = None, detail: str = "") -> None:
        session = self.session
        now = activity(session)
        if word is None:
            word, detail = now.doing, now.about
            if word == "standing" and detail in ("stand", STOP):
                detail = "hold W to walk, or click the ground for a goal"
            if now.doing in ("walking", "stopping"):
                detail = f"{now.about}: {now.steps} steps, {now.seconds:.1f} s to go"
            if self.failed is not None:
                word, detail = "failed", self.failed
            elif session.fallen:
                detail = f"because {cause_of_fall(session.walker)}"
            elif session.problem is not None:
                detail = session.problem
        if self.looks_back:
            word, detail = "looking back", f"at {self._review:.2f} s of {session.time:.2f} s; Now goes on"
        elif self._review is not None:
            detail = f"{self._review:.1f} s of {session.time:.1f} s again, at {_REVIEW_SPEED:g}x: {detail}"
        elif self.paused and word in ("standing", "walking", "stopping", "planning"):
            detail, word = f"{word}: {detail}", "paused"
        velocity = self.held.said
        kind, text = self.message
        self._link.tell(
            "state",
            {
                "state": word,
                "detail": detail[:300],
                "clock": f"{session.time:.2f} s",
                "velocity": f"{velocity.forward:.2f} m/s ahead, {velocity.left:.2f} left, {velocity.turn:.2f} rad/s",
                "paused": self.paused,
                "speed": self.speed,
                "tool": self.tool,
                "lamps": self._lamps(),
                "message": {"kind": kind, "text": text, "buttons": self._buttons()},
            },
        )

    def _lamps(self) -> list[Lamp]:
        return lamps(self.session, self._busy)

    def _buttons(self) -> list[tuple[str, str]]:
        if self.failed is not None or self.session.fallen:
            return [("review", "Last ten seconds, slowly"), ("reset", "RESET")]
        if self.preview is not None:
            return [("go", "Walk there (Enter)"), ("undo", "Undo (Esc)")]
        if self._selected is not None and self.message[0] == "plan":
            return [("remove", "Remove (Del)"), ("forget", "OK")]
        return [("forget", "OK")] if self.message[1] else []


def _fresh(request: WalkRequest) -> WalkRequest:
    """A request without what was told on the way."""
    return msgspec.structs.replace(request, signals=(), seconds=None)


def _is_top(session: WalkSession, hit: tuple[str, Array]) -> bool:
    """Whether a place on an object is its upper side, low enough to step on."""
    return 0.0 < float(hit[1][2]) < 0.6 * session.code.body.model.com_height and "box-" not in hit[0]


def _named_object(text: str, session: WalkSession) -> str | None:
    """The object that a refusal names, if there is one of that name."""
    names = sorted((each.name for each in session.walker.scene.objects), key=len, reverse=True)
    return next((name for name in names if name in text), None)


def heading_of(session: WalkSession) -> float:
    """In which direction the robot looks, rad."""
    poses = forward_kinematics(session.code.body.robot, q_of(session)[: session.code.body.robot.nq])
    ahead = poses.rotation[0][:2, 0]
    return math.atan2(float(ahead[1]), float(ahead[0]))
