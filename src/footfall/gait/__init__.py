"""Gaits: phase tables, pattern generators, preview of the zero-moment point."""
