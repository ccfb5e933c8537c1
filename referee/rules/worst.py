"""The worst result that a team can still have: what a leg scores that its bot's fault ended.

No fault pays, because no continuation is worse. `worst_ends` gives a bound for any position; near
the end of a round, where a bound is coarse, a short search makes it the truth.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from referee.rules.cards import MAHJONG, RANK_MASKS, Seat, count
from referee.rules.combinations import Combination
from referee.rules.errors import RefereeBug
from referee.rules.match_score import soloist_of
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, match_rounds, teams
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.seating import Seating, seating
from referee.rules.worst_bets import worst_bets, worst_bets_before_the_deal, worst_refusals
from referee.rules.worst_ends import (
    BEFORE_PLAY,
    Points,
    worst_cards,
    worst_cards_before_the_deal,
)

# How far the search goes. 128 matches of one bot may end at once, and nobody else may wait for it:
# measured over whole rounds 0.3 ms on average, in small endgames 13 ms at most.
_FEW_CARDS = 8  # in all hands; with more, whatever a bound supposes can mostly be played
_MOST_STEPS = 24
_PLAYERS_OF_TRICHU = 3
_FEW_HOLDERS = 4  # with more the ends are too many to look at again and again

_Entry = tuple[tuple[int, int], int, Points, Round]  # rank, number, points, position


def worst_result(
    position: Round | None,
    loser: int,
    *,
    totals: Sequence[int],
    rounds_played: int,
    options: RuleOptions,
) -> tuple[int, ...]:
    """Return the points by score column of a whole leg that ends now by a fault of `loser`.

    `loser` is a team, in Trichu the seat of a player: its team changes with the soloist, and all
    other columns have what its opponents get. The points are the worst still possible: own points
    minus those of the opponents. `position` is the running round, None between two rounds;
    `totals` are the points of the `rounds_played` rounds that are over, so of a round that was
    counted already `position` is None. Without points, in Grand Seigneur, there is no worst: ().

    A leg of so many rounds gets the worst end of the running round and the worst possible round
    for each that is left. A match to a target is lost: worst rounds are added until the opponents
    have won it, also for a team that was about to win. Such a match has no worst score, since
    rounds in which nobody reaches the target can follow each other without end; what it decides is
    the winner, and for a team nothing is worse than to have lost (F4).
    """
    if not teams(options):
        return ()
    points = tuple(totals)
    if position is not None:
        now = worst_round(position, _side(loser, position.seating))
        points = _sum(points, _columns(now, loser, position.seating))
        rounds_played += 1
    if options.variant is Variant.TRICHU:
        return _with_worst_rounds(points, loser, rounds_played, options)
    new = worst_new_round(loser, options)
    rounds = match_rounds(options)
    if rounds is None:
        more = _rounds_to_lose(points, new, loser, options.target)
    else:
        more = max(0, rounds - rounds_played)
    return tuple([have + more * added for have, added in zip(points, new, strict=True)])


def _side(loser: int, seats: Seating) -> int:
    """Return the team of `loser` in a round."""
    return loser if seats.tisch is None else seats.teams[loser]


def _columns(by_team: Points, loser: int, seats: Seating) -> Points:
    """Return a worst round by score column.

    In Trichu every other column has what the opponents got: who was to be the partner of the one
    who failed does not lose with him.
    """
    if seats.tisch is None:
        return by_team
    team = seats.teams[loser]
    return tuple([by_team[team if seat == loser else 1 - team] for seat in range(seats.n)])


def _with_worst_rounds(
    points: Points, player: int, rounds_played: int, options: RuleOptions
) -> Points:
    """Add the worst rounds of Trichu that are left, one for each soloist in turn (G9)."""
    rounds = match_rounds(options) or 0
    for turn in range(_PLAYERS_OF_TRICHU):
        left = rounds - rounds_played - turn
        times = max(0, -(-left // _PLAYERS_OF_TRICHU))  # rounded up
        seats = seating(options, soloist_of(rounds_played + turn))
        new = _columns(worst_new_round(_side(player, seats), options), player, seats)
        points = tuple([have + times * added for have, added in zip(points, new, strict=True)])
    return points


def _rounds_to_lose(points: Points, new: Points, team: int, target: int) -> int:
    """Return how many worst rounds it takes until the opponents have the target and the lead."""
    other = 1 - team
    to_target = -((points[other] - target) // new[other])
    to_lead = (points[team] - points[other]) // (new[other] - new[team]) + 1
    return max(0, to_target, to_lead)


def worst_new_round(team: int, options: RuleOptions) -> tuple[int, ...]:
    """Return the points by team of the worst round of which no card is dealt yet.

    A round that ends with a refused call is never the worst: with the same call won it costs more.
    """
    seats = seating(options)  # who is the soloist changes numbers, not points
    bets = worst_bets_before_the_deal(team, seats, options)
    cards = worst_cards_before_the_deal(team, seats, options)
    return _worst((_sum(points, bets[first]) for first, points in cards), team)


def worst_round(position: Round, team: int) -> tuple[int, ...]:
    """Return the points by team of the worst end that a round can still come to.

    A bound: no continuation is worse; and mostly one is as bad. `team` is one of the round's
    seating.
    """
    if position.phase is Phase.ROUND_OVER:
        return position.team_points
    bets = worst_bets(position, team)
    holders = position.n - len(position.out)
    free = position.stage in BEFORE_PLAY or holders > _FEW_HOLDERS
    if free or sum(map(count, position.hands)) > _FEW_CARDS:
        played = _bound(position, team, bets)
    else:
        played = _searched(position, team, bets)
    return _worst(iter([played, *worst_refusals(position, team)]), team)


def _bound(position: Round, team: int, bets: Sequence[Points]) -> Points:
    ends = (_sum(points, bets[first]) for first, points in worst_cards(position, team))
    return _worst(ends, team)


def _searched(position: Round, team: int, bets: Sequence[Points]) -> Points:
    """Return a bound that is the truth where few steps tell it.

    Best first: what can follow from the position with the worst bound takes its place, until that
    is a round which is over (nothing else can undercut it), or the steps are used up. Bets are no
    steps: now is the time that allows the most of them, and they change nothing in the play.
    """
    points = _bound(position, team, bets)
    frontier: list[_Entry] = [(_rank(points, team), 0, points, position)]
    seen, number = set(), 0
    for _ in range(_MOST_STEPS):
        rank, _, points, worst = frontier[0]
        if worst.phase is Phase.ROUND_OVER:
            break
        heappop(frontier)
        for later in _every_next(worst):
            state = later.state()
            if state not in seen:
                seen.add(state)
                number -= 1  # of equal ones the newest, which is nearest to an end
                found = max((rank, points), _ranked(_bound(later, team, bets), team))
                heappush(frontier, (found[0], number, found[1], later))
    return frontier[0][2]


def _every_next(position: Round) -> Iterator[Round]:
    """Yield every position that one action other than a call leads to, from play on."""
    turn = position.turn
    if position.phase is Phase.DRAGON:
        assert turn is not None
        for to in position.dragon_recipients(turn):
            later = position.copy()
            _must(later.give_dragon(turn, to))
            yield later
        return
    if position.phase is Phase.DOG:
        assert turn is not None
        for to in position.dog_recipients(turn):
            later = position.copy()
            _must(later.give_dog(turn, to))
            yield later
        return
    if position.phase is Phase.REFUSAL:  # that it ends here is looked at apart
        later = position.copy()
        for seat in position.decisions_owed():
            _must(later.call(seat, CallKind.ACCEPT))
        yield later
        return
    if position.phase is Phase.CLOSING:
        yield position.after_collect()
    elif turn is not None and position.may_pass(turn):
        later = position.copy()
        _must(later.pass_turn(turn))
        yield later
    # where nobody ever held a bomb the suits of a pattern are all the same
    plays_of = position.every_play if position.bomb_seats else position.legal_plays
    for seat in map(Seat, range(position.n)):
        for play in plays_of(seat) if position.hands[seat] else ():
            for wish in _wishes(position, play):
                later = position.copy()
                later.play_checked(seat, play, wish)
                yield later


def _must(refusal: object) -> None:
    if refusal is not None:
        raise RefereeBug(f"a listed action was refused: {refusal}")


def _wishes(position: Round, play: Combination) -> Sequence[int | None]:
    """Return wishes that differ in effect: each rank that is held, and one that binds nobody."""
    if not play.cards & MAHJONG:
        return (None,)
    held = 0
    for hand in position.hands:
        held |= hand & ~play.cards
    ranks = [rank for rank in range(2, 15) if RANK_MASKS[rank] & held]
    if position.options.wish_optional:
        return (None, *ranks)
    return (*ranks, *[rank for rank in range(2, 15) if rank not in ranks][:1])


def _sum(one: Points, other: Points) -> Points:
    return tuple([a + b for a, b in zip(one, other, strict=True)])


def _worst(ends: Iterator[Points], team: int) -> Points:
    return min(ends, key=lambda points: _rank(points, team))


def _rank(points: Points, team: int) -> tuple[int, int]:
    """Worst first: least own points minus the opponents'; of equal ones least own points."""
    return points[team] - points[1 - team], points[team]


def _ranked(points: Points, team: int) -> tuple[tuple[int, int], Points]:
    return _rank(points, team), points
