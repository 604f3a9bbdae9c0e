"""Rigid-body algorithms, one a file: plain NumPy that also traces into native code."""
