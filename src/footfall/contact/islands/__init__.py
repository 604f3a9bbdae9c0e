"""Exact contact of coupled bodies, at the size that it has when it runs: see `island.py` and `solve.py`."""
