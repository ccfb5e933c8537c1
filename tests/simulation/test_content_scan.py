"""Nothing that is sent, logged or counted names a card that is not public yet, or a seed.

Scanned are simulated matches with every fault that a simulation knows; over real gRPC it is
`tests/integration/test_no_card_leaks.py`.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor
from prometheus_client import CollectorRegistry, generate_latest

import referee
from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.facts import decode_fact
from referee.metrics.meter import PrometheusMeter
from tests.simulation.audit.cards import text_of
from tests.simulation.audit.events import rules_of
from tests.simulation.audit.story import Story
from tests.simulation.audit.transcript import In, Out, Transcript
from tests.simulation.leaks.fields import FIELDS, Meaning
from tests.simulation.leaks.logs import KEYS, faults_of_logs, faults_of_page, heard, log_calls
from tests.simulation.leaks.planted_texts import PLANTED
from tests.simulation.leaks.scan import SeatScan, faults_of_text, secrets_of, truth_of
from tests.simulation.service.drawing import draw_plan
from tests.simulation.service.games import Game
from tests.simulation.service.playing import transcripts_of
from tests.simulation.service.world import SimWorld

Patch = pytest.MonkeyPatch


@dataclass(frozen=True, slots=True)
class Played:
    """One simulation, and what was logged and counted in it."""

    transcripts: list[Transcript]
    logs: list[dict[str, object]]
    page: str


def played(seed: str, number: int, game: Game = Game.TICHU) -> Played:
    """Play a simulation of this number with all its faults."""
    with heard() as logs:
        world = SimWorld(draw_plan(seed, number, game=game))
        world.run()
    registry = CollectorRegistry()
    meter = world.service._ports.meter
    assert isinstance(meter, PrometheusMeter)
    registry.register(meter)
    page = generate_latest(registry).decode()
    return Played(transcripts_of(world), [dict(entry) for entry in logs], page)


def scanned(transcript: Transcript) -> list[str]:
    """What the seats of a match were told that they may not know."""
    rounds_ = truth_of(map(decode_fact, transcript.record or ()), rules_of(Story(transcript)))
    scans = [
        SeatScan(rounds_, seat, number, transcript.began)
        for seat, number in enumerate(transcript.numbers)
    ]
    for entry in transcript.entries:
        if isinstance(entry, In):
            scans[entry.seat].sent(entry.frame)
        elif isinstance(entry, Out):
            scans[entry.seat].got(entry.frame, entry.at)
    return [fault for scan in scans for fault in scan.faults]


def faults_of(one: Played) -> list[str]:
    """All that is wrong with a simulation."""
    found = [fault for transcript in one.transcripts for fault in scanned(transcript)]
    lines = [decode_fact(line) for t in one.transcripts for line in t.record or ()]
    secrets = secrets_of(truth_of(lines), "token-")
    return [*found, *faults_of_logs(one.logs, secrets), *faults_of_page(one.page, secrets)]


@pytest.mark.parametrize("part", range(3))
def test_simulated_matches_with_faults(part: int) -> None:
    for number in range(part * 12, part * 12 + 12):
        assert faults_of(played("scan", number)) == [], number


_OTHERS = [game for game in Game if game is not Game.TICHU]


@pytest.mark.parametrize("game", _OTHERS)
def test_simulated_matches_of_other_games(game: Game) -> None:
    for number in range(3):
        assert faults_of(played("scan", number, game)) == [], number


@pytest.mark.slow
@pytest.mark.parametrize("game", _OTHERS)
def test_many_simulated_matches_of_other_games(game: Game) -> None:
    for number in range(20):
        assert faults_of(played("scan more", number, game)) == [], number


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_many_simulated_matches_with_faults(part: int) -> None:
    for number in range(part * 100, part * 100 + 100):
        assert faults_of(played("scan more", number)) == [], number


# --- the scan knows every field and every line


def reachable(message: Descriptor, known: dict[str, Descriptor]) -> dict[str, Descriptor]:
    """Every message that a frame may hold, by name."""
    if message.name not in known:
        known[message.name] = message
        for descriptor in message.fields:
            if descriptor.message_type is not None:
                reachable(descriptor.message_type, known)
    return known


def test_each_field_of_a_frame_to_a_bot_is_classified_and_no_other() -> None:
    known = reachable(referee_pb2.PlayResponse.DESCRIPTOR, {})
    fields = {f"{name}.{d.name}" for name, message in known.items() for d in message.fields}
    assert fields - set(FIELDS) == set(), "say in leaks/fields.py what these may tell"
    assert set(FIELDS) - fields == set(), "these are gone"


def test_what_holds_cards_is_classified_as_that() -> None:
    holders = (Meaning.OWN, Meaning.GIFTS, Meaning.DEALT, Meaning.SHOWN)
    for name, message in reachable(referee_pb2.PlayResponse.DESCRIPTOR, {}).items():
        for field in message.fields:
            meaning = FIELDS[f"{name}.{field.name}"]
            card = field.enum_type is not None and field.enum_type.name == "Card"
            below = field.message_type is not None and field.message_type.name in ("Gift", "Play")
            assert (meaning in (*holders, Meaning.CARDS)) is (card or below), f"{name}.{field.name}"


def test_each_log_line_is_a_constant_with_keys_that_are_known() -> None:
    calls = list(log_calls(Path(referee.__file__).parent))
    assert len(calls) > 20
    for place, call in calls:
        assert len(call.args) == 1, f"{place}: say the rest with keys"
        assert isinstance(call.args[0], ast.Constant), f"{place}: an event is a constant"
        keys = {key.arg for key in call.keywords if not str(key.arg).endswith("_ms")}  # lengths
        assert keys <= KEYS, f"{place}: say in leaks/logs.py what {keys - KEYS} may tell"


# --- lies and planted leaks are found


@pytest.fixture(scope="module")
def whole() -> Transcript:
    """A match of many frames, with snapshots and every kind of ask."""
    transcripts = [t for number in range(6) for t in played("scan", number).transcripts]
    return max(transcripts, key=lambda transcript: len(transcript.entries))


Lie = Callable[[match_pb2.Update], bool]


def _foreign(play: match_pb2.Play) -> None:
    """Put the whole pack into a play: some of it is held by another."""
    del play.cards[:]
    play.cards.extend(range(8, 60))  # type: ignore[arg-type]


def lie_in_act(update: match_pb2.Update) -> bool:
    for ask in update.asks:
        if ask.act.plays:
            _foreign(ask.act.plays[0])
            return True
    return False


def lie_in_bomb(update: match_pb2.Update) -> bool:
    for ask in update.asks:
        if ask.HasField("bomb"):
            _foreign(ask.bomb.plays.add())
            return True
    return False


def lie_in_hand(update: match_pb2.Update) -> bool:
    if not update.snapshot.hands:
        return False
    update.snapshot.hands.add(seat=0).cards.extend(range(8, 60))  # type: ignore[arg-type]
    return True


def lie_in_trick(update: match_pb2.Update) -> bool:
    if not update.HasField("snapshot"):
        return False
    update.snapshot.trick.extend(range(8, 60))  # type: ignore[arg-type]
    return True


def lie_in_table(update: match_pb2.Update) -> bool:
    if update.HasField("snapshot"):
        _foreign(update.snapshot.table)
    return update.HasField("snapshot")


def lie_in_standing(update: match_pb2.Update) -> bool:
    for ask in update.asks:
        if ask.HasField("exchange"):
            ask.exchange.standing.add(seat=1).cards.extend(range(8, 60))  # type: ignore[arg-type]
            return True
    return False


def _lie_in_event(kind: str) -> Lie:
    def lie(update: match_pb2.Update) -> bool:
        for event in update.events:
            if event.HasField(kind):  # type: ignore[arg-type]
                if kind == "played":
                    _foreign(event.played.play)
                elif kind == "cards_dealt":
                    event.cards_dealt.hands[0].cards.extend(range(8, 60))  # type: ignore[arg-type]
                else:
                    moved = event.cards_exchanged.hands[0]
                    moved.received[0].cards.extend(range(8, 60))  # type: ignore[arg-type]
                return True
        return False

    return lie


def lie_in_refusal(update: match_pb2.Update) -> bool:
    update.refused.add(text=f"seat 2 holds {text_of(0xF << 40)}")
    return True


def lie_by_mask(update: match_pb2.Update) -> bool:
    update.acks.add(used_ms=0xF << 28)
    return True


LIES: dict[str, Lie] = {
    "act": lie_in_act,
    "bomb": lie_in_bomb,
    "hand": lie_in_hand,
    "trick": lie_in_trick,
    "table": lie_in_table,
    "standing": lie_in_standing,
    "played": _lie_in_event("played"),
    "dealt": _lie_in_event("cards_dealt"),
    "exchanged": _lie_in_event("cards_exchanged"),
    "refusal": lie_in_refusal,
    "mask": lie_by_mask,
}


@pytest.mark.parametrize("name", LIES)
def test_a_foreign_card_in_any_field_is_found(whole: Transcript, name: str) -> None:
    assert scanned(whole) == []
    entries = list(whole.entries)
    for place, entry in enumerate(entries):
        if isinstance(entry, Out):
            frame = referee_pb2.PlayResponse.FromString(entry.frame)
            if any(LIES[name](update) for update in frame.updates if update.match):
                entries[place] = replace(entry, frame=frame.SerializeToString())
                break
    else:
        raise AssertionError("there is nothing to lie in")
    assert scanned(replace(whole, entries=tuple(entries))) != []


def test_a_field_that_is_not_classified_stops_the_scan(whole: Transcript) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "tests.simulation.leaks.scan.FIELDS",
            {name: of for name, of in FIELDS.items() if name != "Snapshot.hand_counts"},
        )
        with pytest.raises(LookupError, match=r"Snapshot\.hand_counts"):
            scanned(whole)


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_leak_is_found(plant: Callable[[Patch], None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        assert any(faults_of(played("scan", number)) for number in range(12))


@pytest.mark.parametrize(
    "text", ["you lack 7j", "the Dr is out", "CARD_JADE_7", "hand 1152921504606846975", "0xf0000"]
)
def test_a_text_that_names_cards_is_found(text: str) -> None:
    assert faults_of_text(text) != []


def test_a_text_that_names_none_is_left_alone() -> None:
    assert (
        faults_of_text("index: 7 is outside the ask's list of 3 plays, 1500 ms after 12:30") == []
    )
