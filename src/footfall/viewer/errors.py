"""What can go wrong with the viewer."""

from __future__ import annotations

from footfall.errors import FootfallError


class ViewerError(FootfallError):
    """Base of all errors of the viewer."""


class NothingToShow(ViewerError, ValueError):
    """A recording without states, or a time outside of it."""


class PortInUse(ViewerError, OSError):
    """A port that another program listens on."""


class MissingBrowser(ViewerError, FileNotFoundError):
    """No Chromium to take pictures with."""


class FailedScreenshot(ViewerError, RuntimeError):
    """A browser that gave no picture."""


class ViewerWarning(UserWarning):
    """Something that cannot be drawn as described."""
