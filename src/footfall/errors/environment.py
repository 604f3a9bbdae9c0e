"""What can be wrong with what the robot believes, and with messages about it."""

from __future__ import annotations

from footfall.errors.base import DescriptionError, FootfallError, FootfallWarning


class InvalidEnvironment(DescriptionError):
    """Terrain, an object or a camera that cannot be, or a file of them that cannot be read."""


class InvalidMessage(FootfallError, ValueError):
    """Bytes of a peer that are no message: wrong mark, version, length, checksum or content."""


class PeerGone(FootfallError, ConnectionError):
    """A peer that closed the connection, or was too slow to go on with."""


class InvalidSignal(FootfallError, ValueError):
    """A signal that nobody declared, or with a payload of another type."""


class InvalidChannel(FootfallError, ValueError):
    """Shared memory that is no channel of this layout, or a sample of another shape."""


class DroppedSamples(FootfallWarning):
    """A log that could not keep up with its writers, and left samples out."""
