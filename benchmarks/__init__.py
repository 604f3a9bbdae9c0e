"""Measurements and studies: run the scripts here, `lab/` has what they share."""
