"""`ringproof bound`: how many steps a collective takes at least, and a table that takes no more."""
