"""Whether an answer is one that its ask allows, by the rules page alone."""

from typing import NamedTuple

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.cards import MAH_JONG, mask_of
from tests.simulation.audit.combos import BOMB, Reading, can_follow, folded
from tests.simulation.audit.gifts import choice_fits
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.ruling import Ruling, told_reading


class Deed(NamedTuple):
    """What an answer decides: cards (0: none, a pass or a decline), their reading, a wish."""

    mask: int
    reading: Reading | None
    wish: int


NOTHING = Deed(0, None, 0)
UNSAID = Deed(-1, None, 0)


def kind_of(answer: referee_pb2.Answer) -> str | None:
    """The kind of ask that this answers; `default_action` answers any."""
    return answer.WhichOneof("decision")


def is_lawful(
    ask: match_pb2.Ask, answer: referee_pb2.Answer, at: Position, ruling: Ruling, seat: int
) -> bool | None:
    """Whether the answer must be accepted in time; None where that cannot be said."""
    kind = ask.WhichOneof("kind")
    decision = kind_of(answer)
    if decision == "default_action":
        return True
    if decision != kind:
        return False
    if decision == "call":
        return answer.call.choice in ask.call.choices
    if decision == "exchange":
        return _exchange(ask.exchange, answer.exchange, at, ruling, seat)
    if decision == "choose_seat":
        chosen = answer.choose_seat
        return chosen.HasField("seat") and chosen.seat in ask.choose_seat.seats
    if at.hands[seat] == UNKNOWN:
        return None
    if decision == "bomb":
        return _bomb(ask.bomb, answer.bomb, at, ruling, seat)
    return _act(ask.act, answer.act, at, ruling, seat)


def _exchange(
    ask: match_pb2.ExchangeAsk,
    answer: referee_pb2.ExchangeAnswer,
    at: Position,
    ruling: Ruling,
    seat: int,
) -> bool | None:
    hand, slots = at.hands[seat], ruling.slots(seat, at)
    if hand == UNKNOWN:
        return None
    if sorted(gift.seat for gift in answer.gifts) != sorted(slot.to for slot in slots):
        return False
    if not all(gift.HasField("seat") for gift in answer.gifts):
        return False
    given = {gift.seat: mask_of(gift.cards) for gift in answer.gifts}
    if not choice_fits(slots, hand, [given[slot.to] for slot in slots], ruling.rules):
        return False
    if answer.tichu:
        return None if ask.may_call_tichu else False
    return True


def _bomb(
    ask: match_pb2.BombAsk,
    answer: referee_pb2.BombAnswer,
    at: Position,
    ruling: Ruling,
    seat: int,
) -> bool | None:
    choice = answer.WhichOneof("choice")
    if choice == "decline":
        return True
    if choice == "index":
        return answer.index < len(ask.plays)
    if choice != "play" or at.table is None:
        return False
    if answer.play.HasField("phoenix_rank"):
        return None
    mask = mask_of(answer.play.cards)
    if mask <= 0 or mask & ~at.hands[seat] or folded(mask).bit_count() != mask.bit_count():
        return False
    return folded(mask) in ruling.bombs(at.hands[seat], at.table, ruling.wish_for(seat, at))


def _act(
    ask: match_pb2.ActAsk, answer: referee_pb2.ActAnswer, at: Position, ruling: Ruling, seat: int
) -> bool | None:
    choice = answer.WhichOneof("choice")
    wish = answer.wish if answer.HasField("wish") else None
    if choice == "pass":
        legal: bool | None = None if wish is not None and ask.may_pass else ask.may_pass
    elif choice == "index":
        if not ask.plays:  # none is legal, or the bot wanted no list
            able = ask.leading or at.table is None or can_follow(at.hands[seat], at.table)
            able = able or ruling.rules.two_phoenixes
            return None if able else False
        if answer.index >= len(ask.plays):
            return False
        legal = not ruling.wish_fault(mask_of(ask.plays[answer.index].cards), wish)
    elif choice == "play":
        legal = _play(ask, answer, at, ruling, seat)
    else:
        return False
    if legal and answer.tichu:
        return None if ask.may_call_tichu else False
    return legal


def _play(
    ask: match_pb2.ActAsk, answer: referee_pb2.ActAnswer, at: Position, ruling: Ruling, seat: int
) -> bool | None:
    play, wish = answer.play, answer.wish if answer.HasField("wish") else None
    mask = mask_of(play.cards)
    if mask <= 0 or mask & ~at.hands[seat]:
        return False
    where = led(at) if at.phase is Phase.CLOSING and ask.leading else at
    fitting = fitting_readings(play, mask, where, ruling)
    if not fitting:
        return None if play.HasField("phoenix_rank") else False
    if ruling.wish_fault(mask, wish):
        return False
    return ruling.play_fault(seat, mask, fitting[0], where) is None


_HIGHEST = ("phoenix_choice", "highest")


def fitting_readings(
    play: match_pb2.Play, mask: int, at: Position, ruling: Ruling
) -> list[Reading]:
    """The readings that the bot may mean, the highest first."""
    found = ruling.readings_of(mask, at.table)
    if ruling.rules.says(*_HIGHEST):
        found = found[:1]
    if play.HasField("phoenix_rank"):
        found = [reading for reading in found if reading.phoenix == play.phoenix_rank]
    return found


def led(at: Position) -> Position:
    """The position of a lead that is asked while the trick before it is closing."""
    ahead = at.copy()
    ahead.turn, ahead.phase = at.leader, Phase.PLAY
    ahead.table, ahead.table_mask, ahead.owner, ahead.trick = None, 0, None, 0
    return ahead


def deed(ask: match_pb2.Ask, answer: referee_pb2.Answer, at: Position, ruling: Ruling) -> Deed:
    """What a lawful answer to an act or bomb ask puts on the table; `UNSAID` where the bot chose
    from a list that it was not sent."""
    if kind_of(answer) == "bomb":
        choice: str | None = answer.bomb.WhichOneof("choice")
        index, play, plays, wish = answer.bomb.index, answer.bomb.play, ask.bomb.plays, 0
    else:
        choice = answer.act.WhichOneof("choice")
        index, play, plays, wish = (
            answer.act.index,
            answer.act.play,
            ask.act.plays,
            answer.act.wish,
        )
    if choice in ("decline", "pass"):
        return NOTHING
    if choice == "index":
        return listed(plays[index], wish) if index < len(plays) else UNSAID
    mask = mask_of(play.cards)
    where = led(at) if at.phase is Phase.CLOSING and ask.act.leading else at
    fitting = fitting_readings(play, mask, where, ruling)
    return Deed(mask, fitting[0], wish) if fitting else UNSAID


def listed(play: match_pb2.Play, wish: int) -> Deed:
    """A play of an ask's list."""
    return Deed(mask_of(play.cards), told_reading(play), wish)


def substitute(ask: match_pb2.Ask, at: Position, seat: int) -> Deed | int:
    """The substitute action (PROTOCOL: Asks and answers): what is played, or the seat or call
    chosen; `UNSAID` where the ask did not list the plays that it takes to say so."""
    kind = ask.WhichOneof("kind")
    if kind == "call":
        declines = (r.NO_GRAND, r.NO_GREAT_GRAND, r.BIDS[0], r.ACCEPT)
        return next(choice for choice in ask.call.choices if choice in declines)
    if kind == "choose_seat":
        most = max(at.counts[other] for other in ask.choose_seat.seats)
        after = at.seats.after[seat]
        return next(s for s in after if s in ask.choose_seat.seats and at.counts[s] == most)
    if kind != "act" or ask.act.may_pass:
        return NOTHING
    if not ask.act.plays:
        return UNSAID
    plays = ask.act.plays
    first = next((play for play in plays if play.kind != BOMB), plays[0])
    same = [play for play in plays if play.cards == first.cards]
    best = max(same, key=lambda play: play.rank_halves)
    wished = ask.act.wish_required and MAH_JONG in best.cards
    return listed(best, 2 if wished else 0)
