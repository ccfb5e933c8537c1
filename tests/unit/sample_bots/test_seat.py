"""What the library does for a seat: views, windows, stand-downs, defaults."""

import pytest

from tests.unit.sample_bots.frames import (
    HAND,
    Table,
    act_ask,
    bomb_ask,
    card_list,
    dealt,
    played,
    position,
    seating,
    update,
)
from tichu_bot import PASS, Act, Bot, Exchange, Play, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.cards import parse
from tichu_bot.events import Event, MatchEnded, Played
from tichu_bot.player import SeatsPlayer

QUAD = "5j 5s 5p 5r"
LOADED = f"{QUAD} 2j 3s 8p 9r Tj Qs Kp Ar Dr Dg"


class Bomber(Bot):
    """Throws every bomb it may, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS

    def bomb(self, view: View) -> Play | None:
        self.asked += 1
        return view.plays[0]


class Quiet(Bot):
    """Never bombs out of turn."""

    def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS


# Windows


def test_a_hand_without_a_bomb_stands_down_as_soon_as_the_exchange_is_over() -> None:
    table = Table(Bomber(), HAND)
    assert [(down.match, down.for_seat) for down in table.at_start.stand_downs] == [(1, 0)]


def test_a_hand_is_stood_down_once() -> None:
    table = Table(Bomber(), HAND)
    assert not table.happens(played(0, "2j", 13)).stand_downs


def test_a_hand_with_a_bomb_is_asked_and_throws_it() -> None:
    table = Table(Bomber(), LOADED)
    assert not table.at_start.stand_downs
    (answer,) = table.asks(bomb_ask(1, [QUAD])).answers
    assert answer.bomb.index == 0
    assert answer.bomb.HasField("index")


def test_the_library_declines_where_the_bomb_does_not_beat_the_table() -> None:
    bot = Bomber()
    (answer,) = Table(bot, LOADED).asks(bomb_ask(1)).answers
    assert answer.bomb.HasField("decline")
    assert bot.asked == 0


def test_a_bomb_broken_up_by_own_play_brings_the_stand_down() -> None:
    table = Table(Bomber(), LOADED)
    assert table.happens(played(0, "5j", 13)).stand_downs


def test_others_plays_bring_no_stand_down() -> None:
    table = Table(Bomber(), LOADED)
    assert not table.happens(played(1, "6j", 13)).stand_downs


def test_a_strategy_that_never_bombs_stands_down_in_spite_of_its_bomb() -> None:
    assert Table(Quiet(), LOADED).at_start.stand_downs


@pytest.mark.parametrize(("bot", "hand", "says_so"), [(Bomber, HAND, False), (Quiet, LOADED, True)])
def test_the_fast_pace_needs_a_stand_down_only_from_hands_that_would_be_asked(
    bot: type[Bot], hand: str, says_so: bool
) -> None:
    started = Table(bot(), hand, pace=match_pb.PACE_FAST).at_start
    assert bool(started.stand_downs) == says_so


def test_a_hand_too_small_to_be_asked_does_not_stand_down() -> None:
    assert not Table(Quiet(), "5j 5s 5p").at_start.stand_downs


def test_a_new_round_is_stood_down_anew() -> None:
    table = Table(Bomber(), HAND)
    assert table.happens(*dealt(HAND)).stand_downs


def test_a_decision_before_the_cards_finds_no_hand_of_the_round_before() -> None:
    table = Table(Bomber(), HAND)
    table.view.stood_down.clear()
    started = match_pb.Event(round_started=match_pb.RoundStarted(round=2))
    assert not table.happens(started).stand_downs


# Faults of a strategy


def test_a_strategy_that_raises_gets_the_substitute_action_and_goes_on(
    capfd: pytest.CaptureFixture[str],
) -> None:
    class Clumsy(Quiet):
        def act(self, view: View) -> Act | Play:
            return view.plays[2]

    table = Table(Clumsy(), HAND)
    (first,) = table.asks(act_ask(1, ["2j", "3s"])).answers
    (second,) = table.asks(act_ask(2, ["2j", "3s", "4p"])).answers
    assert first.HasField("default_action")
    assert second.act.index == 2
    assert "IndexError" in capfd.readouterr().err


def test_a_bad_exchange_gets_the_substitute_action(capfd: pytest.CaptureFixture[str]) -> None:
    class Short(Quiet):
        def exchange(self, view: View) -> Exchange:
            return Exchange(view.hand[:2])

    slots = [match_pb.ExchangeSlot(to_seat=seat, count=1) for seat in (1, 2, 3)]
    ask = match_pb.Ask(ask_id=1, exchange=match_pb.ExchangeAsk(slots=slots))
    (answer,) = Table(Short(), HAND).asks(ask).answers
    assert answer.HasField("default_action")
    assert "3 cards are owed" in capfd.readouterr().err


def test_a_failing_hook_costs_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    class Deaf(Quiet):
        def event(self, view: View, event: Event) -> None:
            raise RuntimeError("deaf")

    (answer,) = Table(Deaf(), HAND).asks(act_ask(1, ["2j"])).answers
    assert answer.act.HasField("index")
    assert "deaf" in capfd.readouterr().err


def test_an_ask_of_the_future_is_answered_default() -> None:
    (answer,) = Table(Quiet(), HAND).asks(match_pb.Ask(ask_id=9)).answers
    assert (answer.ask_id, answer.HasField("default_action")) == (9, True)


def test_an_event_of_the_future_is_skipped() -> None:
    table = Table(Quiet(), HAND)
    table.happens(match_pb.Event(), played(1, "6j", 13))
    assert table.view.counts == [14, 13, 14, 14]


def test_a_refused_play_is_corrected_to_the_substitute_action_once() -> None:
    table = Table(Quiet(), HAND)
    table.asks(act_ask(1, ["2j"]))
    refused = match_pb.Refused(ask_id=1, code=match_pb.REFUSAL_CODE_TOO_LOW, resends_left=2)
    again = table.send(match_pb.Update(match=1, refused=[refused]))
    assert [answer.HasField("default_action") for answer in again.answers] == [True]
    assert not table.send(match_pb.Update(match=1, refused=[refused])).answers


def test_a_refused_bomb_is_corrected_to_a_decline() -> None:
    table = Table(Bomber(), LOADED)
    table.asks(bomb_ask(1, [QUAD]))
    refused = match_pb.Refused(ask_id=1, code=match_pb.REFUSAL_CODE_TOO_LOW, resends_left=2)
    (answer,) = table.send(match_pb.Update(match=1, refused=[refused])).answers
    assert answer.bomb.HasField("decline")


# Acts on the wire


class Saying(Quiet):
    """Answers what the test says."""

    def __init__(self, act: Act | Play) -> None:
        self.said = act

    def act(self, view: View) -> Act | Play:
        return self.said


def said(act: Act | Play, ask: match_pb.Ask) -> pb.ActAnswer:
    return Table(Saying(act), HAND).asks(ask).answers[0].act


def test_other_suits_of_a_pattern_travel_as_cards() -> None:
    assert said(Play(parse("3s")), act_ask(1, ["2j"])).play.cards == card_list("3s")


def test_a_play_kept_from_an_older_ask_is_not_taken_for_another() -> None:
    kept = Play(parse("3s"), place=0)
    assert said(kept, act_ask(1, ["2j", "3s"])).play.cards == card_list("3s")


def test_a_wish_needs_the_mah_jong() -> None:
    ask = act_ask(1, ["Mj", "2j"])
    assert said(Act(Play(parse("Mj"), place=0), wish=9), ask).wish == 9
    assert not said(Act(Play(parse("2j"), place=1), wish=9), ask).HasField("wish")


def test_a_call_rides_only_where_the_hand_may_call() -> None:
    act = Act(Play(parse("2j"), place=0), tichu=True)
    ask = act_ask(1, ["2j"])
    assert not said(act, ask).tichu
    ask.act.may_call_tichu = True
    assert said(act, ask).tichu


def test_pass_is_a_pass() -> None:
    assert said(PASS, act_ask(1, ["2j"], may_pass=True)).WhichOneof("choice") == "pass"


def test_a_call_that_stands_alone_is_sent_again_until_it_is_acknowledged() -> None:
    class Caller(Quiet):
        def event(self, view: View, event: Event) -> None:
            if isinstance(event, Played):
                view.call_tichu()

    table = Table(Caller(), HAND)
    (call,) = table.happens(played(1, "6j", 13)).calls
    assert (call.match, call.call) == (1, match_pb.CALL_KIND_TICHU)
    again = pb.PlayRequest()
    table.player.came_back(again)
    assert list(again.calls) == [call]
    table.send(
        match_pb.Update(match=1, acks=[match_pb.Acknowledgement(request_id=call.request_id)])
    )
    silent = pb.PlayRequest()
    table.player.came_back(silent)
    assert not silent.calls


# Views


def test_the_view_follows_a_trick() -> None:
    table = Table(Quiet(), HAND)
    view = table.view
    table.happens(played(0, "Mj", 13, wish=8), played(1, "8j", 13))
    assert (view.owner, view.wish, view.counts) == (1, None, [13, 13, 14, 14])
    assert view.trick == list(parse("Mj 8j"))
    assert view.table is not None
    assert view.table.cards == parse("8j")
    table.happens(
        played(2, "Dr", 13),
        match_pb.Event(trick_taken=match_pb.TrickTaken(seat=2, points=25)),
        match_pb.Event(dragon_given=match_pb.DragonGiven(seat=2, to_seat=3, points=25)),
    )
    assert table.view.table is None
    assert (table.view.trick, table.view.won_points) == ([], [0, 0, 0, 25])
    assert [event.number for event in view.events] == list(range(1, 9))


def test_a_straight_does_not_fulfil_the_wish_it_makes() -> None:
    table = Table(Quiet(), HAND)
    table.happens(played(0, "Mj 2j 3s 4p 5r", 9, wish=4))
    assert table.view.wish == 4


def test_the_exchange_moves_cards_and_names_who_gave_them() -> None:
    table = Table(Quiet(), "2j 3s 4p 5r")
    hand = match_pb.HandExchanged(seat=0)
    for seat, (gave, got) in enumerate(zip(["2j", "3s", "4p"], ["Aj", "As", "Ap"], strict=True), 1):
        hand.gave.add(seat=seat, cards=card_list(gave))
        hand.received.add(seat=seat, cards=card_list(got))
    table.happens(match_pb.Event(cards_exchanged=match_pb.CardsExchanged(hands=[hand])))
    assert table.view.hand == parse("5r Aj As Ap")
    assert table.view.gave[2] == parse("3s")
    assert table.view.received[3] == parse("Ap")


def test_events_that_come_twice_count_once() -> None:
    table = Table(Quiet(), HAND)
    event = played(1, "6j", 13)
    table.happens(event)
    table.send(match_pb.Update(match=1, events=[event]))
    assert table.view.trick == list(parse("6j"))


def test_a_snapshot_gives_the_view_that_the_events_would_have_given() -> None:
    class Ears(Quiet):
        def __init__(self) -> None:
            self.heard: list[int] = []

        def event(self, view: View, event: Event) -> None:
            self.heard.append(event.number)

    steps = [*dealt(HAND), played(0, "Mj", 13, wish=8), played(1, "9j", 13)]
    told = Table(Ears(), HAND)
    told.happens(*steps[3:])
    ears = Ears()
    lost = Table(ears, HAND)
    for number, event in enumerate(steps, 1):
        event.number = number
    lost.send(match_pb.Update(match=1, snapshot=snapshot(steps)))
    for field in ("hands", "counts", "table", "owner", "trick", "wish", "out", "won_points"):
        assert getattr(lost.view, field) == getattr(told.view, field), field
    assert lost.view.events == told.view.events
    assert ears.heard == [1, 2, 3, 4, 5]


def snapshot(events: list[match_pb.Event]) -> match_pb.Snapshot:
    """The table after seat 0 led the Mah Jong with a wish and seat 1 laid a nine on it."""
    top = events[-1].played.play
    hand = card_list(HAND.removeprefix("Mj "))
    return match_pb.Snapshot(
        round=1,
        hands=[match_pb.Gift(seat=0, cards=hand)],
        hand_counts=[13, 13, 14, 14],
        table=top,
        owner=1,
        trick=card_list("Mj 9j"),
        wish=8,
        won_points=[0, 0, 0, 0],
        totals=[0, 0],
        last_event=len(events),
        events=events,
    )


def test_a_snapshot_tells_who_stood_down() -> None:
    steps = [*dealt(HAND), played(0, "Mj", 13, wish=8), played(1, "9j", 13)]
    known = snapshot(steps)
    known.stood_down.append(0)
    table = Table(Bomber(), HAND)
    assert not table.send(match_pb.Update(match=1, snapshot=known)).stand_downs
    known.ClearField("stood_down")
    assert table.send(match_pb.Update(match=1, snapshot=known)).stand_downs


# Matches of a process


def test_each_match_has_a_strategy_of_its_own_until_it_ends() -> None:
    results: list[tuple[Bot, MatchEnded]] = []

    class Remembering(Quiet):
        def match_over(self, view: View, result: MatchEnded) -> None:
            results.append((self, result))

    player = SeatsPlayer(Remembering)
    out = pb.PlayRequest()
    player.update(seating(1), out)
    player.update(seating(2), out)
    ending = match_pb.MatchEnded(ending=match_pb.ENDING_COMPLETED, totals=[1005, 295], winner=0)
    for match in (1, 2):
        event = match_pb.Event(number=1, match_ended=ending)
        player.update(match_pb.Update(match=match, events=[event]), out)
    (one, result), (two, _) = results
    assert one is not two
    assert (result.ending, result.totals, result.winner) == ("COMPLETED", (1005, 295), 0)


def test_an_ask_of_an_unknown_match_is_answered_default() -> None:
    out = pb.PlayRequest()
    SeatsPlayer(Quiet).update(update(5, act_ask(1, ["2j"])), out)
    assert [(a.match, a.HasField("default_action")) for a in out.answers] == [(5, True)]


def test_faults_are_counted_at_the_end_of_the_match(capfd: pytest.CaptureFixture[str]) -> None:
    class Clumsy(Quiet):
        def act(self, view: View) -> Act | Play:
            raise RuntimeError("no idea")

    table = Table(Clumsy(), HAND)
    for ask_id in (1, 2, 3):
        table.asks(act_ask(ask_id, ["2j"]))
    assert "3 times" not in capfd.readouterr().err
    table.happens(match_pb.Event(match_ended=match_pb.MatchEnded()))
    assert "the strategy failed 3 times match=match-1\n" in capfd.readouterr().err


def test_a_match_without_faults_ends_silently(capfd: pytest.CaptureFixture[str]) -> None:
    Table(Quiet(), HAND).happens(match_pb.Event(match_ended=match_pb.MatchEnded()))
    assert capfd.readouterr().err == ""


def test_a_refusal_is_told_by_the_name_of_its_code(capfd: pytest.CaptureFixture[str]) -> None:
    refused = match_pb.Refused(ask_id=1, code=match_pb.REFUSAL_CODE_MUST_LEAD, text="lead")
    Table(Quiet(), HAND).send(match_pb.Update(match=1, refused=[refused]))
    assert "code=MUST_LEAD text=lead" in capfd.readouterr().err


# What a strategy sees


def test_a_view_keeps_nothing_of_an_earlier_ask() -> None:
    class Looks(Bomber):
        def bomb(self, view: View) -> Play | None:
            seen.append((view.leading, view.may_pass, view.call_choices, view.slots))
            return None

        def give(self, view: View) -> int:
            seen.append((view.leading, view.may_pass, view.call_choices, list(view.plays)))
            return view.recipients[0]

    seen: list[object] = []
    table = Table(Looks(), LOADED)
    slots = [match_pb.ExchangeSlot(to_seat=seat, count=1) for seat in (1, 2, 3)]
    choices = [match_pb.CALL_KIND_GRAND, match_pb.CALL_KIND_NO_GRAND]
    table.asks(match_pb.Ask(ask_id=1, call=match_pb.CallAsk(choices=choices)))
    table.asks(match_pb.Ask(ask_id=2, exchange=match_pb.ExchangeAsk(slots=slots)))
    table.asks(act_ask(3, ["2j"]))  # leading
    table.asks(bomb_ask(4, [QUAD]))
    table.asks(act_ask(5, ["2j"], may_pass=True))
    table.asks(match_pb.Ask(ask_id=6, choose_seat=match_pb.ChooseSeatAsk(seats=[1, 3])))
    assert seen == [(False, False, (), ()), (False, False, (), [])]


def test_a_list_of_plays_shows_what_is_in_it() -> None:
    assert repr(position(HAND, ["2j", "8j 8s"]).plays) == "<2 plays: 2j, 8j 8s>"
    many = repr(position(HAND, ["2j"] * 13).plays)
    assert many == f"<13 plays: {', '.join(['2j'] * 12)}, ...>"
