"""Reports of what schedules cost, a module for each format; each renders a survey to text."""
