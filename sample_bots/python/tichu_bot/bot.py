"""The base classes of a strategy."""

from collections.abc import Callable, Mapping, Sequence

from tichu_bot.acts import Act, CallKind, Decision, Exchange
from tichu_bot.cards import Play
from tichu_bot.events import Event, MatchEnded
from tichu_bot.view import View


class Strategy:
    """What `Bot`, `AsyncBot` and `ManyBot` have in common: they may listen, and may be slow."""

    # True: an answer takes seconds. Such a bot throws bombs in its own turn only: in windows the
    # library declines for it and stands down, and the strategy is not woken.
    slow = False
    # True beside `slow`: `bomb` is quick all the same, and is asked ahead of all that waits.
    quick_bomb = False

    def event(self, view: View, event: Event) -> None:
        """Hear what happened, after the view took it in.

        Overriding it has every event sent at once; else they come with the next ask.
        """

    def match_started(self, view: View) -> None:
        """Hear that the seat is taken: names, teams, options, clock."""

    def match_over(self, view: View, result: MatchEnded) -> None:
        """Hear how the match ended. The object is dropped afterwards."""


class Bot(Strategy):
    """A strategy. One object plays one seat of one match; only `act` must be written.

    A whole bot:

        from tichu_bot import PASS, Bot, run
        class Mine(Bot):
            def act(self, view):
                return view.plays[0] if view.plays else PASS
        run(Mine)

    A method that raises is logged with its traceback, the referee takes the substitute action
    for that ask, and the match goes on. Methods run in the loop that also answers pings; a bot
    that thinks for seconds starts with `run(Mine, threaded=True)`, or `processes=N`.
    """

    def act(self, view: View) -> Act | Play:
        """Play or pass, in turn or leading: one of `view.plays`, or PASS where `view.may_pass`.

        A play by other cards of the same pattern is as legal: `Play(cards)`.
        """
        raise NotImplementedError

    def bomb(self, view: View) -> Play | None:
        """Throw one of `view.plays` out of turn, or None. Not overridden: never.

        Asked only when the hand holds a bomb that beats the table. A bot without this method
        stands down by itself, and so does one whose hand holds no bomb any more.
        """
        return None

    def exchange(self, view: View) -> Exchange | Sequence[int]:
        """Cards to give away, in the order of `view.slots`.

        Where a slot is forced `view.forced` names the cards. Not overridden: the best single
        cards to partners, the lowest to others.
        """
        return best_to_partners(view)

    def call(self, view: View) -> bool:
        """Bet? `view.call_choices` names the bet: Grand or Great Grand Tichu. Not overridden: no.

        A small Tichu is called with an act or an exchange (`Act.tichu`, `Exchange.tichu`).
        """
        return False

    def bid(self, view: View) -> int:
        """Bid 0 to 3 for the team's Grand, which its higher bidder calls. Not overridden: 0.

        Asked instead of `call` with the option `chaos`.
        """
        return 0

    def refuse(self, view: View) -> bool:
        """Refuse the call of `view.judged`? Not overridden: no.

        Asked with the option `refuse_call`: if all opponents of the caller refuse they lose what
        the call is worth, and the round is over.
        """
        return False

    def give(self, view: View) -> int:
        """Choose one of `view.recipients` for a trick won with the Dragon, or the Dog's lead.

        The Dog's lead goes to one of `view.partners`, the trick to one of `view.opponents`. Not
        overridden: the seat with most cards, of equal ones the first after the giver.
        """
        return fullest_seat(view)

    def decide(self, view: View) -> Decision:
        """Answer whatever is asked, by the method for it. Tests may call it, too."""
        return _DECIDERS[view.ask](self, view)


def _call(bot: Bot, view: View) -> Decision:
    """Ask what the choices are about."""
    if CallKind.REFUSE in view.call_choices:
        return bot.refuse(view)
    if any(call.bid is not None for call in view.call_choices):
        return bot.bid(view)
    return bot.call(view)


_DECIDERS: Mapping[str, Callable[[Bot, View], Decision]] = {
    "act": lambda bot, view: bot.act(view),
    "bomb": lambda bot, view: bot.bomb(view),
    "call": _call,
    "exchange": lambda bot, view: bot.exchange(view),
    "choose_seat": lambda bot, view: bot.give(view),
}


def best_to_partners(view: View) -> list[int]:
    """Choose for an exchange: the best single cards to partners, the lowest to others."""
    rest = sorted(view.hand, key=view.worth)
    given: list[int] = []
    for slot in view.slots:
        best = slot.to_seat in view.partners
        free = rest[-slot.size :] if best else rest[: slot.size]
        chosen = view.forced(slot, rest) or free
        rest = [card for card in rest if card not in chosen]
        given += chosen
    return given


def fullest_seat(view: View) -> int:
    """Choose for a gift: the seat with most cards, of equal ones the first after the giver."""
    return max(view.recipients, key=lambda seat: (view.counts[seat], -turns_to(view, seat)))


def turns_to(view: View, seat: int) -> int:
    """Return how many seats after the deciding one `seat` plays."""
    order = view.turn_order
    return (order.index(seat) - order.index(view.seat)) % len(order)
