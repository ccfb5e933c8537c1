"""Text to values and back: rule vectors, records, logs. Pure; files are opened by the caller."""
