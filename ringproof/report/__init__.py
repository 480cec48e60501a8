"""Reports in several formats: each module renders finished reports to text, and prints nothing."""
