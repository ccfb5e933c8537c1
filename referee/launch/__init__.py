"""Starts bot processes, watches them, and ends them with everything they started."""
