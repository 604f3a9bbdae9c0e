"""Native code that tells where samples of a chain's joints bring the hand, and how well it moves there.

Directions spread evenly over the sphere, and which of them one is nearest to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import Kernel, build_kernel, floor, minimum, where
from footfall.dynamics.inverse_dynamics import gravity_forces
from footfall.dynamics.kinematics import link_poses
from footfall.errors import InvalidInput
from footfall.robot.digest import digest_of
from footfall.workspace.cells import WIDTH
from footfall.workspace.chain import ArmChain, HandMotion, hand_motion
from footfall.workspace.collisions import OwnVolumes, element_rows
from footfall.workspace.indices import (
    INDICES,
    LOAD,
    PUSH,
    greatest_push,
    jacobian_indices,
    joint_distance,
    joint_range,
    torque_share,
)

MOST = 64  # directions: a bit each
SIDE = 64  # of the table that finds the nearest one


def spiral_points(count: int) -> Array:
    """Directions (count, 3) spread evenly over the sphere, two at least (Saff and Kuijlaars 1997)."""
    if count < 2:
        raise InvalidInput(f"count is {count}; a spiral has two points at least")
    height = np.linspace(-1.0, 1.0, count)
    turn = np.zeros(count)
    turn[1:-1] = np.cumsum(3.6 / np.sqrt(count) / np.sqrt(1.0 - height[1:-1] ** 2))
    radius = np.sqrt(np.maximum(1.0 - height**2, 0.0))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


def octahedral_bin(direction: Array) -> Any:
    """Number of the field of a square of SIDE by SIDE that a unit vector (3,) falls into, as a float; numbers or
    symbols. The sphere is laid out as an octahedron, the square its unfolded sides (Meyer et al. 2010)."""
    x, y, z = direction
    size = abs(x) + abs(y) + abs(z)
    u, v = x / size, y / size
    # The lower half is folded outwards.
    across, along = (1.0 - abs(v)) * where(u < 0.0, -1.0, 1.0), (1.0 - abs(u)) * where(v < 0.0, -1.0, 1.0)
    u, v = where(z < 0.0, across, u), where(z < 0.0, along, v)
    fields = [minimum(floor((each + 1.0) * (0.5 * SIDE)), SIDE - 1.0) for each in (u, v)]
    return fields[0] * float(SIDE) + fields[1]


@cache
def nearest_table(count: int) -> Integers:
    """For each field of `octahedral_bin` the spiral point, out of `count`, that its middle is nearest to."""
    middles = (np.arange(SIDE) + 0.5) * 2.0 / SIDE - 1.0
    u, v = np.meshgrid(middles, middles, indexing="ij")
    z = 1.0 - np.abs(u) - np.abs(v)
    across = (1.0 - np.abs(v)) * np.where(u < 0.0, -1.0, 1.0)
    along = (1.0 - np.abs(u)) * np.where(v < 0.0, -1.0, 1.0)
    points = np.stack([np.where(z < 0.0, across, u), np.where(z < 0.0, along, v), z], axis=-1)
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    return np.ascontiguousarray((points.reshape(-1, 3) @ spiral_points(count).T).argmax(axis=1))


_AXES = {"x": (0, 1.0), "y": (1, 1.0), "z": (2, 1.0), "-x": (0, -1.0), "-y": (1, -1.0), "-z": (2, -1.0)}
HAND_AXES = tuple(_AXES)


@dataclass(frozen=True)
class Asked:
    """What is computed for every sample.

    axis: of the hand, whose directions are counted. length: m, by which velocities are divided (Seiwald 2023, (3.3)),
    and by which joints that slide count. load: kg on the hand; with it samples beyond the torque limits do not count.
    push: direction in root axes in which forces are asked for.
    """

    axis: str = "z"
    length: float = 1.0
    load: float | None = None
    push: tuple[float, float, float] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the indices."""
        return (*INDICES, *([LOAD] if self.load is not None else []), *([PUSH] if self.push else []))


def indices_of(
    motion: HandMotion,
    spans: tuple[Array, Array],
    slides: tuple[bool, ...],
    shares: Array,
    ranges: Array,
    length: Any,
) -> list[Any]:
    """The indices of `INDICES`, numbers or symbols. shares: (k,) of the ranges, rad or m, at which joints that have one
    stand. length: m."""
    # Columns of joints that slide are made alike to those that turn, rows are divided (Seiwald 2023, (3.3)).
    shorter = 1.0 / length
    scales = np.array([1.0 if slide else shorter for slide in slides])
    linear = jacobian_indices(spans[0] @ (motion.linear * scales))
    angular = jacobian_indices(spans[1] @ motion.angular)
    return [
        linear.condition,
        linear.manipulability,
        angular.manipulability,
        joint_range(shares),
        joint_distance(shares, ranges),
    ]


def _ranged(chain: ArmChain) -> list[int]:
    return [k for k in range(chain.count) if chain.upper[k] > chain.lower[k]]


def evaluation_kernel(chain: ArmChain, asked: Asked, volumes: OwnVolumes | None = None) -> Kernel:
    """Native code: shares (n,) of the joints' ranges and `constants` to position (3,), bin of the hand's direction,
    indices, and where asked for the elements of moving volumes.

    Limits, lengths, loads and directions are numbers that it is called with: it is made for the chain only.
    """
    axis, sign = _AXES[asked.axis]
    ranged = _ranged(chain)

    def sample(shares: Array, lower: Array, upper: Array, numbers: Array, **more: Array) -> Mapping[str, Any]:
        ranges = upper - lower
        q = lower + shares * ranges
        motion = hand_motion(chain.attached, q)
        values = indices_of(motion, chain.spans, chain.slides, shares[ranged], ranges[ranged], numbers[0])
        if "effort" in more:
            weight = _static_torques(chain, q)
            if asked.load is not None:
                # What hangs on the hand pulls at it; joints hold against that.
                pull = _in_root(chain, q, np.array(chain.robot.gravity)) * numbers[1]
                values.append(torque_share(weight - motion.linear.T @ pull, more["effort"]))
            if asked.push is not None:
                # The wall pushes back; joints push.
                levers = motion.linear.T @ numbers[2:5]
                values.append(greatest_push(weight, more["effort"], list(levers)))
        found: dict[str, Any] = {
            "position": motion.pose.translation,
            "bin": np.array([octahedral_bin(sign * motion.pose.rotation[:, axis])]),
            "values": np.array([1.0, *values, *[0.0] * (WIDTH - 1 - len(values))]),
        }
        if volumes is not None:
            found["elements"] = element_rows(volumes, link_poses(chain.robot.tree, q))
        return found

    n = chain.count
    inputs = {"shares": n, "lower": n, "upper": n, "numbers": 5}
    if asked.load is not None or asked.push is not None:
        inputs["effort"] = n
    what = (asked.axis, asked.load is not None, asked.push is not None, tuple(ranged))
    key = f"{chain.robot.fingerprint} {chain.root} {chain.hand} {what}"
    key += f" {digest_of(np.vstack(chain.spans), volumes.elements if volumes else 0)}"
    return build_kernel(sample, inputs, name="workspace_sample", key=key, check_finite=False)


def position_kernel(chain: ArmChain) -> Kernel:
    """Native code: shares (n,) of the joints' ranges to position (3,) alone, and the Jacobian (3, n) of it."""

    def place(shares: Array, lower: Array, upper: Array) -> Mapping[str, Any]:
        q = lower + shares * (upper - lower)
        motion = hand_motion(chain.attached, q)
        return {"position": motion.pose.translation, "jacobian": motion.linear}

    n = chain.count
    key = f"{chain.robot.fingerprint} {chain.root} {chain.hand}"
    inputs = {"shares": n, "lower": n, "upper": n}
    return build_kernel(place, inputs, name="workspace_position", key=key, check_finite=False)


def constants(chain: ArmChain, asked: Asked) -> list[Array]:
    """What the kernel is called with besides shares."""
    push = np.array(asked.push or (0.0, 0.0, 0.0), dtype=np.float64)
    numbers = np.array([asked.length, asked.load or 0.0, *push / max(float(np.linalg.norm(push)), 1e-300)])
    found = [chain.lower, chain.upper, numbers]
    if asked.load is not None or asked.push is not None:
        found.append(chain.effort)
    return found


def _static_torques(chain: ArmChain, q: Array) -> Array:
    """(n,) that hold the robot's own weight."""
    torques: Array = gravity_forces.textbook(chain.robot, q)
    return torques


def _in_root(chain: ArmChain, q: Array, vector: Array) -> Array:
    """A vector (3,) of the world in root axes."""
    tree, root, _ = chain.attached
    rotation = root.placement.rotation
    if root.link >= 0:
        rotation = link_poses(tree, q)[root.link].rotation @ rotation
    turned: Array = rotation.T @ vector
    return turned
