"""Parameters of the motion generator: defaults of Seiwald 2023, read from and written to TOML, units in the names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from footfall.errors import InvalidInput, RobotError
from footfall.robot.toml_parts import read_schema
from footfall.whole_file import written_whole

Positive = Annotated[float, Meta(gt=0.0)]
Bounded = Annotated[float, Meta(gt=0.0, le=1000.0)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
NotNegative = Annotated[float, Meta(ge=0.0)]
_LARGEST_FILE = 2**20  # bytes


class PhaseParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 3, Seiwald 2023, section 6.3. Factors: how much longer the first and last load switch are."""

    transition_s: Bounded = 0.8
    load_switch_share: Annotated[float, Meta(gt=0.0, lt=1.0)] = 0.2
    first_factor: Bounded = 3.0
    last_factor: Bounded = 5.0


class SupportParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 4, Seiwald 2023, section 6.4: by which part of their size soles are shrunk. least_margin_m: at every edge,
    for toe pads and narrow soles; the source has none, and its zero-moment point leaves a toe pad in a step of 0.8 s.
    width_margin: the source says 30 %, not whether of both edges together or of each. Of both, the load lies 77 mm
    beside the middle of LOLA's foot, and on stairs one of the two motors of its ankle gives all of its current."""

    length_margin: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.2
    width_margin: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.5
    least_margin_m: NotNegative = 0.015


class ZeroMomentPointParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 5, Seiwald 2023, section 6.5. blend_widths: connections of two support areas that are so many widths of a
    sole longer than the shortest one count too, so that the zero-moment point moves continuously with the yaw of steps;
    the source has the shortest one alone, which jumps by the length of a sole as feet become parallel."""

    blend_widths: Annotated[float, Meta(gt=0.0, le=10.0)] = 0.45


class FootParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 7, Seiwald 2023, section 6.7. lag, lead, lift, lower: parts of the motion phase for a swing timing of 0 and
    of 1.
    tilt_per_m: sine of the tilt for a stride of 1 m. lift_off_share, strike_share: where the tilt turns over."""

    step_height_m: NotNegative = 0.03
    tilt_per_m: float = 0.1
    lag: tuple[Share, Share] = (0.0, 0.25)
    lead: tuple[Share, Share] = (0.0875, 0.25)
    lift: tuple[Share, Share] = (0.45, 0.25)
    lower: tuple[Share, Share] = (0.45, 0.25)
    lift_off_share: Annotated[float, Meta(gt=0.0, lt=1.0)] = 1 / 3
    strike_share: Annotated[float, Meta(gt=0.0, lt=1.0)] = 2 / 3


class ToeParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 8, Seiwald 2023, section 6.8. The toe bends for strides above large_stride_soles lengths of the sole, by
    large_stride_deg at large_stride_m, and for steps up; so it does for what a swing is higher than high_swing_m."""

    peak_share: Annotated[float, Meta(gt=0.0, lt=1.0)] = 0.45
    large_stride_soles: NotNegative = 2.0
    large_stride_m: Positive = 0.8
    large_stride_deg: NotNegative = 10.0
    rise_rad_per_m: NotNegative = 3.0
    high_swing_m: NotNegative = 0.1
    tiptoe_deg: NotNegative = 15.0


class HandParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 9, Seiwald 2023, section 6.9: how far a hand moves off a surface, and on which part of its way and time."""

    clearance_m: NotNegative = 0.07
    way_share: Annotated[float, Meta(ge=0.0, le=0.5)] = 1 / 3
    time_share: Annotated[float, Meta(gt=0.0, lt=0.5)] = 1 / 3


class SelectionParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 11, Seiwald 2023, section 6.11: (lag, lead) as parts of the motion phase, into task space and out of it.
    The source has (0.1, 0.5) for the way out: with strides of half a metre the arm then follows the hand's way to rest
    for longer than its joints are fast enough."""

    into: tuple[Share, Share] = (0.0, 0.1)
    out: tuple[Share, Share] = (0.0, 0.6)


class LoadParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stages 12 and 13, Seiwald 2023, section 6.12: by which part of its duration a load switch reaches into its
    neighbours."""

    extension: NotNegative = 7 / 16


class LimitParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is refused. Reaches are parts of the stretched leg and arm. hand_force_g: force on a hand as a multiple of
    the weight. outside_m: how far a planned zero-moment point may be outside of soles, and the torso beyond what legs
    reach, before the motion is not only warned of but refused; lean_rad: the same for legs that lean sideways.
    least_load: of the feet, as a part of the weight."""

    leg_reach: Positive = 1.0
    arm_reach: Positive = 0.98
    foot_distance_m: NotNegative = 0.01
    shortest_transition_s: Positive = 0.2
    longest_transition_s: Positive = 60.0
    step_up_m: Positive = 0.25
    step_height_m: Positive = 0.4
    hand_force_g: Positive = 1.0
    outside_m: NotNegative = 0.01
    lean_rad: NotNegative = 0.1
    least_load: Share = 0.1


# By which model the centre of mass is planned, see `footfall.motion.reduced`.
Generator = Literal[
    "whole_body",
    "five_masses",
    "three_masses",
    "centroidal",
    "lipm",
    "preview",
    "dcm",
    "mpc",
    "flywheel",
    "biped",
]


class TorsoParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 14. first_grid_s, grid_s: distance of break points in the first and second cycle. filter_share: time
    constant of the low-pass as a part of the last transition. bound_margin_m: from the leg bounds.
    acceleration_limit_g: of the torso's height, as a multiple of gravity. body_grid_s, body_rounds: where the angular
    momentum of the whole robot is compared with that of five masses, and how often in the second cycle. method: how
    the torso obeys the zero moment point: with least error over all times, or exactly at the break points by a quintic
    or cubic spline as in the source. generator: by which reduced model the torso is planned; `whole_body` is five
    masses with the angular momentum of all bodies, if these are known."""

    first_grid_s: Positive = 0.2
    grid_s: Positive = 0.05
    filter_share: NotNegative = 0.25
    bound_margin_m: NotNegative = 0.005
    acceleration_limit_g: Positive = 0.5
    body_grid_s: Positive = 0.05
    body_rounds: Annotated[int, Meta(ge=0, le=10)] = 1
    method: Literal["least_squares", "quintic", "cubic"] = "least_squares"
    generator: Generator = "whole_body"


class MotionParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All parameters of the generator."""

    phase: PhaseParameters = PhaseParameters()
    support: SupportParameters = SupportParameters()
    zmp: ZeroMomentPointParameters = ZeroMomentPointParameters()
    foot: FootParameters = FootParameters()
    toe: ToeParameters = ToeParameters()
    hand: HandParameters = HandParameters()
    selection: SelectionParameters = SelectionParameters()
    load: LoadParameters = LoadParameters()
    limit: LimitParameters = LimitParameters()
    torso: TorsoParameters = TorsoParameters()


def read_parameters(path: Path | str) -> MotionParameters:
    """Parameters from a TOML file; what it leaves out has its default."""
    try:
        return read_schema(Path(path), MotionParameters, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None


def write_parameters(parameters: MotionParameters, path: Path | str) -> None:
    """Write all parameters as TOML."""
    lines = []
    for stage, values in msgspec.to_builtins(parameters).items():
        lines.append(f"[{stage}]\n" + "".join(f"{name} = {_text(value)}\n" for name, value in values.items()))
    with written_whole(Path(path)) as file:
        file.write("\n".join(lines).encode())


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_text(entry) for entry in value)}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)
