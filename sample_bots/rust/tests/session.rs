//! Frames in, frames out: what a session makes of messages, without a link.
use std::sync::Mutex;

use prost::Message;
use tichu_sample::proto::answer::Decision;
use tichu_sample::proto::ask::Kind;
use tichu_sample::proto::{self, Card, Phase, act_answer, event, refused};
use tichu_sample::session::Session;
use tichu_sample::strategy::decide;
use tichu_sample::view::{Answer, Asked, Choice, View};
use tichu_sample::{cards, proto::PlayResponse};

fn session() -> Session {
    Session::new("bot", 64, decide)
}

fn updates(updates: Vec<proto::Update>) -> PlayResponse {
    PlayResponse { updates, ..Default::default() }
}

fn ask(ask_id: u32, kind: Kind) -> proto::Ask {
    proto::Ask { ask_id, kind: Some(kind), ..Default::default() }
}

fn bomb_ask(ask_id: u32, for_seat: u32) -> proto::Ask {
    proto::Ask { for_seat, ..ask(ask_id, Kind::Bomb(proto::BombAsk::default())) }
}

fn play(number: i32) -> proto::Play {
    proto::Play { cards: vec![number], ..Default::default() }
}

fn turn(ask_id: u32) -> proto::Ask {
    let plays = vec![play(Card::Star6.into())];
    ask(ask_id, Kind::Act(proto::ActAsk { plays, leading: true, ..Default::default() }))
}

fn gift(seat: u32, text: &str) -> proto::Gift {
    let cards = cards::parse(text).unwrap();
    proto::Gift { seat: Some(seat), cards: cards.into_iter().map(i32::from).collect() }
}

fn seating(pace: proto::Pace) -> Option<proto::Seating> {
    let teams = vec![0, 1, 0, 1];
    Some(proto::Seating { teams, pace: pace.into(), ..Default::default() })
}

/// By ask: an index played, or the name of the decision.
fn decisions(reply: &proto::PlayRequest) -> Vec<(u32, String)> {
    let decided = |answer: &proto::Answer| match answer.decision.as_ref().unwrap() {
        Decision::Act(act) => match act.choice {
            Some(act_answer::Choice::Index(index)) => format!("play {index}"),
            _ => "pass".to_string(),
        },
        Decision::DefaultAction(_) => "default".to_string(),
        other => format!("{other:?}"),
    };
    reply.answers.iter().map(|answer| (answer.ask_id, decided(answer))).collect()
}

fn named(ask_id: u32, decision: &str) -> (u32, String) {
    (ask_id, decision.to_string())
}

static SEEN: Mutex<Vec<View>> = Mutex::new(Vec::new());

/// The view that a strategy gets of an ask. One test alone uses it at a time.
fn view_of(update: proto::Update) -> View {
    fn look(view: &View) -> Answer {
        SEEN.lock().unwrap().push(view.clone());
        Answer::Default
    }
    Session::new("bot", 1, look).reply(&updates(vec![update])).unwrap();
    SEEN.lock().unwrap().pop().unwrap()
}

#[test]
fn a_view_holds_what_snapshot_and_ask_say() {
    let call = |seat, call: proto::CallKind| proto::CallMade { seat, call: call.into() };
    let snapshot = proto::Snapshot {
        phase: Phase::Play.into(),
        hands: vec![gift(0, "Ar Mj 2j'"), gift(2, "Dr")],
        hand_counts: vec![3, 14, 1, 2],
        table: Some(proto::Play {
            cards: vec![Card::Star5.into()],
            kind: proto::PlayKind::Single.into(),
            rank_halves: 10,
            ..Default::default()
        }),
        owner: Some(3),
        trick: gift(0, "5r Kj Ph").cards,
        calls: vec![
            call(1, proto::CallKind::NoGreatGrand),
            call(1, proto::CallKind::Grand),
            call(1, proto::CallKind::Tichu),
            call(0, proto::CallKind::NoGrand),
            call(2, proto::CallKind::Tichu),
        ],
        turn_order: vec![0, 3, 2, 1],
        teams: vec![0, 0, 1, 1],
        ..Default::default()
    };
    let act = proto::ActAsk { plays: vec![play(59)], may_pass: true, ..Default::default() };
    let update = |kind, snapshot| proto::Update {
        seating: seating(proto::Pace::Fair),
        asks: vec![ask(1, kind)],
        snapshot: Some(snapshot),
        ..Default::default()
    };
    let view = view_of(update(Kind::Act(act.clone()), snapshot.clone()));
    assert_eq!((view.ask, view.seat, view.may_pass), (Asked::Act, 0, true));
    assert_eq!((view.partners, view.opponents), (vec![1], vec![3, 2]));
    assert_eq!((cards::show(&view.hand).as_str(), view.counts), ("Mj Ar 2j'", vec![3, 14, 1, 2]));
    assert_eq!((view.owner, view.trick_points), (Some(3), -10));
    assert_eq!(view.table.unwrap().rank_halves, 10);
    assert_eq!(view.calls, [(1, Choice::Grand), (2, Choice::Tichu)].into());
    assert!(!view.called && !view.leading && !view.may_call_tichu);

    // The lead after this trick is asked while the trick still lies there.
    let lead = proto::ActAsk { leading: true, ..act };
    let view = view_of(update(Kind::Act(lead), snapshot.clone()));
    assert!(view.leading);
    assert_eq!((view.table, view.owner, view.trick_points), (None, None, 0));

    // Without teams in the snapshot those of the match count; without any, all are opponents.
    let kind = Kind::Bomb(proto::BombAsk::default());
    let old = proto::Snapshot { teams: Vec::new(), ..snapshot };
    let view = view_of(update(kind, old.clone()));
    assert_eq!((view.partners, view.opponents), (vec![2], vec![3, 1]));
    let alone =
        proto::Update { asks: vec![bomb_ask(1, 0)], snapshot: Some(old), ..Default::default() };
    let view = view_of(alone);
    assert_eq!((view.partners, view.opponents), (vec![], vec![3, 2, 1]));
}

#[test]
fn a_hand_without_bomb_stands_down_once_a_round_in_pace_fair() {
    let mut session = session();
    let mut stands_down = |pace, phase: Phase, round, seat, hand, stood_down| -> Vec<(u32, u32)> {
        let snapshot = proto::Snapshot {
            round,
            phase: phase.into(),
            hands: vec![gift(0, "2j 3j 4j 5j"), gift(2, hand)],
            stood_down,
            ..Default::default()
        };
        let update = proto::Update {
            r#match: 1,
            seating: seating(pace),
            asks: vec![bomb_ask(1, seat)],
            snapshot: Some(snapshot),
            ..Default::default()
        };
        let reply = session.reply(&updates(vec![update])).unwrap();
        reply.stand_downs.iter().map(|down| (down.r#match, down.for_seat.unwrap())).collect()
    };
    use proto::Pace::{Fair, Fast};
    let none: Vec<(u32, u32)> = Vec::new();
    let hand = "2j 3j 4j 5j";
    assert_eq!(stands_down(Fair, Phase::Exchange, 1, 0, hand, vec![]), none);
    assert_eq!(stands_down(Fast, Phase::Play, 1, 0, hand, vec![]), none);
    assert_eq!(stands_down(Fair, Phase::Play, 1, 2, "2j 2s 2p 2r", vec![]), none);
    assert_eq!(stands_down(Fair, Phase::Play, 1, 0, hand, vec![0]), none);
    assert_eq!(stands_down(Fair, Phase::Play, 1, 0, hand, vec![]), [(1, 0)]);
    assert_eq!(stands_down(Fair, Phase::Closing, 1, 0, hand, vec![]), none);
    assert_eq!(stands_down(Fair, Phase::Closing, 1, 2, hand, vec![]), [(1, 2)]);
    assert_eq!(stands_down(Fair, Phase::Play, 2, 0, hand, vec![]), [(1, 0)]);
    assert_eq!(stands_down(Fair, Phase::Play, 2, 1, hand, vec![]), none, "an unknown hand");
}

fn refused(ask_id: u32) -> proto::Update {
    let subject = Some(refused::Subject::AskId(ask_id));
    let refused = vec![proto::Refused { subject, ..Default::default() }];
    proto::Update { r#match: 1, refused, ..Default::default() }
}

#[test]
fn a_refused_answer_is_followed_by_the_substitute_action_once() {
    let mut session = session();
    let asks = vec![turn(5), turn(6), turn(7)];
    let asked = proto::Update { r#match: 1, asks, ..Default::default() };
    let reply = session.reply(&updates(vec![asked])).unwrap();
    assert_eq!(decisions(&reply), [named(5, "play 0"), named(6, "play 0"), named(7, "play 0")]);
    let reply = session.reply(&updates(vec![refused(5)])).unwrap();
    assert_eq!(decisions(&reply), [named(5, "default")]);
    assert_eq!(session.reply(&updates(vec![refused(5)])), None);
    assert_eq!(session.reply(&updates(vec![refused(99)])), None, "never asked");
    let reason = proto::CancelReason::Substituted.into();
    let cancelled = vec![proto::AskCancelled { ask_id: 6, reason }];
    let over = proto::Update { cancelled, ..refused(6) };
    assert_eq!(session.reply(&updates(vec![over])), None);
    let ack = |status: proto::AckStatus| proto::Update {
        r#match: 1,
        acks: vec![proto::Acknowledgement {
            subject: Some(proto::acknowledgement::Subject::AskId(7)),
            status: status.into(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let received = updates(vec![ack(proto::AckStatus::Received)]);
    assert_eq!(session.reply(&received), None);
    let reply = session.reply(&updates(vec![ack(proto::AckStatus::Refused)])).unwrap();
    assert_eq!(decisions(&reply), [named(7, "default")]);
}

#[test]
fn an_ask_that_is_cancelled_in_the_same_frame_is_dropped() {
    let asked = proto::Update { r#match: 1, asks: vec![turn(1), turn(2)], ..Default::default() };
    let cancelled = vec![proto::AskCancelled { ask_id: 1, reason: 99 }];
    let later = proto::Update { r#match: 1, cancelled, ..Default::default() };
    let elsewhere = proto::Update { r#match: 2, ..later.clone() };
    let reply = session().reply(&updates(vec![elsewhere, asked, later])).unwrap();
    assert_eq!(decisions(&reply), [named(2, "play 0")]);
}

#[test]
fn a_strategy_that_panics_costs_one_answer() {
    fn broken(view: &View) -> Answer {
        match view.plays.first() {
            Some(_) => panic!("no idea"),
            None => Answer::Pass,
        }
    }
    let empty = ask(2, Kind::Act(proto::ActAsk::default()));
    let asked = proto::Update { r#match: 1, asks: vec![turn(1), empty], ..Default::default() };
    let reply = Session::new("bot", 1, broken).reply(&updates(vec![asked])).unwrap();
    assert_eq!(decisions(&reply), [named(1, "default"), named(2, "pass")]);
}

#[test]
fn an_answer_that_does_not_fit_the_ask_is_the_substitute_action() {
    fn confused(_: &View) -> Answer {
        Answer::Decline
    }
    let asked = proto::Update { r#match: 1, asks: vec![turn(1)], ..Default::default() };
    let reply = Session::new("bot", 1, confused).reply(&updates(vec![asked])).unwrap();
    assert_eq!(decisions(&reply), [named(1, "default")]);
}

#[test]
fn gifts_go_to_the_slots_and_a_seat_is_named() {
    let slot =
        |to_seat| proto::ExchangeSlot { to_seat: Some(to_seat), count: 1, ..Default::default() };
    let slots = vec![slot(1), slot(2), slot(3)];
    let choose = proto::ChooseSeatAsk { why: 1, seats: vec![3, 1] };
    let asked = proto::Update {
        seating: seating(proto::Pace::Fast),
        asks: vec![
            ask(1, Kind::Exchange(proto::ExchangeAsk { slots, ..Default::default() })),
            ask(2, Kind::ChooseSeat(choose)),
            ask(3, Kind::Call(proto::CallAsk { choices: vec![77, 2, 3], of_seat: None })),
        ],
        snapshot: Some(proto::Snapshot {
            hands: vec![gift(0, "Dg 2j 3s Kr Dr")],
            hand_counts: vec![5, 9, 9, 9],
            ..Default::default()
        }),
        ..Default::default()
    };
    let reply = session().reply(&updates(vec![asked])).unwrap();
    let decided: Vec<_> = reply.answers.into_iter().map(|a| a.decision.unwrap()).collect();
    let gifts = vec![gift(1, "Dg"), gift(2, "Kr"), gift(3, "2j")];
    let no_grand = proto::CallKind::NoGrand.into();
    let expected = [
        Decision::Exchange(proto::ExchangeAnswer { gifts, tichu: false }),
        Decision::ChooseSeat(proto::ChooseSeatAnswer { seat: Some(3) }),
        Decision::Call(proto::CallAnswer { choice: no_grand }),
    ];
    assert_eq!(decided, expected);
}

#[test]
fn what_a_match_left_is_forgotten_at_its_end_and_on_a_new_stream() {
    let mut session = session();
    let asked = || proto::Update { r#match: 1, asks: vec![turn(1)], ..Default::default() };
    session.reply(&updates(vec![asked()]));
    let ended = event::Event::MatchEnded(proto::MatchEnded::default());
    let events = vec![proto::Event { number: 1, event: Some(ended) }];
    session.reply(&updates(vec![proto::Update { r#match: 1, events, ..Default::default() }]));
    assert_eq!(session.reply(&updates(vec![refused(1)])), None);
    session.reply(&updates(vec![asked()]));
    let welcome = proto::Welcome { session_token: "t".to_string(), ..Default::default() };
    session.reply(&PlayResponse { welcome: Some(welcome), ..Default::default() });
    assert_eq!(session.reply(&updates(vec![refused(1)])), None);
    assert_eq!(session.hello().hello.unwrap().session_token.as_deref(), Some("t"));
}

/// A field of the wire with its length, for frames of a later protocol.
fn field(number: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(u64::from(number << 3 | 2), &mut bytes);
    prost::encoding::encode_varint(body.len() as u64, &mut bytes);
    [bytes.as_slice(), body].concat()
}

#[test]
fn fields_kinds_and_numbers_of_a_later_protocol_do_no_harm() {
    let unknown_event = field(3, &[&[0x08, 1], field(99, &[]).as_slice()].concat());
    let unknown_kind = field(4, &[&[0x08, 1], field(99, &[]).as_slice()].concat());
    // A play with an unknown card (127) beside the jack of jade, of an unknown kind (99).
    let unknown_play = field(1, &[0x08, 127, 0x08, 44, 0x18, 99]);
    let act = field(4, &[&[0x08, 2], field(8, &unknown_play).as_slice()].concat());
    let hand = field(4, &[0x08, 0, 0x10, 127, 0x10, 44, 0x10, 60]);
    let snapshot = field(8, &[hand.as_slice(), &[0x10, 77]].concat());
    let update = [&[0x08, 1], unknown_event.as_slice(), &unknown_kind, &act, &snapshot].concat();
    let frame = [field(6, &update), field(1000, &[])].concat();
    let frame = PlayResponse::decode(frame.as_slice()).unwrap();
    let reply = session().reply(&frame).unwrap();
    assert_eq!(decisions(&reply), [named(1, "default"), named(2, "play 0")]);
}
