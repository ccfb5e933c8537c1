"""Where facts are kept: one file a match, or memory."""
