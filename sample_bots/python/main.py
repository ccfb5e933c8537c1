"""The process: `TICHU_SERVER=... python main.py`. The stream is the library's: `tichu_bot.run`."""

import argparse
import sys

try:
    import strategy
    import tichu_bot
    from cards import known
    from tichu_bot import DEFAULT, PASS, Act, CallKind, Decision, Exchange, run
except ModuleNotFoundError as missing:
    cure = "take the Python of the referee, which has it, or pip install the referee's wheel"
    print(f"{missing}; {cure}", file=sys.stderr)
    sys.exit(2)

NAME = "greedy-python"
MOST_MATCHES = 512


class Greedy(tichu_bot.Bot):
    """Asks the strategy, which remembers nothing: one object would do for all matches."""

    def decide(self, view: tichu_bot.View) -> Decision:
        """Translate the view, and the answer back."""
        return decision_of(strategy.decide(view_of(view)), view)


def view_of(view: tichu_bot.View) -> strategy.View:
    """Return what the strategy sees of the library's view."""
    calls = {seat: call.name.lower() for seat, call in view.calls.items()}
    return strategy.View(
        ask=view.ask or "unknown",
        seat=view.seat,
        partners=view.partners,
        opponents=view.opponents,
        hand=known(view.hand),
        counts=tuple(view.counts),
        plays=tuple(map(play_of, view.plays)),
        may_pass=view.may_pass,
        leading=view.leading,
        may_call_tichu=view.may_call_tichu,
        table=None if view.table is None else play_of(view.table),
        owner=view.owner,
        trick_points=view.table_points,
        calls=calls,
        called=view.seat in calls,
        choices=tuple(choice.name.lower() for choice in view.call_choices),
        slots=tuple(map(slot_of, view.slots)),
        seats=view.recipients,
        why=view.why.name.lower() if view.why else "",
    )


def play_of(play: tichu_bot.Play) -> strategy.Play:
    """Return a play of the library as the strategy has it."""
    kind = play.kind.name.lower()
    return strategy.Play(cards=known(play.cards), kind=kind, rank_halves=play.rank_halves)


def slot_of(slot: tichu_bot.Slot) -> strategy.Slot:
    """Return what a recipient is owed as the strategy has it."""
    forced = slot.forced_best or slot.forced_worst
    return strategy.Slot(to_seat=slot.to_seat, count=slot.size, forced=forced)


def decision_of(answer: strategy.Answer, view: tichu_bot.View) -> Decision:
    """Return the answer as the library takes it."""
    if "index" in answer:
        play = view.plays[answer["index"]]
        if view.ask == "bomb":
            return play
        return Act(play, answer.get("wish"), answer.get("tichu", False))
    if "gifts" in answer:
        return Exchange(tuple(card for gift in answer["gifts"] for card in gift))
    if "choice" in answer:
        return CallKind[answer["choice"].upper()]
    if "seat" in answer:
        return answer["seat"]
    if "pass" in answer:
        return PASS
    return None if "decline" in answer else DEFAULT


def number(text: str, most: int) -> int:
    """Read a whole number from 1 to `most`; ArgumentTypeError names what is wrong."""
    if text.isdecimal() and 1 <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text}: a whole number from 1 to {most} is needed")


def main() -> None:
    """Run as a process."""
    parser = argparse.ArgumentParser(
        usage=argparse.SUPPRESS,
        description="Plays Tichu. TICHU_SERVER, TICHU_TOKEN, TICHU_CA_FILE and TICHU_BOT_NAME"
        " say where, and as whom.",
    )
    parser.add_argument("--plaintext", action="store_true", help="a token may travel without TLS")
    parser.add_argument(
        "--matches",
        type=lambda text: number(text, MOST_MATCHES),
        default=64,
        metavar="N",
        help="how many are played at once, 1 to 512 (64)",
    )
    parser.add_argument(
        "--give-up",
        type=lambda text: number(text, 86_400),
        default=60,
        metavar="SECONDS",
        help="how long to look for a referee that does not answer (60)",
    )
    flags = parser.parse_args()
    run(
        Greedy,
        name=NAME,
        version="0.1.0",
        max_matches=flags.matches,
        plaintext=flags.plaintext,
        patience_s=flags.give_up,
    )


if __name__ == "__main__":
    main()
