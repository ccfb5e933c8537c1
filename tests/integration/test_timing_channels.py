"""Pace fair over real gRPC: by time, partners pass each other whole windows and nothing more."""

import pytest

from tests.integration.timing.covert import (
    ALLOWED,
    FEW_MATCHES,
    ONCE,
    PLANTED,
    SENT_BY_TURN,
    read_channel,
)
from tests.integration.timing.decoder import Reading
from tests.integration.timing.measure import measure
from tests.integration.timing.plan import MATCHES, Channel, Plan, Plant

BITS = 400  # a channel: half of them train
PLANTED_BITS = 250
READ = 0.9  # right, where a fault is planted
MEASURE_S = 100.0

pytestmark = pytest.mark.slow


def received(
    channels: tuple[Channel, ...],
    bits: int,
    *,
    plant: Plant = Plant.NONE,
    matches: int = MATCHES,
    seed: int = 1,
) -> dict[Channel, Reading]:
    plan = Plan(windows=bits, channels=channels, plant=plant, matches=matches, seed=seed)
    seen = measure(plan, limit_s=MEASURE_S)
    return {channel: read_channel(plan, seen, channel) for channel in (*channels, *ONCE)}


def secret(readings: dict[Channel, Reading]) -> set[Channel]:
    """The channels by which more was read than by chance, and may not be."""
    return {one for one, reading in readings.items() if reading.above_chance} - set(ALLOWED)


@pytest.mark.timeout(400)  # two measurements, if the first finds a channel
def test_by_its_acts_a_partner_passes_whole_windows_and_no_more() -> None:
    once = received(SENT_BY_TURN, BITS)
    assert once[Channel.WHOLE_WINDOWS].accuracy > READ, "the decoder reads nothing at all"
    if secret(once):
        again = received(SENT_BY_TURN, BITS, seed=2)
        twice = secret(once) & secret(again)
        assert not twice, {channel: (once[channel], again[channel]) for channel in twice}


@pytest.mark.parametrize(("plant", "channel"), PLANTED, ids=[plant.name for plant, _ in PLANTED])
def test_a_fault_by_which_time_passes_bits_is_read(plant: Plant, channel: Channel) -> None:
    def reading() -> Reading:
        return received((channel,), PLANTED_BITS, plant=plant, matches=FEW_MATCHES)[channel]

    readings = [reading()]
    if readings[0].accuracy <= READ:  # others use the machine too
        readings.append(reading())
    assert readings[-1].accuracy > READ, readings
