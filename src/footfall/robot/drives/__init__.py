"""Drives: what stands between a motor and a joint, and how to calibrate it; `footfall.drives` has their names."""
