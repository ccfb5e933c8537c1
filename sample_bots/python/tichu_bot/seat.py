"""One seat of one match: its view, its strategy, and what the library does for it."""

from tichu_bot import answers, cards
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bot import Bot, Strategy
from tichu_bot.events import CardsDealt, CardsExchanged, Event, MatchEnded, Played, RoundStarted
from tichu_bot.report import say, say_failure, times
from tichu_bot.tracker import refusal_name, take_event, take_seating, take_snapshot
from tichu_bot.traits import Traits, traits_of
from tichu_bot.view import Pace, Request, View

BOMB_SIZE = 4  # a hand of fewer cards is never asked for a bomb
REMEMBERED = 8  # a seat has at most three asks open at once


class SeatPlayer:
    """Takes the updates of one seat in, and writes what it answers into the outgoing frame."""

    def __init__(
        self,
        match: int,
        strategy: Strategy,
        *,
        traits: Traits | None = None,
        plays_listed: bool = True,
    ) -> None:
        """`plays_listed` False: Hello asked for no legal plays, so an empty list says nothing.

        `traits` where `strategy` only listens, and another decides.
        """
        self.match = match
        self.over = False
        self.view = View()
        self._strategy = strategy
        self._plays_listed = plays_listed
        self._hears, self._bombs = traits or traits_of(strategy)
        self._last_event = 0
        self._loaded: dict[int, bool] = {}  # own hands after the exchange: does it hold a bomb?
        self._given: dict[int, pb.Answer] = {}  # the latest answers, by ask
        # Calls and resignations not acknowledged yet, with the hand that asked for them.
        self._unsettled: dict[int, tuple[Request, int]] = {}
        self._request_id = 0
        self._failures = 0  # methods that raised

    def update(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        """Take one update in. Answers go to `out`, stand-downs and calls with them."""
        if update.HasField("seating"):
            self._seated(update.seating)
        if update.HasField("snapshot"):
            self._rebuild(update.snapshot)
        for event in update.events:
            if event.number > self._last_event:
                self._last_event = event.number
                self._happened(take_event(self.view, event))
        if update.refused:
            self._refused(update, out)
        if self._unsettled:
            for ack in update.acks:
                self._unsettled.pop(ack.request_id, None)
        self._stand_down_where_no_bomb_can_come(out)
        for ask in update.asks:
            self._answer(ask, out)
        if self.view.requests:
            self._send_requests(self.view, out)

    def came_back(self, out: pb.PlayRequest) -> None:
        """Send again what a lost link may have swallowed; open asks the referee sends itself."""
        for request_id, (request, seat) in self._unsettled.items():
            self._write_request(request, seat, request_id, out)

    def forget(self) -> None:
        """End without a result: the match is lost."""

    def _seated(self, seating: match_pb.Seating) -> None:
        fresh = not self.view.match_id
        take_seating(self.view, seating)
        if fresh:
            try:
                self._strategy.match_started(self.view)
            except Exception:
                self._failed("the strategy failed in match_started")

    def _rebuild(self, snapshot: match_pb.Snapshot) -> None:
        last_heard, self._last_event = self._last_event, snapshot.last_event
        self._loaded = {}
        for event in take_snapshot(self.view, snapshot):
            self._look_for_bombs(event)
            if self._hears and event.number > last_heard:
                self._tell(event)

    def _happened(self, event: Event) -> None:
        match event:
            case RoundStarted():
                self._loaded = {}  # a Great Grand decision is asked before any card is dealt
            case CardsDealt() | CardsExchanged():
                self._look_for_bombs(event)
            case Played(seat=seat) if self._loaded.get(seat):
                self._loaded[seat] = cards.holds_bomb(self.view.hands[seat])
            case MatchEnded():
                self._ended(event)
            case _:
                pass
        if self._hears:
            self._tell(event)

    def _look_for_bombs(self, event: Event) -> None:
        """Look for bombs once: a hand never grows after the exchange, or the deal without one."""
        hands = self.view.hands
        own: list[int] = []
        if isinstance(event, CardsExchanged):
            own = [hand.seat for hand in event.hands]
        elif isinstance(event, CardsDealt) and event.complete and not self.view.has_exchange:
            own = list(event.hands)
        if own:
            self._loaded = {seat: cards.holds_bomb(hands[seat]) for seat in own}

    def _tell(self, event: Event) -> None:
        try:
            self._strategy.event(self.view, event)
        except Exception:
            self._failed("the strategy failed in event", what=event)

    def _ended(self, result: MatchEnded) -> None:
        self.over = True
        try:
            self._strategy.match_over(self.view, result)
        except Exception:
            self._failed("the strategy failed in match_over")
        if self._failures:
            say(f"the strategy failed {times(self._failures)}", match=self.view.match_id)

    def _failed(self, line: str, /, **fields: object) -> None:
        """Report the exception being handled."""
        self._failures += 1
        say_failure(line, match=self.view.match_id, **fields)

    def _answer(self, ask: match_pb.Ask, out: pb.PlayRequest) -> None:
        given = self._given.get(ask.ask_id)
        if given is not None:  # asked again after a lost link: an answer is given once
            out.answers.add().CopyFrom(given)
        elif ask.HasField("bomb") and not self._wants_bomb_ask(ask):
            answers.decline(self._new_answer(ask, out))
        else:
            self._think(ask, out)

    def _new_answer(self, ask: match_pb.Ask, out: pb.PlayRequest) -> pb.Answer:
        answer = out.answers.add(match=self.match, ask_id=ask.ask_id)
        self._given[ask.ask_id] = answer
        self._given.pop(ask.ask_id - REMEMBERED, None)
        return answer

    def _think(self, ask: match_pb.Ask, out: pb.PlayRequest) -> None:
        """Let the strategy decide, here and now."""
        answer = self._new_answer(ask, out)
        bot, view = self._strategy, self.view
        assert isinstance(bot, Bot), f"{bot} does not decide at once"
        try:
            if answers.read(ask, view):
                answers.write(answer, ask, bot.decide(view))
            else:
                answers.take_default(answer)
        except Exception:
            self._failed("the strategy failed", ask=ask.ask_id)
            answers.take_default(answer)

    def _wants_bomb_ask(self, ask: match_pb.Ask) -> bool:
        """A strategy is asked only when it may bomb and the hand could."""
        if not self._bombs or not self._loaded.get(ask.for_seat, True):
            return False
        return len(ask.bomb.plays) > 0 or not self._plays_listed

    def _refused(self, update: match_pb.Update, out: pb.PlayRequest) -> None:
        for refusal in update.refused:
            code = refusal_name(refusal.code)
            say("refused", match=self.view.match_id, code=code, text=refusal.text)
            given = self._given.get(refusal.ask_id)
            if given is None or not refusal.resends_left or given.HasField("default_action"):
                continue
            answer = out.answers.add(match=self.match, ask_id=refusal.ask_id)
            if given.HasField("bomb"):
                answers.decline(answer)
            else:
                answers.take_default(answer)
            self._given[refusal.ask_id] = answer

    def _stand_down_where_no_bomb_can_come(self, out: pb.PlayRequest) -> None:
        """Stand down once a round and hand.

        In the fast pace only hands that hold a bomb are asked, so the others need not say it.
        """
        view = self.view
        for seat, loaded in self._loaded.items():
            if seat in view.stood_down or len(view.hands[seat]) < BOMB_SIZE:
                continue
            asked = loaded or view.pace != Pace.FAST
            if asked and not (loaded and self._bombs):
                self._stand_down(seat, out)

    def _stand_down(self, seat: int, out: pb.PlayRequest) -> None:
        self._request_id += 1
        self.view.stood_down.add(seat)
        out.stand_downs.add(match=self.match, for_seat=seat, request_id=self._request_id)

    def _send_requests(self, view: View, out: pb.PlayRequest) -> None:
        """Send what the strategy asked for, on behalf of the hand that decided."""
        for request in view.requests:
            if request == Request.STAND_DOWN:
                if view.seat not in self.view.stood_down:
                    self._stand_down(view.seat, out)
                continue
            self._request_id += 1
            self._unsettled[self._request_id] = (request, view.seat)
            self._write_request(request, view.seat, self._request_id, out)
        view.requests.clear()

    def _write_request(
        self, request: Request, seat: int, request_id: int, out: pb.PlayRequest
    ) -> None:
        if request == Request.RESIGN:
            out.resigns.add(match=self.match, request_id=request_id)
            return
        call = match_pb.CALL_KIND_TICHU
        out.calls.add(match=self.match, for_seat=seat, call=call, request_id=request_id)
