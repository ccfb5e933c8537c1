"""`chaos:malformed` answers every ask with a message that says nothing the protocol knows."""

from chaos.insisting import InsistingPlayer, by_kind
from chaos.process import run
from tichu_bot._gen.tichu.referee.v1 import card_pb2, match_pb2, referee_pb2

NO_CALL = match_pb2.CallKind.ValueType(99)
NO_CARD = card_pb2.Card.ValueType(999)


def _call(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    answer.call.choice = NO_CALL


def _exchange(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    """Gifts to nobody."""
    for slot in ask.exchange.slots:
        answer.exchange.gifts.add(cards=[NO_CARD] * slot.count)


def _act(answer: referee_pb2.Answer, ask: match_pb2.Ask) -> None:
    answer.act.play.cards.append(NO_CARD)


FILLS = by_kind({"call": _call, "exchange": _exchange, "act": _act})  # the others: no decision

if __name__ == "__main__":
    run("malformed", lambda outbox: InsistingPlayer(FILLS))
