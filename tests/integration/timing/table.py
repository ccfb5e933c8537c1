"""What any bot of a measurement knows of its matches, and how it meets calls and the exchange."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.rules.cards import DOG, MAHJONG, card_numbers
from tests.integration.timing.deals import SEATS, Role, role_at
from tests.integration.timing.plan import Plan

_LEADER_ONLY = card_numbers(MAHJONG | DOG)


class Place:
    """One seat of one match, from what it was told."""

    def __init__(self, number: int, plan: Plan) -> None:
        self.plan = plan
        self.number = number  # of the match in the session
        self.match = -1  # index of the match in the plan
        self.seat = -1
        self.round = 0
        self.event = 0  # number of the last event
        self.led = 0  # in the round

    def take(self, update: match_pb2.Update) -> None:
        """Take seating and events."""
        if update.HasField("seating"):
            self.match = int(update.seating.match_id)
            self.seat = update.seating.seat
        for event in update.events:
            self.event = event.number
            if event.HasField("round_started"):
                self.round = event.round_started.round
                self.led = 0

    def role_of(self, seat: int) -> Role:
        """The role that a seat plays."""
        return role_at(seat, self.match)

    def declining(self, ask: match_pb2.Ask) -> referee_pb2.Answer:
        """No bomb."""
        bomb = referee_pb2.BombAnswer(decline=referee_pb2.Decline())
        return referee_pb2.Answer(match=self.number, ask_id=ask.ask_id, bomb=bomb)

    def passing(self, ask: match_pb2.Ask) -> referee_pb2.Answer:
        """A pass."""
        answer = referee_pb2.Answer(match=self.number, ask_id=ask.ask_id)
        getattr(answer.act, "pass").SetInParent()  # a keyword
        return answer

    def illegal(self, ask: match_pb2.Ask) -> referee_pb2.Answer:
        """A play of cards that only LEADER holds: the Mah Jong and the Dog."""
        answer = referee_pb2.Answer(match=self.number, ask_id=ask.ask_id)
        answer.act.play.cards.extend(_LEADER_ONLY)  # type: ignore[arg-type]
        return answer

    def leading(self, ask: match_pb2.Ask) -> referee_pb2.Answer:
        """The next lead of this role; what is left at last is led by the referee's substitute."""
        leads = self.plan.pair(self.match, self.round).leads[self.role_of(self.seat) // 2]
        answer = referee_pb2.Answer(match=self.number, ask_id=ask.ask_id)
        if self.led < len(leads):
            answer.act.play.cards.extend(leads[self.led])  # type: ignore[arg-type]
        else:
            answer.default_action.SetInParent()
        self.led += 1
        return answer

    def prelude(self, ask: match_pb2.Ask) -> referee_pb2.Answer:
        """The answer to an ask before play: no call, and the agreed gifts."""
        answer = referee_pb2.Answer(match=self.number, ask_id=ask.ask_id)
        if ask.HasField("exchange"):
            given = self.plan.pair(self.match, self.round).gifts[self.role_of(self.seat)]
            for step, card in enumerate(given, start=1):
                gift = answer.exchange.gifts.add(seat=(self.seat + step) % SEATS)
                gift.cards.append(card)  # type: ignore[arg-type]
        else:
            answer.default_action.SetInParent()
        return answer
