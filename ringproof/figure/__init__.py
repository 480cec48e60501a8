"""Schedules drawn over time: one scene of plain ink, pinned in DOT, rendered by Graphviz."""
