"""Gains of second-order error dynamics, RSL 2022, (3.79)-(3.80): `x'' = stiffness (x* - x) + damping (x*' - x')`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.errors import InvalidGains


@dataclass(frozen=True, slots=True)
class Gains:
    """Of a unit mass: stiffness in 1/s2, damping in 1/s; of a joint: N m/rad and N m s/rad."""

    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InvalidGains(f"{name} is {value}; it must be finite and not negative")

    @property
    def frequency(self) -> float:
        """Of the undamped oscillation of a unit mass, Hz, RSL 2022, (3.79)."""
        return math.sqrt(self.stiffness) / (2.0 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """One is critical, RSL 2022, (3.80); infinite without stiffness."""
        return self.damping / (2.0 * math.sqrt(self.stiffness)) if self.stiffness > 0.0 else math.inf


def check_gains(what: str, gains: object) -> None:
    """Refuse anything but `Gains`: a number alone might mean a frequency, a stiffness or a decay."""
    if not isinstance(gains, Gains):
        raise InvalidGains(
            f"{what}: gains are {gains!r}; give Gains(stiffness, damping), or gains_from(2.0) for 2 Hz"
        )


def gains_from(frequency: float, *, damping_ratio: float = 1.0) -> Gains:
    """Gains of a unit mass that oscillates with a frequency (Hz) and damping ratio (one: critical)."""
    if not (math.isfinite(frequency) and frequency > 0.0):
        raise InvalidGains(f"frequency is {frequency} Hz; it must be finite and above zero")
    if not (math.isfinite(damping_ratio) and damping_ratio >= 0.0):
        raise InvalidGains(f"damping_ratio is {damping_ratio}; it must be finite and not negative")
    omega = 2.0 * math.pi * frequency
    return Gains(omega * omega, 2.0 * damping_ratio * omega)
