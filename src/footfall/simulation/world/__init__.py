"""Steps of whole worlds: robots and free bodies, with contact found while they run. `records.py` has what they work on."""
