"""Steps of whole worlds: robots and free bodies, with contact found while they run."""
