"""Acts in turn: asking for the next one, holding it while a window is open, applying it.

After every applied act `follow` decides what comes next. Where a bomb window opens, the next ask
goes out with it, provisional: its answer is held (`state.held`) until the window is over, and void
if a bomb lands (PROTOCOL 4). In a closing trick the provisional ask is about the position after
the collect (`state.ahead`); the trick is collected when its answer takes effect, so that a close
at which nothing happens sends nothing.
"""

from referee.match import calls, endings, rounds, windows
from referee.match.facts import (
    DragonGiven,
    LeadHanded,
    Passed,
    Played,
    Released,
    TrickTaken,
    WentOut,
)
from referee.match.state import MatchState, settle
from referee.match.step import Ask, Choice, PlayedEvent
from referee.match.values import (
    ACT,
    APPLIED,
    CHOOSE_SEAT,
    FAIR,
    FAST,
    RECEIVED,
    AckStatus,
    CancelReason,
    ChooseReason,
    Ending,
)
from referee.match.window import SHUT
from referee.rules.cards import DOG, MAHJONG, card_points, count, sorted_cards
from referee.rules.combinations import Combination
from referee.rules.errors import RefereeBug
from referee.rules.hands import hand_has_bomb
from referee.rules.option_values import SelfOvertake
from referee.rules.phases import TICHU, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.round_state import CLOSING, PLAY, ROUND_OVER
from referee.rules.seat import Seat

_BOMBS_ONLY = SelfOvertake.BOMBS_ONLY


def follow(state: MatchState) -> None:
    """Go on after an applied act: a window, the next ask, or the end of the round."""
    position = state.current
    state.actions += 1
    if position.phase is ROUND_OVER:
        rounds.end_round(state)
    elif state.actions > state.most_actions:
        endings.end_match(state, Ending.ABANDONED)
    elif windows.opens(state, position):
        windows.open_window(state, position)
    else:
        if position.phase is CLOSING and not _owner_may_overtake(state, position):
            _look_ahead(state)
            _collect(state)
        ask_next(state, provisional=False)


def ask_next(state: MatchState, *, provisional: bool) -> None:
    """Ask the seat that owes the next act; in pace `fast` pass for one that has no legal play."""
    position = state.current
    if position.phase is CLOSING and not _owner_may_overtake(state, position):
        _look_ahead(state)
    position = state.ahead or position
    state.grid = -1
    phase = position.phase
    if phase is PLAY or phase is CLOSING:
        _ask_to_act(state, position, provisional=provisional)
    else:
        _ask_for_seat(state, position, provisional=provisional)


def _owner_may_overtake(state: MatchState, position: Round) -> bool:
    """True when the owner owes a word before his trick is collected (`self_overtake = any`)."""
    if state.settings.rules.self_overtake is _BOMBS_ONLY:
        return False
    owner = position.owner
    if position.phase is not CLOSING or owner is None:
        return False
    if state.settings.pace is FAIR:  # whom we ask must not tell what he holds
        return bool(position.hands[owner])
    return any(not play.is_bomb for play in position.legal_plays(owner))


def _look_ahead(state: MatchState) -> None:
    state.ahead = state.current.after_collect()


def _ask_to_act(state: MatchState, position: Round, *, provisional: bool) -> None:
    overtaking = position.phase is CLOSING
    seat = position.owner if overtaking else position.turn
    if seat is None:
        raise RefereeBug(f"nobody is on turn in phase {position.phase}")
    settings = state.settings
    plays = position.legal_plays(seat)
    if not plays and settings.pace is FAST:  # whoever leads has a play
        state.forced = seat
        if state.window.state is SHUT:
            pass_forced(state)
        return
    holds_mahjong = bool(position.hands[seat] & MAHJONG)
    to = state.players[seat]
    state.put(
        Ask(
            seat=seat,
            to=to,
            id=state.asks.number(to),
            kind=ACT,
            provisional=provisional,
            base_ns=state.base_act,
            bank_ns=state.banks[seat],
            plays=plays,
            may_pass=overtaking or position.may_pass(seat),
            leading=position.table is None,
            wish=position.wish,
            wish_required=holds_mahjong and not settings.rules.wish_optional,
            may_call_tichu=may_call_tichu(state, position, seat),
        )
    )


def may_call_tichu(state: MatchState, position: Round, seat: Seat) -> bool:
    """True if the seat could call Tichu now."""
    if position.has_played[seat]:
        return False
    return not state.holds_call(seat) and position.check_call(seat, TICHU) is None


def _ask_for_seat(state: MatchState, position: Round, *, provisional: bool) -> None:
    giver = position.turn
    if giver is None:
        raise RefereeBug(f"nobody owes a choice in phase {position.phase}")
    dragon = position.phase is Phase.DRAGON
    seats = position.dragon_recipients(giver) if dragon else position.dog_recipients(giver)
    to = state.players[giver]
    state.put(
        Ask(
            seat=giver,
            to=to,
            id=state.asks.number(to),
            kind=CHOOSE_SEAT,
            provisional=provisional,
            base_ns=state.base_choose_seat,
            bank_ns=state.banks[giver],
            why=ChooseReason.DRAGON if dragon else ChooseReason.DOG,
            seats=tuple(seats),
        )
    )


# --- answers in turn: held or applied


def take(state: MatchState, ask: Ask) -> None:
    """Take a checked answer (or substitute) to an act or choose_seat ask at its stamp."""
    state.held = ask
    if ask.choice is not None and ask.choice.play is not None:
        windows.compete(state, ask)
    if ask.answer is not None:
        state.ack(ask, RECEIVED)  # the same in both paces, window or not
    if state.settings.pace is FAST and state.window.state is SHUT:
        release(state, ask)


def release_due(state: MatchState) -> int | None:
    """When the held answer takes effect in pace `fair`: asked + k x window (PROTOCOL 4)."""
    ask = state.held
    if ask is None or state.settings.pace is FAST or state.grid < 0:
        return None
    length = state.settings.window_ns
    k = max(0, ask.stamp - state.grid) // length + 1
    return state.grid + k * length


def release_at(state: MatchState, at: int) -> None:
    """The instant of a held answer has come (pace `fair`)."""
    ask = state.held
    if ask is None:
        raise RefereeBug("no answer waits to take effect")
    charged = settle(state, ask)
    state.fact(
        Released(
            at=at,
            seat=ask.to,
            ask=ask.id,
            sent=ask.sent,
            asked=state.grid,
            charged=charged,
            lag=ask.lag,
        )
    )
    _apply(state, ask, charged)


def release(state: MatchState, ask: Ask) -> None:
    """A held answer takes effect now (pace `fast`)."""
    _apply(state, ask, charge(state, ask))


def charge(state: MatchState, ask: Ask) -> int:
    """Settle an answer that takes effect off the grid; a fact tells what it took from the bank."""
    charged = settle(state, ask)
    if charged:
        state.fact(
            Released(
                at=state.now,
                seat=ask.to,
                ask=ask.id,
                sent=ask.sent,
                asked=-1,
                charged=charged,
                lag=ask.lag,
            )
        )
    return charged


def _apply(state: MatchState, ask: Ask, charged: int) -> None:
    choice = ask.choice
    if choice is None:
        raise RefereeBug(f"ask {ask.id} of seat {ask.seat} took effect without a choice")
    if choice.tichu and _call_goes_first(state, ask, charged):
        return
    state.held = None
    state.grid = -1
    if ask.answer is not None:
        state.ack(ask, APPLIED, charged=charged)
    if state.asks.get(ask.to, ask.id) is ask:
        state.asks.close(ask, APPLIED)
    if choice.tichu:
        ride(state, ask.seat, choice)
    if ask.kind is CHOOSE_SEAT:
        _give(state, ask, choice)
    elif choice.play is None:
        _pass(state, ask.seat, forced=False)
    else:
        if state.ahead is not None:
            _collect(state)
        play(state, ask.seat, choice.play, choice.wish)


def _call_goes_first(state: MatchState, ask: Ask, charged: int) -> bool:
    """`refuse_call`: a call that rides on the first lead is decided first, and voids the lead."""
    refusable = state.settings.rules.refuse_call
    if not refusable or not may_call_tichu(state, state.position, ask.seat):
        return False
    state.held = None
    state.ack(ask, AckStatus.STALE, charged=charged)
    state.cancel(ask, CancelReason.CALLED, AckStatus.STALE)
    state.make_call(ask.seat, TICHU)
    calls.put_to_refusal(state)
    return True


def ride(state: MatchState, seat: Seat, choice: Choice) -> None:
    """Make the Tichu call that rides on an act, unless it was made alone meanwhile."""
    if choice.tichu and may_call_tichu(state, state.position, seat):
        state.make_call(seat, TICHU)


def _collect(state: MatchState) -> None:
    """The closing trick is taken; the position ahead becomes the position."""
    before, ahead = state.current, state.ahead
    if ahead is None or before.owner is None:
        raise RefereeBug("there is no trick to collect")
    state.round, state.ahead = ahead, None
    state.public(TrickTaken(at=state.now, seat=before.owner, points=card_points(before.trick)))


def _give(state: MatchState, ask: Ask, choice: Choice) -> None:
    if choice.seat is None:
        raise RefereeBug("a choice of a seat names none")
    if state.ahead is not None:
        _collect(state)
    position = state.current
    if ask.why is ChooseReason.DRAGON:
        points = card_points(position.trick)
        _ours(position.give_dragon(ask.seat, choice.seat))
        state.public(DragonGiven(at=state.now, seat=ask.seat, to=choice.seat, points=points))
    else:
        _ours(position.give_dog(ask.seat, choice.seat))
        state.public(LeadHanded(at=state.now, seat=ask.seat, to=choice.seat))
    follow(state)


def _ours(refused: Refusal | None) -> None:
    """A checked action that the rules refuse after all is our bug."""
    if refused is not None:
        raise RefereeBug(f"a checked action was refused: {refused}")


def _pass(state: MatchState, seat: Seat, *, forced: bool) -> None:
    position = state.current
    if position.phase is CLOSING:
        # the owner lets his own trick go (`self_overtake = any`): no fact but the collect
        _look_ahead(state)
        _collect(state)
        ask_next(state, provisional=False)
        return
    _ours(position.pass_turn(seat))
    state.public(Passed(at=state.now, seat=seat, forced=forced))
    follow(state)


def pass_forced(state: MatchState) -> None:
    """Pass for the seat that has no legal play (pace `fast`)."""
    seat, state.forced = state.forced, None
    if seat is not None:
        _pass(state, seat, forced=True)


def play(state: MatchState, seat: Seat, what: Combination, wish: int) -> None:
    """Put a checked play on the table, tell everybody, and go on."""
    position = state.current
    gone_before = len(position.out)
    position.play_checked(seat, what, wish or None)
    state.fact(
        Played(
            at=state.now,
            seat=seat,
            cards=sorted_cards(what.cards),
            phoenix_rank=what.phoenix_rank,
            wish=wish,
            second_phoenix_rank=what.second_phoenix_rank,
        )
    )
    hand = position.hands[seat]
    state.event(PlayedEvent(seat=seat, play=what, wish=wish, cards_left=count(hand)))
    if state.may_bomb[seat]:
        state.may_bomb[seat] = hand_has_bomb(hand)
    if not hand:
        for place, gone in enumerate(position.out[gone_before:], start=gone_before + 1):
            state.public(WentOut(at=state.now, seat=gone, place=place))
    if what.cards == DOG and position.phase is PLAY and position.turn is not None:
        state.public(LeadHanded(at=state.now, seat=seat, to=position.turn))
    follow(state)
