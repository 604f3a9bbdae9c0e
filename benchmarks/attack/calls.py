"""Call public functions with arguments that are wrong in one place: an error may come out, the process must live on.

    python -m benchmarks.attack.calls [NAME ...]

Each call starts from arguments that are right. One of them after the other becomes something else: numbers that are
none, empty arrays, other shapes, other kinds, indices that point nowhere. Routines check their indices meanwhile
(FOOTFALL_CHECKED_ROUTINES), so that what would read or write elsewhere is found even where nothing breaks.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

SECONDS = 120  # for one call, which may have to be compiled on a busy machine; more is an endless loop

Function = Callable[..., Any]


class Call(NamedTuple):
    """A function, and arguments that it takes."""

    function: Function
    arguments: tuple[Any, ...]


def _calls() -> dict[str, Call]:
    """Public functions with native code behind them."""
    return _curves() | _polygons() | _shapes() | _surfaces()


def _curves() -> dict[str, Call]:
    from footfall.math import (
        cubic_spline,
        hermite_quintic,
        interpolate_quaternions,
        quintic_spline,
        rest_to_rest,
        slerp,
        squad,
    )
    from footfall.math.quaternion_splines import CubicQuaternionSpline, QuaternionBSpline
    from footfall.math.trajectories import PolynomialTrajectory

    def trajectory(times: Any, pieces: Any, at: Any, order: Any) -> Any:
        made = PolynomialTrajectory(times, pieces)
        return made.sample(at, order), made(at, order)

    rng = np.random.default_rng(0)
    times, points = np.array([0.0, 0.5, 1.0, 2.0]), rng.normal(size=(4, 3))
    turns = rng.normal(size=(5, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return {
        "trajectory": Call(
            trajectory, (np.array([0.0, 1.0, 2.0]), rng.normal(size=(2, 6, 3)), times.copy(), 2)
        ),
        "cubic spline": Call(cubic_spline, (times, points)),
        "quintic spline": Call(quintic_spline, (times, points)),
        "hermite": Call(hermite_quintic, (times, points, points, points)),
        "rest to rest": Call(rest_to_rest, (times, points)),
        "slerp": Call(slerp, (turns[0], turns[1], times / 2, 2)),
        "squad": Call(squad, (turns[0], turns[1], turns[2], turns[3], times / 2, 2)),
        "quaternions": Call(interpolate_quaternions, (turns[0], turns[1], 0.3)),
        "quaternion spline": Call(
            lambda controls, at, order: CubicQuaternionSpline(controls).derivatives(at, order),
            (turns[:4].reshape(1, 4, 4), times / 2, 2),
        ),
        "quaternion B-spline": Call(
            lambda controls, at, order: QuaternionBSpline(controls).derivatives(at, order),
            (turns, times / 2, 2),
        ),
    }


def _polygons() -> dict[str, Call]:
    from footfall.math import boundary_distance, closest_point, contains, convex_hull, inset, intersection

    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    return {
        "convex hull": Call(convex_hull, (np.random.default_rng(1).normal(size=(20, 2)),)),
        "contains": Call(contains, (square, square + 0.1)),
        "closest point": Call(closest_point, (square, np.array([2.0, 0.3]))),
        "boundary": Call(boundary_distance, (square, square + 0.1)),
        "intersection": Call(intersection, (square, square + 0.4)),
        "inset": Call(inset, (square, 0.1)),
    }


def _shapes() -> dict[str, Call]:
    from footfall.contact.classic.polyhedron import polyhedron
    from footfall.contact.classic.v_clip import Features, contact_manifold, polyhedron_distance
    from footfall.contact.convex import Convex, convex_distance
    from footfall.geometry.swept_distance import swept_distance, swept_distances
    from footfall.geometry.swept_sphere import swept_line, swept_triangle
    from footfall.math.transform import Transform
    from footfall.robot.shapes import Box

    def clip(first: Any, pose: Any, second: Any, other: Any, start: Any) -> Any:
        found = polyhedron_distance(first, pose, second, other, start=start)
        return found, contact_manifold(first, pose, second, other, start=start)

    cloud = np.random.default_rng(2).normal(size=(12, 3))
    here, apart = Transform(np.eye(3), np.zeros(3)), Transform(np.eye(3), np.array([4.0, 0.2, 0.1]))
    solid, ball = polyhedron(cloud), swept_line([0.0, 0, 0], [1.0, 0, 0], 0.1)
    return {
        "polyhedra": Call(clip, (solid, here, solid, apart, Features(0, 0, 0, 0))),
        "hull": Call(polyhedron, (cloud,)),
        "convex": Call(
            lambda points, pose, other: convex_distance(Convex(points), pose, Box((1.0, 1.0, 1.0)), other),
            (cloud, here, apart),
        ),
        "swept": Call(swept_distance, (swept_triangle([0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0], 0.1), ball)),
        "swept many": Call(swept_distances, ([ball] * 3, [ball] * 3)),
    }


def _surfaces() -> dict[str, Call]:
    from footfall.contact.classic.broad_phase import broad_phase
    from footfall.geometry.height_map import HeightMap
    from footfall.geometry.hierarchy import build_hierarchy
    from footfall.geometry.mesh import TriangleMesh
    from footfall.geometry.mesh_distance import signed_distances

    def boxes(lower: Any, upper: Any, leaf_size: Any, low: Any, high: Any) -> Any:
        tree = build_hierarchy(lower, upper, leaf_size=leaf_size)
        return tree.overlapping(low, high), tree.pairs(tree)

    def mesh_distances(vertices: Any, triangles: Any, places: Any) -> Any:
        return signed_distances(TriangleMesh(vertices, triangles), places)

    def heights(grid: Any, spacing: Any, x: Any, y: Any) -> Any:
        ground = HeightMap(grid, spacing)
        return ground.height(x, y), ground.normal(x, y)

    rng = np.random.default_rng(3)
    lower = rng.normal(size=(9, 3))
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    return {
        "hierarchy": Call(boxes, (lower, lower + 0.5, 4, -np.ones(3), np.ones(3))),
        "mesh": Call(mesh_distances, (corners, faces, rng.normal(size=(12, 3)))),
        "height map": Call(heights, (rng.normal(size=(5, 6)), (0.1, 0.2), 0.23, 0.11)),
        "sweep": Call(lambda low, high: broad_phase("sweep").pairs(low, high), (lower, lower + 0.5)),
    }


def _nasty(value: Any) -> Iterator[Any]:
    """What a value may be by mistake."""
    yield from (None, "text", object(), [])
    if isinstance(value, np.ndarray):
        yield from (
            np.full_like(value, fill, dtype=float) for fill in (np.nan, np.inf, -np.inf, 1e308, 0.0, -1.0)
        )
        yield from (value[:0], value[:1], value[..., :-1], value[..., :0], value[None], value.T, value[::-1])
        yield from (value.astype(object), value.astype(str), value.astype(complex), value.astype(np.float32))
        yield from (np.asfortranarray(value), np.repeat(value, 2, axis=0), np.array(3.0), np.zeros((0, 0, 3)))
        if value.dtype.kind == "i":
            yield from (value - 10**6, value + 10**6, value * 0, np.full_like(value, -(2**63)))
        one = value.astype(float)
        one.flat[-1:] = np.nan
        yield one
    elif (
        isinstance(value, tuple)
        and hasattr(value, "_fields")
        and all(isinstance(each, int) for each in value)
    ):
        for place in range(len(value)):
            for number in (-1, 3, 10**6, 10**18, 0.5, None):
                yield type(value)(*value[:place], number, *value[place + 1 :])
        yield value[:2]
    elif isinstance(value, int | float):
        yield from (
            0,
            -1,
            1,
            10**3,
            10**12,
            2**63,
            10**400,
            0.5,
            np.nan,
            np.inf,
            True,
            np.float64(2.0),
            np.ones(3),
        )
    elif isinstance(value, tuple | list) and value:
        yield from (value[:1], [*value, *value], [None] * len(value), tuple(value) * 1000)
    elif hasattr(value, "rotation") and hasattr(value, "translation"):
        turns = (np.full((3, 3), np.nan), np.zeros((3, 3)), 1e200 * np.eye(3), np.eye(2))
        places = (np.full(3, np.nan), np.full(3, 1e200), np.full(3, np.inf), np.zeros(2))
        yield from _made(type(value), [(turn, np.zeros(3)) for turn in turns])
        yield from _made(type(value), [(np.eye(3), place) for place in places])


def _made(kind: Function, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Those that can be made."""
    for each in arguments:
        try:
            yield kind(*each)
        except Exception:
            continue


def complaints(call: Call, done: Container[str] = ()) -> Iterator[tuple[str, str]]:
    """What is wrong with the answers to all wrong arguments, one after the other; done: cases to leave out."""
    from footfall.errors import RoutineFailed

    call.function(*call.arguments)  # these are right
    for place, right in enumerate(call.arguments):
        for number, wrong in enumerate(_nasty(right)):
            arguments = [*call.arguments[:place], wrong, *call.arguments[place + 1 :]]
            case = f"argument {place}, case {number}"
            if case in done:
                continue
            yield case, "begun"
            signal.alarm(SECONDS)
            try:
                call.function(*arguments)
            except RoutineFailed as error:
                yield case, f"reaches outside of an array: {error}"
            except SystemError as error:
                yield case, f"SystemError: {error}"
            except Exception:
                pass  # wrong is wrong
            finally:
                signal.alarm(0)


def run(name: str) -> list[tuple[str, str]]:
    """Complaints about a call, each with the case; the call runs in processes of its own."""
    found: list[tuple[str, str]] = []
    done: set[str] = set()
    while True:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _work(name, writing, done)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            told = _all_of(pipe)
        _, status = os.waitpid(child, 0)
        found += [each for each in told if each[1] != "begun"]
        if os.waitstatus_to_exitcode(status) == 0:
            return found
        last = told[-1][0] if told else "arguments that are right"
        code = os.waitstatus_to_exitcode(status)
        found.append((last, signal.Signals(-code).name if code < 0 else f"exit code {code}"))
        done |= {case for case, _ in told}
        if not told or len(found) > 100:
            return found


def _work(name: str, pipe: int, done: set[str]) -> None:
    """The child: never returns."""
    code = 1
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        warnings.simplefilter("ignore")
        faulthandler.disable()  # it would tell of what is meant to happen
        with os.fdopen(pipe, "wb", buffering=0) as out:
            for each in complaints(_calls()[name], done):
                out.write(pickle.dumps(each))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _all_of(pipe: Any) -> list[tuple[str, str]]:
    told = []
    while True:
        try:
            told.append(pickle.load(pipe))
        except EOFError:
            return told


def names() -> list[str]:
    return list(_calls())


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("names", nargs="*")
    given = arguments.parse_args()
    os.environ["FOOTFALL_CHECKED_ROUTINES"] = "1"
    failed = 0
    for name in given.names or names():
        found = run(name)
        failed += len(found)
        print(f"{name:25}{len(found):4} complaints", flush=True)
        for case, problem in found:
            print(f"    {case}: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
