"""`cost`: what schedules cost, counted from their executed sends, beside the known lower bounds."""
