"""Ladders in a database: SQLite in a file, PostgreSQL on a server, or memory.

Nothing is imported here: SQLAlchemy is loaded by those who open a database, and by nobody else.
"""
