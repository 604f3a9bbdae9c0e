"""What `footfall walk` is asked for: options as they are typed, made a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import typer

from footfall.cli.frame_options import read_frames, read_sole
from footfall.cli.goal_option import read_goal
from footfall.cli.walk_options import RouteOptions, Trouble, Walker

if TYPE_CHECKING:
    from footfall.walking.request import WalkRequest

DEFAULT_RUN = "platform"


def request_of(scene: str | None, course: RouteOptions, walker: Walker, trouble: Trouble) -> WalkRequest:
    """The walk with a name, of a script or in a scene, changed by what else is said."""
    from footfall.walking.hardware_request import read_bus, read_fault
    from footfall.walking.request import WalkMode, read_push

    if walker.vision is not None and walker.perception is not None:
        raise typer.BadParameter(
            "give --vision or --perception, not both: what vision sends is written by itself"
        )
    if walker.mode is not None and walker.mode not in get_args(WalkMode):
        raise typer.BadParameter(f"--mode is {walker.mode!r}; it must be {' or '.join(get_args(WalkMode))}")
    begun = _begun(course, scene)
    goal = None if course.goal is None else read_goal(course.goal)
    request = _changed(
        begun,
        {
            "route": course.route,
            "goal": None if goal is None else (goal.x, goal.y, goal.yaw),
            "goal_height": None if goal is None else goal.z,
            "seconds": course.seconds,
            "speed": course.speed,
            "robot": walker.robot,
            "lenient": walker.lenient or None,
            "frames": read_frames(walker.frame) or None,
            "sole": read_sole(walker.sole),
            "mode": walker.mode,
            "generator": walker.generator,
            "sight": walker.sight,
            "localisation": walker.localisation,
            "scan": walker.scan or None,
            "vision": walker.vision,
            "perception": None if walker.perception is None else str(walker.perception),
            "substeps": walker.steps,
            "noise": trouble.noise or None,
            "seed": trouble.seed or None,
            "pushes": (*begun.pushes, *(read_push(text) for text in trouble.push or ())),
            "bus": None if trouble.bus is None else read_bus(trouble.bus),
            "faults": tuple(read_fault(text) for text in trouble.fault) if trouble.fault else None,
        },
    )
    return request if course.run or course.script else _with_goal(request)


def _begun(course: RouteOptions, scene: str | None) -> WalkRequest:
    from footfall.errors import UnknownName
    from footfall.walking.request import WalkRequest, read_request
    from footfall.walking.runs import RUNS

    if course.script is not None:
        if course.run is not None:
            raise typer.BadParameter("give --run or --script, not both")
        return _changed(read_request(course.script), {"scene": scene})
    if course.run is None and scene is not None:
        return WalkRequest(scene=scene)
    run = course.run or DEFAULT_RUN
    if run not in RUNS:
        raise UnknownName("walk", run, list(RUNS), "footfall walk --list")
    return _changed(RUNS[run].request, {"scene": scene})


def _with_goal(request: WalkRequest) -> WalkRequest:
    """The request with the goal of its scene, if it has one and nothing else is asked for."""
    from footfall.scene.load import load_scene
    from footfall.walking.walk import with_goal_of_scene

    if request.route is not None or request.goal is not None:
        return request
    scene = load_scene(request.scene)
    return request if scene.goal is None else with_goal_of_scene(request, scene)


def _changed(request: WalkRequest, changes: dict[str, object]) -> WalkRequest:
    """The request with what was said; None leaves it as it is."""
    import msgspec

    said = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(request, **said)
