"""Frames of the protocol, short to write."""

from collections.abc import Iterable, Sequence

from tichu_bot import cards
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot._gen.tichu.referee.v1.card_pb2 import Card
from tichu_bot.bot import Bot
from tichu_bot.seat import SeatPlayer
from tichu_bot.view import Plays, View

HAND = "Mj 2j 3s 4p 5r 6j 7s 8p 9r Tj Qs Kp Ar Dr"


def card_list(text: str) -> list[Card.ValueType]:
    return [Card.ValueType(card) for card in cards.parse(text)]


def play(text: str, kind: cards.Kind | None = None) -> match_pb.Play:
    """The highest reading of the cards, as the referee lists it."""
    read = cards.readings(cards.parse(text))[0]
    listed = match_pb.Play(
        cards=card_list(text),
        kind=match_pb.PlayKind.ValueType(int(read.kind if kind is None else kind)),
        rank_halves=read.rank_halves,
    )
    if read.phoenix_rank is not None:
        listed.phoenix_rank = read.phoenix_rank
    return listed


def seating(
    match: int = 1, *, seat: int = 0, pace: match_pb.Pace.ValueType = match_pb.PACE_FAIR
) -> match_pb.Update:
    return match_pb.Update(
        match=match,
        seating=match_pb.Seating(
            match_id=f"match-{match}",
            seat=seat,
            names=["a", "b", "c", "d"],
            teams=[0, 1, 0, 1],
            pace=pace,
            bot_seed=b"\x07" * 32,
        ),
    )


def act_ask(ask_id: int, plays: Iterable[str], *, may_pass: bool = False) -> match_pb.Ask:
    asked = match_pb.ActAsk(plays=[play(text) for text in plays], may_pass=may_pass)
    asked.leading = not may_pass
    return match_pb.Ask(ask_id=ask_id, act=asked)


def bomb_ask(ask_id: int, bombs: Iterable[str] = ()) -> match_pb.Ask:
    return match_pb.Ask(ask_id=ask_id, bomb=match_pb.BombAsk(plays=[play(b) for b in bombs]))


def update(match: int = 1, *asks: match_pb.Ask) -> match_pb.Update:
    return match_pb.Update(match=match, asks=asks)


def dealt(hand: str, *, seat: int = 0, first: int = 1) -> list[match_pb.Event]:
    """A round as it begins for a seat: all cards at once, then an exchange that moves nothing."""
    moved = match_pb.HandExchanged(seat=seat)
    events = [
        match_pb.Event(round_started=match_pb.RoundStarted(round=1, totals=[0, 0])),
        match_pb.Event(
            cards_dealt=match_pb.CardsDealt(
                hands=[match_pb.Gift(seat=seat, cards=card_list(hand))], complete=True
            )
        ),
        match_pb.Event(cards_exchanged=match_pb.CardsExchanged(hands=[moved])),
    ]
    return numbered(events, first=first)


def played(seat: int, text: str, left: int, wish: int | None = None) -> match_pb.Event:
    event = match_pb.Event(played=match_pb.Played(seat=seat, play=play(text), cards_left=left))
    if wish is not None:
        event.played.wish = wish
    return event


def numbered(events: Sequence[match_pb.Event], *, first: int) -> list[match_pb.Event]:
    for number, event in enumerate(events, first):
        event.number = number
    return list(events)


class Table:
    """A seat with its strategy, and no stream: updates go in, what is sent comes out."""

    def __init__(
        self, bot: Bot, hand: str, *, pace: match_pb.Pace.ValueType = match_pb.PACE_FAIR
    ) -> None:
        self.player = SeatPlayer(1, bot)
        self.next_event = 1
        self.player.update(seating(pace=pace), pb.PlayRequest())
        self.at_start = self.happens(*dealt(hand))

    @property
    def view(self) -> View:
        return self.player.view

    def happens(self, *events: match_pb.Event) -> pb.PlayRequest:
        """Events in the order given; their numbers follow those before."""
        self.next_event += len(numbered(events, first=self.next_event))
        return self.send(match_pb.Update(match=1, events=events))

    def asks(self, ask: match_pb.Ask) -> pb.PlayRequest:
        return self.send(update(1, ask))

    def send(self, sent: match_pb.Update) -> pb.PlayRequest:
        out = pb.PlayRequest()
        self.player.update(sent, out)
        return out


def position(
    hand: str, plays: Sequence[str] = (), *, table: str = "", owner: int | None = None
) -> View:
    """The view of seat 0 that owes an act; others hold ten cards each."""
    view = View()
    view.names, view.teams = ("a", "b", "c", "d"), (0, 1, 0, 1)
    view.start_round(1, 0, (0, 0))
    view.hands = {0: tuple(sorted(cards.parse(hand)))}
    view.counts = [len(view.hand), 10, 10, 10]
    view.plays = Plays([play(text) for text in plays])
    if table:
        view.table, view.owner = cards.readings(cards.parse(table))[0], owner
        view.trick = list(view.table.cards)
        view.played = list(view.table.cards)
    view.leading = not table
    view.may_pass = bool(table)
    return view
