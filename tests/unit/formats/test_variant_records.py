"""Records of every game and variant: read again, verified, shown to each seat, summarised."""

from collections.abc import Iterable

import pytest

from referee.formats.playthrough import PUBLIC, full_view, playthrough, seat_view
from referee.formats.records import Record, read_record
from referee.formats.summing import summarise
from referee.formats.verification import Verified, verify_record
from referee.match.facts import Dealt, RoundEnded, decode_fact, encode_fact
from referee.match.inputs import PassDecision
from referee.match.values import Pace
from referee.rules.options import parse_options
from referee.rules.seat import Seat
from tests.simulation.chaos import Chaos
from tests.simulation.table import Table, random_match, settings
from tests.unit.formats.recorded import record_lines

GAMES: dict[str, dict[str, object]] = {
    "trichu": {"variant": "trichu", "rounds": 3},
    "tientsin": {"variant": "tientsin", "rounds": 2},
    "five": {"variant": "grand_seigneur", "seats": 5, "rounds": 3},
    "twelve": {"variant": "grand_seigneur", "seats": 12, "rounds": 2},
    "two Phoenixes": {
        "variant": "grand_seigneur",
        "seats": 7,
        "rounds": 2,
        "gs_two_phoenix_in_combo": True,
    },
    "chaos": {"chaos": True, "rounds": 2},
    "refusing": {"refuse_call": True, "rounds": 3},
    "refusing in Trichu": {"refuse_call": True, "variant": "trichu", "rounds": 3},
}
EVERY = pytest.mark.parametrize("name", GAMES)


def match_of(name: str, *, seed: str = "records") -> Table:
    what = settings(pace=Pace.FAST, rules=parse_options(GAMES[name]))
    return random_match(what, seed=f"{seed} {name}")


def record_of(table: Table) -> Record:
    return read_record(record_lines(table.config, table.facts))


@EVERY
def test_a_record_is_read_verified_and_summed(name: str) -> None:
    table = match_of(name)
    record = record_of(table)
    assert list(record.facts) == table.facts
    verified = verify_record(record)
    assert isinstance(verified, Verified), verified
    assert verified.totals == table.ended.totals
    summary = summarise(record)
    ended = [fact for fact in table.facts if isinstance(fact, RoundEnded)]
    assert [one.points for one in summary.rounds] == [fact.points for fact in ended]
    assert sum(count.made for count in summary.calls) == sum(len(fact.calls) for fact in ended)


class Decoded(Chaos):
    """Bots whose answers came over the wire: no number is out of its range."""

    def nonsense(self) -> None:
        asks = self._open()
        if asks:
            self._say(self.rng.choice(asks), PassDecision(tichu=self.rng.random() < 0.5))

    def crossed(self) -> None:
        ask = self.rng.choice(self.table.asks)
        self._say(ask, PassDecision())


@EVERY
def test_a_record_of_bots_at_their_worst_is_verified_and_summed(name: str) -> None:
    """Late, illegal and repeated answers; the time of each ask is booked to who was asked."""
    what = settings(rules=parse_options(GAMES[name]), max_strikes=100_000, window_ms=20)
    chaos = Decoded(what, seed=f"records at their worst {name}")
    chaos.play()
    record = record_of(chaos.table)
    assert isinstance(verify_record(record), Verified)
    summary = summarise(record)
    asked = {(ask.to, ask.kind.value) for ask in chaos.table.asks}
    assert {(bill.seat, bill.kind) for bill in summary.times} == asked
    assert sum(bill.asks for bill in summary.times) == len(chaos.table.asks)
    strikes = [note.seat for note in summary.faults if not note.ended_match]
    assert strikes == [seat for seat, _ in chaos.table.strikes()]
    assert all(note.kind for note in summary.faults)


@EVERY
def test_a_playthrough_shows_a_seat_no_hand_but_those_it_may_see(name: str) -> None:
    table = match_of(name)
    record = record_of(table)
    assert list(playthrough(record, full_view(record.config)))
    for seat in range(table.machine.seats):
        held = hands_shown(playthrough(record, seat_view(Seat(seat))))
        tisch = {2} if "trichu" in name.lower() else set()
        assert held - tisch <= {seat}
    assert hands_shown(playthrough(record, PUBLIC)) <= ({2} if "trichu" in name.lower() else set())


def hands_shown(lines: Iterable[str]) -> set[int]:
    """The seats whose cards are shown: `first 8  1 NAME ...`, `hand  1 NAME ...`."""
    words = [line.split() for line in lines]
    first = {int(found[2]) for found in words if found[:1] == ["first"]}
    return first | {int(found[1]) for found in words if found[:1] in (["hand"], ["holds"])}


def test_old_lines_of_a_deal_and_a_round_hold_no_new_field() -> None:
    table = random_match(settings(), seed="plain")
    for fact in table.facts:
        if isinstance(fact, Dealt | RoundEnded):
            line = encode_fact(fact)
            assert not any(word in line for word in (b"order", b"ranks", b"refused"))
            assert decode_fact(line) == fact


def test_the_soloist_sees_the_tisch_from_the_deal_on_and_everybody_after_the_exchange() -> None:
    record = record_of(match_of("trichu"))
    dealt = next(fact for fact in record.facts if isinstance(fact, Dealt))
    assert dealt.dealer == 0
    seen = {}
    for seat in (0, 1):
        first = []
        for line in playthrough(record, seat_view(Seat(seat)), round_number=1):
            if " open  2 " in line:
                break
            first.append(line)
        seen[seat] = [line.split()[1] for line in first if line.split()[:1] == ["hand"]]
    assert seen == {0: ["0", "2"], 1: ["1"]}
    public = "\n".join(playthrough(record, PUBLIC, round_number=1))
    assert "soloist    0, who plays 2 too" in public
    assert "\n     open  2 " in public
    assert "\n    holds  2 " in public


def test_a_playthrough_of_grand_seigneur_tells_turn_order_and_ranks_and_no_score() -> None:
    record = record_of(match_of("five"))
    lines = list(playthrough(record, PUBLIC))
    ended = [fact for fact in record.facts if isinstance(fact, RoundEnded)]
    for fact in ended:
        assert f"round {fact.round}: ranks {', '.join(map(str, fact.ranks))}" in lines
    orders = [line for line in lines if line.startswith("  turn order ")]
    assert orders == [f"  turn order {', '.join(map(str, fact.ranks))}" for fact in ended[:-1]]
    assert lines[-1] == "match completed: no score after 3 rounds"
    assert not any("totals" in line or "won by" in line for line in lines)


BIDS = "  bids "


def who(line: str) -> str:
    return line.split()[1]


def test_bids_are_shown_to_partners_only_and_calls_with_what_opponents_said_to_all() -> None:
    record = record_of(match_of("chaos"))
    bids = {
        seat: {who(line) for line in playthrough(record, seat_view(Seat(seat))) if BIDS in line}
        for seat in range(4)
    }
    assert bids == {0: {"0", "2"}, 1: {"1", "3"}, 2: {"0", "2"}, 3: {"1", "3"}}
    assert not any(BIDS in line for line in playthrough(record, PUBLIC))
    told = "\n".join(
        line
        for number in range(6)
        for line in playthrough(record_of(match_of("refusing", seed=str(number))), PUBLIC)
    )
    for words in ("lets the call stand", "refuses the call", "was refused, totals"):
        assert words in told


def test_two_phoenixes_are_told_with_both_ranks() -> None:
    for number in range(20):
        record = record_of(match_of("two Phoenixes", seed=str(number)))
        lines = [line for line in playthrough(record, PUBLIC) if "Phoenixes are" in line]
        for line in lines:
            assert "Ph" in line
            assert "Ph'" in line
        if lines:
            return
    raise AssertionError("no match had two Phoenixes in a play")


def test_the_winner_of_trichu_is_told_by_name() -> None:
    record = record_of(match_of("trichu"))
    last = list(playthrough(record, PUBLIC))[-1]
    ended = record.facts[-1]
    winner = getattr(ended, "winner", None)
    assert last.endswith(f"won by bot {winner}" if winner is not None else "rounds")
