"""Numbers about a running referee, for Prometheus. No label names a match or a bot."""
