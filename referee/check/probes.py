"""All probes, in the order in which they are run and shown."""

from collections.abc import Sequence

from referee.check import (
    probes_answers,
    probes_asks,
    probes_clock,
    probes_closing,
    probes_hello,
    probes_links,
    probes_play,
    probes_real,
    probes_unknown,
)
from referee.check.probe import Probe

LEVELS = (1, 2, 3)
PROBES: tuple[Probe, ...] = (
    *probes_hello.probe.probes,
    *probes_answers.probe.probes,
    *probes_play.probe.probes,
    *probes_real.probe.probes,
    *probes_links.probe.probes,
    *probes_closing.probe.probes,
    *probes_real.links.probes,
    *probes_asks.probe.probes,
    *probes_unknown.probe.probes,
    *probes_clock.probe.probes,
    *probes_real.clocks.probes,
)


def up_to(level: int) -> Sequence[Probe]:
    """Return the probes of the levels up to one."""
    return [probe for probe in PROBES if probe.level <= level]
