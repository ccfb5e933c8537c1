"""The answers of a bot that does everything right but for the faults that it is told."""

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2, referee_pb2

FAULTS = {
    "wrong-call": "answers every call ask with TICHU",
    "wrong-gifts": "gives one card in every exchange",
    "exchange-once": "gives nothing when the exchange is asked again",
    "lowest-gifts": "gives its lowest cards where the best are due",
    "passes-always": "passes, also where it leads",
    "never-passes": "answers index 0, also to an empty list",
    "index-out": "answers an index behind the list",
    "plays-phoenix-as-king": "names rank 13 for a Phoenix that is alone",
    "ignores-wish": "plays its highest card under a wish",
    "no-wish": "names no wish",
    "bomb-99": "answers a bomb ask with index 99",
    "gives-itself": "gives tricks and leads to itself",
    "own-hand-only": "answers for its own hand alone",
    "one-pack": "takes a second pack's cards for those of the first",
    "first-ask-only": "answers the first ask of a frame",
    "eight-matches": "answers eight matches of a frame",
    "twice": "sends each answer twice",
    "wrong-match": "answers for another match, too",
    "resigns": "resigns at its first turn",
    "answers-once-ever": "answers no ask again, on no stream",
    "same-again": "sends an answer that was refused once more",
    "no-correction": "says nothing more where it was refused",
    "ignores-unknown": "does not answer an ask that it does not know",
    "silent-bombs": "neither answers bomb asks nor stands down",
    "future-numbers": "answers with enum numbers of the future",
}


class Answers:
    """Decides, frame by frame."""

    def __init__(self, faults: set[str]) -> None:
        self._faults = faults
        self._seats: dict[int, int] = {}
        self._hands: dict[tuple[int, int], list[int]] = {}  # by match and seat
        self._answered: set[tuple[int, int]] = set()
        self._exchanged: set[int] = set()
        self._last = referee_pb2.Answer()

    def new_stream(self) -> None:
        """Forget what waits; nothing does."""

    def _has(self, fault: str) -> bool:
        return fault in self._faults

    def to(self, frame: referee_pb2.PlayResponse) -> referee_pb2.PlayRequest:
        """Return the answers to all asks of a frame."""
        reply = referee_pb2.PlayRequest()
        for place, update in enumerate(frame.updates):
            if self._has("eight-matches") and place >= 8:
                break
            self._update(update, reply)
        if self._has("first-ask-only"):
            del reply.answers[1:]
        return reply

    def _update(self, update: match_pb2.Update, reply: referee_pb2.PlayRequest) -> None:
        match = update.match
        if update.HasField("seating"):
            self._seats[match] = update.seating.seat
            self._exchanged.discard(match)
        for gift in update.snapshot.hands:
            self._hands[match, gift.seat] = list(gift.cards)
        cancelled = {one.ask_id for one in update.cancelled}
        for ask in update.asks:
            if ask.ask_id in cancelled or self._skips(match, ask):
                continue
            self._answered.add((match, ask.ask_id))
            answer = reply.answers.add(match=match, ask_id=ask.ask_id)
            self._decide(match, ask, answer)
            if answer.WhichOneof("decision") is None:
                del reply.answers[-1]
            self._last = referee_pb2.Answer.FromString(answer.SerializeToString())
            if self._has("wrong-match"):
                reply.answers.add(match=match + 7, ask_id=1).default_action.SetInParent()
            if self._has("resigns") and ask.HasField("act"):
                reply.resigns.add(match=match, request_id=1)
        for refused in () if self._has("no-correction") else update.refused:
            if refused.ask_id not in cancelled:
                answer = reply.answers.add(match=match, ask_id=refused.ask_id)
                answer.default_action.SetInParent()
                if self._has("same-again"):
                    answer.CopyFrom(self._last)

    def _skips(self, match: int, ask: match_pb2.Ask) -> bool:
        if self._has("own-hand-only") and ask.for_seat != self._seats.get(match):
            return True
        if self._has("exchange-once") and ask.HasField("exchange"):
            again = match in self._exchanged
            self._exchanged.add(match)
            return again
        return self._has("answers-once-ever") and (match, ask.ask_id) in self._answered

    def _decide(self, match: int, ask: match_pb2.Ask, answer: referee_pb2.Answer) -> None:
        hand = self._hands.get((match, ask.for_seat), [])
        match ask.WhichOneof("kind"):
            case "call":
                self._call(ask.call, answer)
            case "exchange":
                self._exchange(ask.exchange, hand, answer)
            case "act":
                self._act(ask.act, hand, answer)
            case "bomb":
                self._bomb(answer)
            case "choose_seat":
                own = self._has("gives-itself")
                answer.choose_seat.seat = ask.for_seat if own else ask.choose_seat.seats[0]
            case _:
                if not self._has("ignores-unknown"):
                    answer.default_action.SetInParent()

    def _call(self, ask: match_pb2.CallAsk, answer: referee_pb2.Answer) -> None:
        known = [one for one in ask.choices if one in match_pb2.CallKind.values()]
        answer.call.choice = known[-1]
        accept = match_pb2.CALL_KIND_ACCEPT
        if accept in known:
            answer.call.choice = accept
        if self._has("wrong-call"):
            answer.call.choice = match_pb2.CALL_KIND_TICHU
        if self._has("future-numbers"):
            answer.call.choice = 77  # type: ignore[assignment]

    def _exchange(
        self, ask: match_pb2.ExchangeAsk, hand: list[int], answer: referee_pb2.Answer
    ) -> None:
        forced = any(slot.forced_best or slot.forced_worst for slot in ask.slots)
        if forced and not self._has("lowest-gifts"):
            answer.default_action.SetInParent()
            return
        cards = sorted(card for card in hand if card <= 123)
        for slot in ask.slots[:1] if self._has("wrong-gifts") else ask.slots:
            gift = answer.exchange.gifts.add(seat=slot.to_seat)
            gift.cards.extend(cards[: slot.count])  # type: ignore[arg-type]
            cards = cards[slot.count :]

    def _act(self, ask: match_pb2.ActAsk, hand: list[int], answer: referee_pb2.Answer) -> None:
        act = answer.act
        if self._has("passes-always") or (not ask.plays and not self._has("never-passes")):
            getattr(act, "pass").SetInParent()
            return
        if self._has("ignores-wish") and ask.wish and not ask.leading:
            act.play.cards.append(max(hand))  # type: ignore[arg-type]
            return
        act.index = len(ask.plays) if self._has("index-out") else 0
        play = ask.plays[0] if ask.plays else match_pb2.Play()
        if self._has("one-pack"):
            act.play.cards.extend(card % 64 for card in play.cards)  # type: ignore[misc]
        phoenix = [p for p in ask.plays if list(p.cards) == [card_pb2.CARD_PHOENIX]]
        if self._has("plays-phoenix-as-king") and phoenix:
            act.play.cards.append(card_pb2.CARD_PHOENIX)
            act.play.phoenix_rank = 13
        if card_pb2.CARD_MAH_JONG in play.cards and not self._has("no-wish"):
            act.wish = 8

    def _bomb(self, answer: referee_pb2.Answer) -> None:
        if self._has("bomb-99"):
            answer.bomb.index = 99
        elif not self._has("silent-bombs"):
            answer.bomb.decline.SetInParent()
