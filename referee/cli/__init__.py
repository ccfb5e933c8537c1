"""The command line: thin click commands. Data goes to stdout, everything else to stderr."""
