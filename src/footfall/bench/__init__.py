"""Measuring footfall against its peers. Peers are optional: without them only our own times are given."""
