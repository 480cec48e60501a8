"""The step player: one page of HTML that shows a schedule step by step, without a network."""
