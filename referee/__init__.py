"""A referee for matches of Tichu between bot processes; see docs/ARCHITECTURE.md."""
