"""Asynchronous schedules: programs of threadblocks, joined by FIFOs and flags."""
