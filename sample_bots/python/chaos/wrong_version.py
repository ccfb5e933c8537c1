"""`chaos:wrong-version` speaks a version of the protocol that no referee knows."""

from chaos.process import run

VERSION = 999

if __name__ == "__main__":
    run("wrong-version", version=VERSION)
