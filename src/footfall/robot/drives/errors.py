"""What can be wrong with a drive, its use or its calibration."""

from __future__ import annotations

from footfall.errors import FootfallError, RobotError


class InvalidDrive(RobotError):
    """A drive that cannot be: a value of its mechanism, motor or servo has no meaning."""


class UnreachablePosition(FootfallError, ValueError):
    """A joint or motor position that the mechanism cannot take."""


class SingularTransmission(FootfallError, ValueError):
    """A position in which motor and joint velocities do not determine each other."""


class InvalidMeasurements(FootfallError, ValueError):
    """Measurements of the wrong shape, or that do not say enough about what is asked."""
