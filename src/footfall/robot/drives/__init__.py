"""Drives: what stands between a motor and a joint, and how to calibrate it; docs/drives.md explains."""
