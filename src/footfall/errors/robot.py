"""What can be wrong with a robot, its drives, its shapes and the scene around it."""

from __future__ import annotations

from footfall.errors.base import DescriptionError, FootfallError, FootfallWarning


class RobotError(DescriptionError):
    """A robot that cannot be."""


class DuplicateName(RobotError):
    """Two elements of a robot have the same name."""


class UnknownReference(RobotError):
    """An element of a robot refers to another one that does not exist."""


class BrokenTree(RobotError):
    """Bodies and joints do not form a tree that hangs on the world."""


class InvalidValue(RobotError):
    """A number or vector of a robot that has no meaning: not finite, negative, of the wrong length."""


class ImpossibleInertia(RobotError):
    """An inertia that no distribution of mass has."""


class MissingInertia(RobotError):
    """A joint that moves nothing with mass, which makes the mass matrix singular."""


class LoopError(RobotError):
    """A kinematic loop that cannot be."""


class RedundantLoop(LoopError):
    """A loop whose equations say what the tree or other loops say already."""


class LockedLoop(LoopError):
    """Loops that leave nothing to move, or whose dependent joints cannot follow."""


class LoopClosureError(LoopError):
    """A loop that does not close. residual: m or rad, of the nearest configuration that was found."""

    def __init__(self, message: str, *, subject: tuple[str, str] | None = None, residual: float) -> None:
        super().__init__(message, subject=subject)
        self.residual = residual


class InvalidDescription(RobotError):
    """A robot description that cannot be read: its syntax, an element or an attribute is wrong."""


class UnsafeDescription(InvalidDescription):
    """A robot description that is refused: too large, too deep or with entity declarations."""


class UnsupportedFeature(RobotError):
    """Something that a format or a conversion cannot express."""


class InvalidDrive(RobotError):
    """A drive that cannot be: a value of its mechanism, motor or servo has no meaning."""


class UnreachablePosition(FootfallError, ValueError):
    """A joint or motor position that the mechanism cannot take."""


class SingularTransmission(FootfallError, ValueError):
    """A position in which motor and joint velocities do not determine each other."""


class InvalidMeasurements(FootfallError, ValueError):
    """Measurements of the wrong shape, or that do not say enough about what is asked."""


class NoIdleConfiguration(FootfallError, ValueError):
    """Newton's method found no configuration that meets the conditions."""


class GeometryError(DescriptionError):
    """A mesh, height map or other shape that cannot be, or whose file cannot be read."""


class SceneError(DescriptionError):
    """A scene that cannot be, or whose file cannot be read."""


class GravityWarning(FootfallWarning):
    """A robot and the scene around it, or two robots, that say different things about gravity."""


class RobotWarning(FootfallWarning):
    """A robot that loads but is suspicious."""


class WorldLeftOut(RobotWarning):
    """A file with shapes of the world, which are those of a scene and not of the robot that is read from it."""


class SceneWarning(FootfallWarning):
    """A scene that loads, but has not all that its file has."""
