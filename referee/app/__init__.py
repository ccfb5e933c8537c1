"""Orchestration: sessions, one dispatcher for all matches of the process, and the lobby.

Everything here is callbacks on the ports: no task, no socket, no clock of its own. So a test drives
it with a virtual clock and links in memory, and the cost of a match is what its machine costs.
"""
