"""Brettspielwelt logs to records, a game at a time.

The record has what the log tells: cards, calls, gifts, plays. Asks are those of a match without a
clock in pace `fast`, and all times are 0; the header says that both are not known.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from referee.formats.bsw.acts import Act, CallAct, CollectAct, GiveAct
from referee.formats.bsw.events import LoggedCall, LoggedRound
from referee.formats.bsw.follower import Follower, Lost
from referee.formats.bsw.reader import SEATS, LogReader
from referee.formats.bsw.replay import replay_acts
from referee.formats.bsw.verdicts import Outcome, Verdict
from referee.formats.imported import FROM_BSW
from referee.formats.records import chain_next, chain_start, header_line, trailer_line
from referee.match.facts import encode_fact
from referee.match.values import MatchConfig, Pace, Player, Settings, rounds_cap
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat

_ID_DIGITS = 16
_LONGEST_NAME = 64  # as a bot may call itself


class ImportedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a log as a record. `lines` come without their newlines."""

    game: int  # in its file, from 1
    match_id: str
    lines: tuple[bytes, ...]
    rounds: int
    totals: tuple[int, ...]
    over: bool  # False: the log ends before the match does
    notes: tuple[str, ...]  # what of the game was left out or cut


class BadGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is none: the line where that shows, what it is, and the cure."""

    game: int
    line: int
    text: str
    cure: str


class _Game:
    """The rounds of one game, as far as they hold."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rounds: list[tuple[LoggedRound, Sequence[Act]]] = []
        self.unfinished: LoggedRound | None = None
        self.bad: BadGame | None = None


def import_log(
    reader: LogReader, lines: Iterable[str], options: RuleOptions, *, keep_names: bool
) -> Iterator[ImportedGame | BadGame]:
    """Yield every game of a file as it is read; `lines` carry their ends.

    `reader` is a fresh one and counts what it could not read. Without `keep_names` the players are
    player-1 to player-4, by seat.
    """
    game: _Game | None = None
    for logged in reader.rounds(lines):
        if game is not None and game.number != logged.game:
            yield _record(game, options, keep_names=keep_names)
            game = None
        game = game or _Game(logged.game)
        if game.bad is None:
            _add(game, logged, options)
    if game is not None:
        yield _record(game, options, keep_names=keep_names)


def _add(game: _Game, logged: LoggedRound, options: RuleOptions) -> None:
    if game.unfinished is not None:
        game.bad = BadGame(
            game=game.number,
            line=game.unfinished.line,
            text=f"round {game.unfinished.number} has no result, and another round follows",
            cure="complete it, or take it out of the log",
        )
        return
    verdict, acts = replay_acts(logged, options)
    if verdict.outcome is Outcome.UNFINISHED:
        game.unfinished = logged
    elif verdict.outcome is Outcome.OK:
        game.rounds.append((logged, [*_begun(logged), *acts]))
    else:
        game.bad = _bad(logged, verdict)


def _bad(logged: LoggedRound, verdict: Verdict) -> BadGame:
    if verdict.fault is not None:
        line = verdict.fault.line
        text = f"{verdict.fault.clause}: {verdict.fault.text}"
        cure = "mend the line, or name the option it was played with (--option)"
    else:
        line = logged.line if logged.result is None else logged.result.line
        ours, told = verdict.ours or (0, 0), verdict.logged or (0, 0)
        text = f"the points are {ours[0]} - {ours[1]}, the log has {told[0]} - {told[1]}"
        cure = (
            "mend the line; where a Grand beside a won call failed: --option both_call_scoring=bsw"
        )
    return BadGame(game=verdict.game, line=line, text=f"round {verdict.number}: {text}", cure=cure)


def _begun(logged: LoggedRound) -> list[Act]:
    """Return what happened before the first lead, as `make_calls` and `exchange` took it."""
    grands = {one.seat for one in logged.early_calls if one.call is LoggedCall.GRAND}
    tichus = dict.fromkeys(one.seat for one in logged.early_calls if one.call is LoggedCall.TICHU)
    seats = [Seat(number) for number in range(SEATS)]
    acts: list[Act] = [
        CallAct(
            line=logged.line,
            seat=seat,
            call=CallKind.GRAND if seat in grands else CallKind.NO_GRAND,
        )
        for seat in seats
    ]
    acts += [CallAct(line=logged.line, seat=seat, call=CallKind.TICHU) for seat in tichus]
    for seat in seats:
        given = logged.given[seat]
        gifts = tuple(
            (Seat((seat + step) % SEATS), card) for step, card in enumerate(given.cards, start=1)
        )
        acts.append(GiveAct(line=given.line, seat=seat, gifts=gifts))
    return acts


def _record(game: _Game, options: RuleOptions, *, keep_names: bool) -> ImportedGame | BadGame:
    if game.bad is not None:
        return game.bad
    if not game.rounds:
        line = 1 if game.unfinished is None else game.unfinished.line
        cure = "complete it: a round ends with a line like Ergebnis: 65 - 35"
        return BadGame(game=game.number, line=line, text="no round is finished", cure=cure)
    notes = _cut_names(game) if keep_names else []
    if game.unfinished is not None:
        left = game.unfinished
        notes.append(f"round {left.number} is left out: it has no result (line {left.line})")
    config = _config(game, options, keep_names=keep_names)
    follower = Follower(config)
    for logged, acts in game.rounds:
        if follower.machine.over:
            return BadGame(
                game=game.number,
                line=logged.line,
                text=f"round {logged.number}: F4: the match was over before it",
                cure="take it out, or name what was played for (--option target=N)",
            )
        try:
            follower.play_round([_in_order(logged, Seat(s)) for s in range(SEATS)], acts)
        except Lost as lost:
            cure = "mend the line, or name the options it was played with (--option)"
            return BadGame(game=game.number, line=lost.line, text=lost.why, cure=cure)
    return _written(game, config, follower, notes)


def _written(
    game: _Game, config: MatchConfig, follower: Follower, notes: Sequence[str]
) -> ImportedGame:
    over = follower.machine.over
    follower.end()
    lines = [header_line(config, practice=True, isolation="none", imported=FROM_BSW)]
    lines += map(encode_fact, follower.facts)
    chain = chain_start(lines[0])
    for line in lines[1:]:
        chain = chain_next(chain, line)
    return ImportedGame(
        game=game.number,
        match_id=config.match_id,
        lines=(*lines, trailer_line(len(follower.facts), chain)),
        rounds=len(game.rounds),
        totals=follower.machine.totals,
        over=over,
        notes=tuple(notes),
    )


def _in_order(logged: LoggedRound, seat: Seat) -> list[int]:
    """Return a hand with its first cards in front; a log does not say in which order they came."""
    first = logged.first[seat].cards
    return [*sorted(first), *sorted(set(logged.dealt[seat].cards) - set(first))]


def _config(game: _Game, options: RuleOptions, *, keep_names: bool) -> MatchConfig:
    first = game.rounds[0][0]
    players = []
    for number in range(SEATS):
        name = first.dealt[Seat(number)].name[:_LONGEST_NAME] if keep_names else ""
        players.append(Player(name=name or f"player-{number + 1}"))
    return MatchConfig(
        match_id=_match_id(game),
        settings=Settings(
            rules=options,
            pace=Pace.FAST,
            clock=None,
            max_rounds=max(rounds_cap(options), len(game.rounds)),
        ),
        players=tuple(players),
    )


def _cut_names(game: _Game) -> list[str]:
    first = game.rounds[0][0]
    names = [first.dealt[Seat(number)].name for number in range(SEATS)]
    return [
        f"the name of seat {seat} is cut after {_LONGEST_NAME} of {len(name)} signs"
        for seat, name in enumerate(names)
        if len(name) > _LONGEST_NAME
    ]


def _match_id(game: _Game) -> str:
    """Return a name that comes of cards and acts alone: of no player, and the same again.

    When exactly a call was made between two acts changes nothing.
    """
    digest = hashlib.sha256()
    for logged, acts in game.rounds:
        for seat in range(SEATS):
            digest.update(bytes(_in_order(logged, Seat(seat))))
        calls = sorted((act.seat, act.call) for act in acts if isinstance(act, CallAct))
        moves = [
            repr(msgspec.structs.replace(act, line=0))
            for act in acts
            if not isinstance(act, CallAct | CollectAct)
        ]
        digest.update(repr((calls, moves)).encode())
    return f"bsw-{digest.hexdigest()[:_ID_DIGITS]}"
