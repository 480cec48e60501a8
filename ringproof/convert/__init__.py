"""Tables into programs that GPU runtimes load, and programs into tables that the other commands read."""
