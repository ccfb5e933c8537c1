"""Where facts are kept: one file for all matches that run, memory, and records of those over."""
