"""Measure the dynamics against Pinocchio: the same as `footfall bench dynamics`, with the same options."""

import sys

from footfall.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["bench", "dynamics"]
    main()
