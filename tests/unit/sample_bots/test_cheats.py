"""What the cheats know, and what they do with it."""

from chaos.playout import Playout, Position
from chaos.remembers_leg import Deal, Memory, fits
from chaos.shares_hand import sharing
from chaos.sight import PACK, deals
from chaos.signals_by_time import WAIT_S, WORDS, SignallingBot, Timing
from tests.unit.sample_bots.frames import position
from tichu_bot import Pace, View
from tichu_bot.cards import Kind, Play, parse, readings
from tichu_bot.events import CardsExchanged, Event, Played, RoundStarted

HANDS = tuple(tuple(sorted(PACK))[seat::4] for seat in range(4))


def whole(seat: int = 0) -> View:
    """The view of a seat that leads, with all cards in the hands."""
    view = position("2j")
    view.match_id, view.seat, view.own_seat = "m", seat, seat
    view.hands = {seat: HANDS[seat]}
    view.counts = [len(hand) for hand in HANDS]
    return view


# --- sight


def test_what_is_seen_lies_where_it_was_seen_and_the_rest_anywhere_else() -> None:
    found = deals(whole(), {2: HANDS[2]})
    assert len({*found}) > 1
    for hands in found:
        assert (hands[0], hands[2]) == (HANDS[0], HANDS[2])
        assert sorted(card for hand in hands for card in hand) == sorted(PACK)
        assert [len(hand) for hand in hands] == [14] * 4


def test_where_all_is_seen_there_is_one_deal() -> None:
    assert deals(whole(), {1: HANDS[1], 2: HANDS[2]}) == [HANDS]


def test_a_card_that_was_played_is_in_no_hand() -> None:
    view = whole()
    gone = HANDS[2][3]
    view.played, view.counts = [gone], [14, 14, 13, 14]
    for hands in deals(view, {2: HANDS[2]}):
        assert hands[2] == tuple(card for card in HANDS[2] if card != gone)


def test_cards_that_do_not_add_up_to_one_pack_are_not_looked_into() -> None:
    view = whole()
    view.counts = [28] * 4
    assert deals(view, {2: HANDS[2]}) == []


# --- the round in the head


def end(*hands: str, table: str = "", owner: int = 0, turn: int = 0, trick: int = 0) -> Position:
    on_top: Play | None = readings(parse(table))[0] if table else None
    return Position(
        hands=tuple(tuple(sorted(parse(hand))) for hand in hands),
        won=(0, 0, 0, 0),
        out=tuple(seat for seat, hand in enumerate(hands) if not hand),
        table=on_top,
        owner=owner,
        trick=trick,
        bets=frozenset(),
        turn=turn,
    )


def test_a_double_victory_is_worth_200_to_its_team() -> None:
    """Seat 0 leads its Ace and is out; seat 2 took over the trick before anybody else could."""
    at = end("Ar", "3j 4s", "Dr", "3s 4p")
    assert Playout(at).value(0) == 200
    assert Playout(at).value(1) == -200


def test_the_last_hand_goes_to_the_opponents_and_its_tricks_to_the_first_out() -> None:
    """Seat 1 is out; 0 leads and 2 beats it, so 0 and 1 and 2 are out, and 3 keeps the Kings."""
    at = end("5r", "", "9s", "Kj Ks")._replace(won=(0, 10, 0, 5))
    # 0 plays the 5 and is second; 2 the 9 and is third, with 5 points; 3 loses 20 in hand to seats
    # 0 and 2, and its 5 in tricks to seat 1: 25 against 75, of which 60 lie in no hand here
    assert Playout(at).value(0) == 2 * 25 - 100


def test_a_bet_counts_for_who_is_first() -> None:
    at = end("Ar", "3j 4s", "Dr", "3s 4p")._replace(bets=frozenset({0, 1}))
    assert Playout(at).value(0) == 200 + 100 + 100


# --- who shares


def test_partners_of_one_process_see_each_other_and_opponents_are_not_looked_at() -> None:
    make = sharing()
    views = [whole(seat) for seat in range(4)]
    bots = [make() for _ in views]
    for bot, view in zip(bots, views, strict=True):
        bot.match_started(view)
    assert [bot.seen(view) for bot, view in zip(bots, views, strict=True)] == [  # type: ignore[attr-defined]
        {2: HANDS[2]},
        {3: HANDS[3]},
        {0: HANDS[0]},
        {1: HANDS[1]},
    ]


def test_partners_of_two_processes_see_nothing() -> None:
    views = [whole(seat) for seat in (0, 2)]
    bots = [sharing()() for _ in views]
    for bot, view in zip(bots, views, strict=True):
        bot.match_started(view)
    assert [bot.seen(view) for bot, view in zip(bots, views, strict=True)] == [{}, {}]  # type: ignore[attr-defined]


# --- who remembers


def test_a_hand_is_known_again_in_the_seat_that_held_it_and_in_no_other() -> None:
    deal = Deal(0, frozenset(HANDS[0]), {seat: frozenset(HANDS[seat]) for seat in range(4)})
    assert [fits(deal, seat, frozenset(HANDS[1])) for seat in range(4)] == [
        False, True, False, False,
    ]  # fmt: skip
    assert fits(deal, 0, frozenset(HANDS[0]))


def test_a_hand_that_gave_three_cards_away_is_known_again() -> None:
    moved = frozenset(HANDS[2][:3])
    held = {0: frozenset(HANDS[0]), 1: frozenset(HANDS[1][3:]) | moved, 2: frozenset(HANDS[2][3:])}
    deal = Deal(0, frozenset(HANDS[0]), held)
    assert fits(deal, 2, frozenset(HANDS[2]))


def test_a_memory_without_the_deal_finds_nothing() -> None:
    assert Memory().find(whole()) is None


# --- who signals


class Pair:
    """Two signalling partners, seats 0 and 2, and the time at which both hear of an event."""

    def __init__(self, hand: str) -> None:
        self.timing = Timing()
        self.bots = {seat: SignallingBot(self.timing) for seat in (0, 2)}
        self.views = {seat: position(hand) for seat in (0, 2)}
        for seat, view in self.views.items():
            view.seat = view.own_seat = seat
            view.hands = {seat: view.hands[0]}
            view.pace, view.window_ms = Pace.FAST, 50
        self.happens(RoundStarted(1, 1, 0, b"", (0, 0)))
        self.happens(CardsExchanged(2, ()))

    def happens(self, event: Event) -> None:
        for seat, bot in self.bots.items():
            bot.event(self.views[seat], event)

    def plays(self, *waits: float) -> None:
        """Seat 0 leads a single each time, after a wait."""
        for wait in waits:
            self.timing.now += wait
            self.happens(Played(3, 0, Play(parse("2j"), Kind.SINGLE, 4), None, 9))


def test_a_partner_who_greets_is_understood() -> None:
    pair = Pair("2j 3j")
    pair.plays(WAIT_S, 0.001, WAIT_S, 0.001, 0.002, WAIT_S)
    assert pair.bots[2].told() == [WORDS[0], WORDS[3]]
    assert pair.bots[0].told() == []


def test_who_does_not_greet_tells_nothing() -> None:
    """A slow bot, and a fast one."""
    for waits in ((WAIT_S,) * 6, (0.001,) * 6):
        pair = Pair("2j 3j")
        pair.plays(*waits)
        assert pair.bots[2].told() == []


def test_an_answer_waits_for_a_true_bit_only() -> None:
    pair = Pair("Dr 2j 3j 4j")
    view, waits = pair.views[0], []
    view.plays = position("Dr 2j 3j 4j", ["2j"]).plays
    for _ in range(4):
        pair.timing.wait_s = 0.0
        pair.bots[0].act(view)
        waits.append(pair.timing.wait_s)
        pair.plays(pair.timing.wait_s)
    assert waits == [WAIT_S, 0.0, WAIT_S, 0.0]  # the greeting, the Dragon, no Phoenix
