"""What bots get: read back with the generated classes, and vectors written by hand."""

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.facts import (
    CallMade,
    DragonGiven,
    LeadHanded,
    MatchEnded,
    Passed,
    RoundEnded,
    TrickTaken,
    WentOut,
)
from referee.match.step import (
    Ack,
    Ask,
    Cancelled,
    CardsDealt,
    CardsExchanged,
    PlayedEvent,
    Refused,
    RoundStarted,
)
from referee.match.values import (
    MS,
    AckStatus,
    AskKind,
    Blame,
    CancelReason,
    ChooseReason,
    Clock,
    Ending,
    MatchConfig,
    Player,
    Settings,
)
from referee.ports import ClosingCode, SeatingIn, Welcome
from referee.rules.cards import mask_of
from referee.rules.combinations import Combination, read
from referee.rules.exchanges import Forced
from referee.rules.options import OPTION_ROWS, RuleOptions
from referee.rules.round import CallKind
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec
from referee.wire.fragments import varint

CODEC = WireCodec()
S0, S1, S2, S3 = map(Seat, range(4))


def update_of(*parts: bytes, number: int = 1) -> match_pb2.Update:
    frame = referee_pb2.PlayResponse.FromString(CODEC.update(number, parts))
    (update,) = frame.updates
    return update


def event_of(event: object, seat: int = 0, number: int = 9) -> match_pb2.Event:
    (encoded,) = CODEC.events(number, [event], 4)  # type: ignore[list-item]
    own = encoded if isinstance(encoded, bytes) else encoded[seat]
    (told,) = update_of(CODEC.event_part([own])).events
    return told


def combination(*numbers: int) -> Combination:
    found = read(mask_of(numbers), None)
    assert isinstance(found, Combination)
    return found


def ask_of(ask: Ask, *, left: int | None = None, plays: bool = True) -> match_pb2.Ask:
    (told,) = update_of(CODEC.ask_part(ask, time_left_ms=left, legal_plays=plays)).asks
    return told


def test_an_update_by_hand() -> None:
    (passed,) = CODEC.events(1, [Passed(at=0, seat=S2)], 4)
    assert isinstance(passed, bytes)
    assert passed.hex() == "0608013a02" + "0802"
    # updates (6): match (1) 300, events (3)
    whole = "320b08ac02" + "1a06" + "08013a02" + "0802"
    assert CODEC.update(300, [CODEC.event_part([passed])]).hex() == whole


def test_numbers_in_base_128_by_hand() -> None:
    assert [varint(n).hex() for n in (0, 127, 128, 300, 16384)] == [
        "00",
        "7f",
        "8001",
        "ac02",
        "808001",
    ]


def test_a_public_event_is_the_same_bytes_for_all_and_a_private_one_is_not() -> None:
    dealt = CardsDealt(hands=(1 << 8, 1 << 9, 1 << 10, 1 << 11), complete=True)
    public, private = CODEC.events(1, [Passed(at=0, seat=S0), dealt], 4)
    assert isinstance(public, bytes)
    assert isinstance(private, tuple)
    assert len(set(private)) == 4


def test_events_are_numbered_from_the_first() -> None:
    encoded = CODEC.events(5, [Passed(at=0, seat=S0), Passed(at=0, seat=S1)], 4)
    parts = CODEC.event_part([e for e in encoded if isinstance(e, bytes)])
    assert [event.number for event in update_of(parts).events] == [5, 6]


def test_each_seat_sees_its_own_cards_only() -> None:
    dealt = CardsDealt(hands=(mask_of([1, 59]), mask_of([4]), 0, 0), complete=False)
    for seat, cards in enumerate([[1, 59], [4], [], []]):
        (hand,) = event_of(dealt, seat).cards_dealt.hands
        assert (hand.seat, list(hand.cards)) == (seat, cards)
    assert not event_of(dealt).cards_dealt.complete


def test_each_seat_sees_what_it_gave_and_got_in_the_exchange() -> None:
    gifts = ((S0, S1, 1 << 8), (S1, S0, 1 << 9), (S2, S1, 1 << 10), (S1, S3, 1 << 11))
    (hand,) = event_of(CardsExchanged(gifts=gifts), seat=1).cards_exchanged.hands
    assert hand.seat == 1
    assert [(g.seat, list(g.cards)) for g in hand.gave] == [(0, [9]), (3, [11])]
    assert [(g.seat, list(g.cards)) for g in hand.received] == [(0, [8]), (2, [10])]


def test_a_play_shows_cards_reading_and_height() -> None:
    play = combination(2, 40, 41)  # the Phoenix with two tens
    told = event_of(PlayedEvent(seat=S3, play=play, wish=0, cards_left=11)).played
    assert (told.seat, told.cards_left, told.HasField("wish")) == (3, 11, False)
    assert list(told.play.cards) == [2, 40, 41]
    assert told.play.kind == match_pb2.PLAY_KIND_TRIPLE
    assert (told.play.phoenix_rank, told.play.rank_halves) == (10, 20)


def test_a_wish_rides_on_the_play_with_the_mah_jong() -> None:
    told = event_of(PlayedEvent(seat=S0, play=combination(4), wish=8, cards_left=13)).played
    assert told.wish == 8
    assert not told.play.HasField("phoenix_rank")


def test_every_other_event_says_what_its_fact_says() -> None:
    started = RoundStarted(
        round=3,
        dealer=S2,
        commitment=b"c" * 32,
        totals=(-100, 200),
        order=(S0, S1, S2, S3),
        teams=(0, 1, 0, 1),
    )
    told = event_of(started).round_started
    assert (told.round, told.dealer, told.commitment) == (3, 2, b"c" * 32)
    assert list(told.totals) == [-100, 200]
    call = event_of(CallMade(at=1, seat=S1, call=CallKind.NO_GRAND)).call_made
    assert (call.seat, call.call) == (1, match_pb2.CALL_KIND_NO_GRAND)
    taken = event_of(TrickTaken(at=1, seat=S3, points=-25)).trick_taken
    assert (taken.seat, taken.points) == (3, -25)
    dragon = event_of(DragonGiven(at=1, seat=S0, to=S3, points=40)).dragon_given
    assert (dragon.seat, dragon.to_seat, dragon.points) == (0, 3, 40)
    lead = event_of(LeadHanded(at=1, seat=S0, to=S2)).lead_handed
    assert (lead.seat, lead.to_seat) == (0, 2)
    out = event_of(WentOut(at=1, seat=S2, place=1)).went_out
    assert (out.seat, out.place) == (2, 1)


def test_the_end_of_a_round_shows_points_and_bets() -> None:
    ended = RoundEnded(
        at=5,
        round=2,
        points=(-60, 160),
        card_points=(40, 60),
        calls=((S0, CallKind.TICHU, False, -100), (S1, CallKind.TICHU, True, 100)),
        double_victory=False,
        totals=(40, 260),
    )
    told = event_of(ended).round_ended
    assert (told.round, list(told.points), list(told.card_points)) == (2, [-60, 160], [40, 60])
    assert [(c.seat, c.won, c.points) for c in told.calls] == [(0, False, -100), (1, True, 100)]
    assert list(told.totals) == [40, 260]


def test_an_end_without_seat_or_winner_leaves_them_out() -> None:
    ended = MatchEnded(at=1, ending=Ending.CANCELLED, totals=(0, 0), rounds=1)
    told = event_of(ended).match_ended
    assert not told.HasField("seat")
    assert not told.HasField("winner")
    assert told.blame == match_pb2.BLAME_UNSPECIFIED
    fault = MatchEnded(
        at=1, ending=Ending.CRASHED, totals=(), rounds=0, seat=S0, blame=Blame.BOT, winner=1
    )
    told = event_of(fault).match_ended
    assert told.HasField("seat")
    assert (told.seat, told.winner, told.blame) == (0, 1, match_pb2.BLAME_BOT)


def test_an_end_by_faults_names_every_seat_and_what_the_match_counts_for() -> None:
    fault = MatchEnded(
        at=1,
        ending=Ending.CRASHED,
        totals=(0, 0),
        rounds=0,
        seat=S0,
        blame=Blame.BOT,
        winner=1,
        failed=(S0, S2),
        awarded=(-500, 700),
    )
    told = event_of(fault).match_ended
    assert (list(told.failed_seats), list(told.awarded)) == ([0, 2], [-500, 700])
    void = MatchEnded(
        at=1, ending=Ending.DISCONNECTED, totals=(), rounds=0, seat=S0, blame=Blame.NETWORK
    )
    told = event_of(void).match_ended
    assert told.blame == match_pb2.BLAME_NETWORK
    assert not told.failed_seats
    assert not told.awarded


def test_an_act_ask_lists_its_plays() -> None:
    ask = Ask(
        seat=S2,
        to=S2,
        id=7,
        kind=AskKind.ACT,
        provisional=True,
        base_ns=2_000 * MS,
        bank_ns=59_999_999_999,
        plays=[combination(8), combination(12, 13)],
        may_pass=True,
        wish=8,
        may_call_tichu=True,
    )
    told = ask_of(ask, left=61_999)
    assert (told.ask_id, told.for_seat, told.provisional) == (7, 2, True)
    assert (told.time_left_ms, told.bank_left_ms) == (61_999, 59_999)
    assert [list(play.cards) for play in told.act.plays] == [[8], [12, 13]]
    assert (told.act.may_pass, told.act.leading, told.act.wish) == (True, False, 8)
    assert told.act.may_call_tichu
    assert not ask_of(ask, plays=False).act.plays


def test_without_a_clock_neither_time_nor_bank_is_said() -> None:
    ask = Ask(seat=S0, to=S0, id=1, kind=AskKind.ACT, bank_ns=0)
    told = ask_of(ask)
    assert not told.HasField("time_left_ms")
    assert not told.HasField("bank_left_ms")


def test_a_bomb_ask_without_a_bomb_is_still_a_bomb_ask() -> None:
    told = ask_of(Ask(seat=S1, to=S1, id=2, kind=AskKind.BOMB, window_ns=50 * MS), left=50)
    assert told.WhichOneof("kind") == "bomb"
    assert not told.bomb.plays


def test_the_other_asks_name_their_choices() -> None:
    call = Ask(seat=S0, to=S0, id=1, kind=AskKind.CALL, choices=(CallKind.GRAND, CallKind.NO_GRAND))
    assert list(ask_of(call).call.choices) == [2, 3]
    exchange = Ask(
        seat=S0,
        to=S0,
        id=2,
        kind=AskKind.EXCHANGE,
        slots=((S1, 1, Forced.FREE), (S2, 1, Forced.FREE), (S3, 1, Forced.FREE)),
        standing=((S1, (8,)),),
    )
    told = ask_of(exchange).exchange
    assert [(slot.to_seat, slot.count) for slot in told.slots] == [(1, 1), (2, 1), (3, 1)]
    assert [(gift.seat, list(gift.cards)) for gift in told.standing] == [(1, [8])]
    seat = Ask(
        seat=S0, to=S0, id=3, kind=AskKind.CHOOSE_SEAT, why=ChooseReason.DRAGON, seats=(S1, S3)
    )
    chosen = ask_of(seat).choose_seat
    assert chosen.why == match_pb2.CHOOSE_SEAT_REASON_DRAGON
    assert list(chosen.seats) == [1, 3]


def test_times_of_an_acknowledgement_are_milliseconds_and_absent_before_they_settle() -> None:
    received = Ack(seat=S0, status=AckStatus.RECEIVED, ask_id=0)
    (told,) = update_of(CODEC.ack_part(received)).acks
    assert told.WhichOneof("subject") == "ask_id"
    assert not told.HasField("used_ms")
    applied = Ack(
        seat=S0,
        status=AckStatus.APPLIED,
        request_id=0,
        used_ns=1_999_999,
        charged_ns=0,
        network_ns=150_999_999,
        bank_ns=5 * MS,
    )
    (told,) = update_of(CODEC.ack_part(applied)).acks
    assert told.WhichOneof("subject") == "request_id"
    assert (told.used_ms, told.charged_ms, told.bank_left_ms) == (1, 0, 5)
    assert told.network_ms == 150
    assert told.HasField("charged_ms")


def test_refusals_and_cancellations() -> None:
    refused = Refused(seat=S0, code="TOO_LOW", clause="B2", text="higher", ask_id=4, resends_left=1)
    cancelled = Cancelled(seat=S0, ask_id=4, reason=CancelReason.BOMBED)
    update = update_of(CODEC.refused_part(refused), CODEC.cancelled_part(cancelled))
    (told,) = update.refused
    assert (told.ask_id, told.code) == (4, match_pb2.REFUSAL_CODE_TOO_LOW)
    assert (told.clause, told.text, told.resends_left) == ("B2", "higher", 1)
    (gone,) = update.cancelled
    assert (gone.ask_id, gone.reason) == (4, match_pb2.CANCEL_REASON_BOMBED)


def test_a_seating_tells_rules_clock_and_seats() -> None:
    players = tuple(Player(name=f"p{s}", bot_seed=f"{s:02x}" * 32) for s in range(4))
    settings = Settings(
        rules=RuleOptions(rounds=2),
        window_ns=500 * MS,
        clock=Clock(base_ns=1_000 * MS, bank_ns=0),
    )
    config = MatchConfig(match_id="m", settings=settings, players=players)
    told = update_of(CODEC.seating_part(SeatingIn(config=config, seat=S3))).seating
    assert (told.match_id, told.seat, told.window_ms) == ("m", 3, 500)
    assert (list(told.names), list(told.teams)) == (["p0", "p1", "p2", "p3"], [0, 1, 0, 1])
    assert (told.base_ms, told.bank_ms, told.HasField("bank_ms")) == (1_000, 0, True)
    assert told.bot_seed == b"\x03" * 32
    assert [option.name for option in told.options] == [n for n in OPTION_ROWS if n != "seats"]
    assert list(told.player_seats) == [0, 1, 2, 3]
    values = {option.name: option.value for option in told.options}
    assert (values["rounds"], values["great_grand"]) == ("2", "false")


def seated(clock: Clock | None) -> match_pb2.Seating:
    players = tuple(Player(name="p", bot_seed="00" * 32) for _ in range(4))
    settings = Settings(rules=RuleOptions(), clock=clock)
    config = MatchConfig(match_id="m", settings=settings, players=players)
    return update_of(CODEC.seating_part(SeatingIn(config=config, seat=S0))).seating


CLOCK_FIELDS = ("call_ms", "exchange_ms", "act_ms", "choose_seat_ms", "lag_cap_ms", "lag_quota_ms")


def test_a_seating_tells_longer_base_times_and_the_lag_that_is_credited() -> None:
    clock = Clock(
        call_ns=3_000 * MS,
        exchange_ns=4_000 * MS,
        act_ns=5_000 * MS,
        choose_seat_ns=6_000 * MS,
        lag_cap_ns=0,
        lag_quota_ns=7 * MS,
    )
    told = seated(clock)
    assert [getattr(told, name) for name in CLOCK_FIELDS] == [3_000, 4_000, 5_000, 6_000, 0, 7]
    assert all(told.HasField(name) for name in CLOCK_FIELDS)  # type: ignore[arg-type]


def test_a_seating_leaves_out_base_times_that_are_those_of_all_asks() -> None:
    told = seated(Clock())
    assert [name for name in CLOCK_FIELDS if told.HasField(name)] == list(CLOCK_FIELDS[4:])  # type: ignore[arg-type]
    assert not any(seated(None).HasField(name) for name in CLOCK_FIELDS)  # type: ignore[arg-type]


def test_a_seating_without_a_clock_names_none() -> None:
    players = tuple(Player(name="p", bot_seed="00" * 32) for _ in range(4))
    settings = Settings(rules=RuleOptions(), clock=None)
    config = MatchConfig(match_id="m", settings=settings, players=players)
    told = update_of(CODEC.seating_part(SeatingIn(config=config, seat=S0))).seating
    assert not told.HasField("base_ms")
    assert not told.HasField("bank_ms")


def test_parts_of_a_frame_concatenate() -> None:
    welcome = Welcome(session_token="t", server="s", grace_ms=5, resumed=True)
    frame = referee_pb2.PlayResponse.FromString(
        CODEC.welcome(welcome)
        + CODEC.ping(3)
        + CODEC.update(1, [])
        + CODEC.moved("a:1")
        + CODEC.update(2, [])
        + CODEC.closing(ClosingCode.DRAINING, "later", retry=True)
    )
    assert (frame.welcome.session_token, frame.welcome.resumed) == ("t", True)
    assert (frame.ping.number, frame.moved.address) == (3, "a:1")
    assert [update.match for update in frame.updates] == [1, 2]
    assert frame.closing.code == referee_pb2.CLOSING_CODE_DRAINING
