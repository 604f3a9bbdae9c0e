"""What touches what: shapes of bodies and of the scene, which of them are near each other, and where they touch."""

from footfall.contact.detection.at_configuration import detect_contacts

__all__ = ["detect_contacts"]
