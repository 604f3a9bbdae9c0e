"""Attacks on footfall: interrupts, forks, hostile files, hostile pages, full disks and short memory.

Each module is a kind of attack with a table of what happened; `python -m benchmarks.attack` runs all of them, and
`tests/attack/` a sample of each.
"""
