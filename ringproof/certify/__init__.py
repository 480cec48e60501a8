"""Certificates on disk, and the commands that write and check them."""
