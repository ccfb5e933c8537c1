"""`chaos:illegal` answers every ask with something well-formed that the rules forbid."""

from chaos.insisting import InsistingPlayer, by_kind
from chaos.process import run
from tichu_bot._gen.tichu.referee.v1 import card_pb2, match_pb2, referee_pb2
from tichu_bot.cards import DOG, DRAGON, MAH_JONG

# Three special cards: no hand makes a combination of them.
NO_COMBINATION = tuple(card_pb2.Card.ValueType(card) for card in (DOG, MAH_JONG, DRAGON))


def _call(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    """A small Tichu is no answer to the question for a great one."""
    answer.call.choice = match_pb2.CALL_KIND_TICHU


def _exchange(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    """The same card to everybody."""
    for slot in ask.exchange.slots:
        answer.exchange.gifts.add(seat=slot.to_seat, cards=[NO_COMBINATION[0]] * slot.count)


def _act(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    answer.act.play.cards.extend(NO_COMBINATION)


def _bomb(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    answer.bomb.play.cards.extend(NO_COMBINATION)


def _choose_seat(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    """Oneself, who is never among those who may get it."""
    answer.choose_seat.seat = ask.for_seat


FILLS = by_kind(
    {
        "call": _call,
        "exchange": _exchange,
        "act": _act,
        "bomb": _bomb,
        "choose_seat": _choose_seat,
    }
)

if __name__ == "__main__":
    run("illegal", lambda outbox: InsistingPlayer(FILLS))
