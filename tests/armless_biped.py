"""The description of a biped without arms, of any size: boxes on legs of six joints."""

from __future__ import annotations

from footfall.robot.model import Robot
from footfall.robot.urdf import parse_urdf
from footfall.robot.variants import with_floating_base

_LEG = (  # joint, parent, child, axis, limits in rad
    ("hip_yaw", "pelvis", "hip", "0 0 1", (-0.8, 0.8)),
    ("hip_roll", "hip", "hip_cross", "1 0 0", (-0.6, 0.6)),
    ("hip_pitch", "hip_cross", "thigh", "0 1 0", (-2.0, 1.2)),
    ("knee", "thigh", "shank", "0 1 0", (0.0, 2.3)),
    ("ankle_pitch", "shank", "ankle", "0 1 0", (-1.0, 0.8)),
    ("ankle_roll", "ankle", "foot", "1 0 0", (-0.5, 0.5)),
)


def armless_urdf(thigh: float = 0.42, shank: float = 0.42, *, mass: float = 45.0, arms: bool = False) -> str:
    """The URDF of a biped with legs of these lengths, m, its hips 0.26 leg lengths apart. arms: whether it has some
    after all, with names that say nothing."""
    leg = thigh + shank
    parts = [
        _link("pelvis", 0.5 * mass, (0.22 * leg, 0.4 * leg, 0.5 * leg), 0.25 * leg),
    ]
    lengths = {"thigh": thigh, "shank": shank}
    shares = {"hip": 0.02, "hip_cross": 0.02, "thigh": 0.1, "shank": 0.06, "ankle": 0.01, "foot": 0.04}
    for side, aside in (("left", 0.13 * leg), ("right", -0.13 * leg)):
        for name, share in shares.items():
            length = lengths.get(name, 0.05 * leg)
            size, up = (0.1 * leg, 0.1 * leg, length), -length / 2 if name in lengths else 0.0
            if name == "foot":
                size, up = (0.28 * leg, 0.15 * leg, 0.05 * leg), -0.075 * leg
            parts.append(_link(f"{side}_{name}", share * mass, size, up))
        for joint, parent, child, axis, limits in _LEG:
            above = "pelvis" if parent == "pelvis" else f"{side}_{parent}"
            place = (0.0, aside if parent == "pelvis" else 0.0, -lengths.get(parent, 0.0))
            parts.append(_joint(f"{side}_{joint}", above, f"{side}_{child}", place, axis, limits))
        parts.append(f'<link name="{side}_sole"/>')
        parts.append(_joint(f"{side}_below", f"{side}_foot", f"{side}_sole", (0.0, 0.0, -0.1 * leg)))
        if arms:
            parts += [_link(f"{side}_a{k}", 0.01 * mass, (0.05, 0.05, 0.2), -0.1) for k in range(2)]
            parts.append(
                _joint(f"{side}_j0", "pelvis", f"{side}_a0", (0.0, 2 * aside, 0.4), "0 1 0", (-2.0, 2.0))
            )
            parts.append(
                _joint(f"{side}_j1", f"{side}_a0", f"{side}_a1", (0.0, 0.0, -0.2), "0 1 0", (-2.0, 2.0))
            )
    return f'<robot name="armless">{"".join(parts)}</robot>'


def armless_biped(thigh: float = 0.42, shank: float = 0.42, *, arms: bool = False) -> Robot:
    """The robot of that description, free to move."""
    return with_floating_base(parse_urdf(armless_urdf(thigh, shank, arms=arms)))


def _link(name: str, mass: float, size: tuple[float, float, float], up: float) -> str:
    x, y, z = size
    shape = f'<origin xyz="0 0 {up}"/><geometry><box size="{x} {y} {z}"/></geometry>'
    inertia = [mass / 12 * square for square in (y * y + z * z, x * x + z * z, x * x + y * y)]
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 {up}"/><mass value="{mass}"/><inertia ixx="{inertia[0]}" '
        f'iyy="{inertia[1]}" izz="{inertia[2]}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision>{shape}</collision></link>"
    )


def _joint(
    name: str,
    parent: str,
    child: str,
    place: tuple[float, float, float],
    axis: str = "",
    limits: tuple[float, float] = (0.0, 0.0),
) -> str:
    x, y, z = place
    turns = f'<axis xyz="{axis}"/><limit lower="{limits[0]}" upper="{limits[1]}" effort="200" velocity="12"/>'
    kind = "revolute" if axis else "fixed"
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} {y} {z}"/>{turns if axis else ""}</joint>'
    )
