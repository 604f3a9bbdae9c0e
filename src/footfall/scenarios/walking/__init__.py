"""Walks as the command line offers them: recordings, pages of plots, summaries."""
