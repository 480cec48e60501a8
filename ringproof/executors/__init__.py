"""Who checks many files: this process, a process for every core, or a cluster that is already there."""
