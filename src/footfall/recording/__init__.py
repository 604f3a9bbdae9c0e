"""Recordings: what happened in a run, in one file that needs nothing else to be read and drawn."""
