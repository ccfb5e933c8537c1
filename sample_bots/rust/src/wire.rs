//! Messages into views, and answers into messages.
use crate::cards::{self, Card};
use crate::proto::answer::Decision;
use crate::proto::ask::Kind as AskKind;
use crate::proto::{self, act_answer, bomb_answer};
use crate::view::{Answer, Asked, Choice, Kind, Play, Slot, View, Why};

/// The view of the hand that an ask is for. Unknown cards, kinds and choices are left out.
pub fn view_of(
    ask: &proto::Ask,
    snapshot: Option<&proto::Snapshot>,
    seating: &proto::Seating,
) -> View {
    let mut view = View { seat: ask.for_seat, ..View::default() };
    if let Some(snapshot) = snapshot {
        fill_position(&mut view, snapshot, seating);
    }
    match &ask.kind {
        Some(AskKind::Call(call)) => {
            view.ask = Asked::Call;
            view.choices = call.choices().filter_map(choice_of).collect();
        }
        Some(AskKind::Exchange(exchange)) => {
            view.ask = Asked::Exchange;
            view.slots = exchange.slots.iter().map(slot_of).collect();
            view.may_call_tichu = exchange.may_call_tichu;
        }
        Some(AskKind::Act(act)) => fill_act(&mut view, act),
        Some(AskKind::Bomb(bomb)) => {
            view.ask = Asked::Bomb;
            view.plays = bomb.plays.iter().map(play_of).collect();
        }
        Some(AskKind::ChooseSeat(choose)) => {
            view.ask = Asked::ChooseSeat;
            view.seats = choose.seats.clone();
            view.why = match choose.why() {
                proto::ChooseSeatReason::Dragon => Some(Why::Dragon),
                proto::ChooseSeatReason::Dog => Some(Why::Dog),
                proto::ChooseSeatReason::Unspecified => None,
            };
        }
        None => {}
    }
    view
}

fn fill_position(view: &mut View, snapshot: &proto::Snapshot, seating: &proto::Seating) {
    let seat = view.seat;
    let teams = if snapshot.teams.is_empty() { &seating.teams } else { &snapshot.teams };
    let team = |seat: u32| teams.get(seat as usize);
    let is_partner = |other: &u32| !teams.is_empty() && team(*other) == team(seat);
    (view.partners, view.opponents) = others(seat, snapshot).into_iter().partition(is_partner);
    let hand = snapshot.hands.iter().find(|hand| hand.seat == Some(seat));
    view.hand = known_cards(hand.map_or(&[], |hand| &hand.cards));
    view.counts = snapshot.hand_counts.clone();
    view.table = snapshot.table.as_ref().map(play_of);
    view.owner = snapshot.owner;
    let trick = known_cards(&snapshot.trick);
    view.trick_points = trick.into_iter().map(cards::points).sum();
    for made in &snapshot.calls {
        let Some(call) = choice_of(made.call()).filter(|call| height(*call) > 0) else { continue };
        let highest = view.calls.entry(made.seat).or_insert(call);
        if height(call) > height(*highest) {
            *highest = call;
        }
    }
    view.called = view.calls.contains_key(&seat);
}

/// All other seats, in turn order after the seat.
fn others(seat: u32, snapshot: &proto::Snapshot) -> Vec<u32> {
    let order = match snapshot.turn_order.as_slice() {
        [] => (0..snapshot.hand_counts.len() as u32).collect(),
        order => order.to_vec(),
    };
    let place = order.iter().position(|other| *other == seat);
    let after = place.map_or(0, |place| place + 1);
    let around = order[after..].iter().chain(&order[..after]);
    around.copied().filter(|other| *other != seat).collect()
}

fn fill_act(view: &mut View, act: &proto::ActAsk) {
    view.ask = Asked::Act;
    view.plays = act.plays.iter().map(play_of).collect();
    view.may_pass = act.may_pass;
    view.may_call_tichu = act.may_call_tichu;
    view.leading = act.leading;
    // The next leader is asked while bombs are still possible: the trick that the snapshot shows
    // is over for what is asked.
    if act.leading {
        (view.table, view.owner, view.trick_points) = (None, None, 0);
    }
}

fn slot_of(slot: &proto::ExchangeSlot) -> Slot {
    Slot {
        to_seat: slot.to_seat(),
        count: slot.count as usize,
        forced: slot.forced_best || slot.forced_worst,
    }
}

fn play_of(play: &proto::Play) -> Play {
    use proto::PlayKind;
    let kind = match play.kind() {
        PlayKind::Single => Kind::Single,
        PlayKind::Pair => Kind::Pair,
        PlayKind::Triple => Kind::Triple,
        PlayKind::FullHouse => Kind::FullHouse,
        PlayKind::Straight => Kind::Straight,
        PlayKind::Stairs => Kind::Stairs,
        PlayKind::Bomb => Kind::Bomb,
        PlayKind::Unspecified => Kind::Unknown,
    };
    Play { cards: known_cards(&play.cards), kind, rank_halves: play.rank_halves as i32 }
}

fn known_cards(numbers: &[i32]) -> Vec<Card> {
    let mut known: Vec<Card> = numbers.iter().filter_map(|number| cards::known(*number)).collect();
    known.sort_unstable();
    known
}

const CHOICES: [(proto::CallKind, Choice); 11] = [
    (proto::CallKind::Tichu, Choice::Tichu),
    (proto::CallKind::Grand, Choice::Grand),
    (proto::CallKind::NoGrand, Choice::NoGrand),
    (proto::CallKind::GreatGrand, Choice::GreatGrand),
    (proto::CallKind::NoGreatGrand, Choice::NoGreatGrand),
    (proto::CallKind::Bid0, Choice::Bid0),
    (proto::CallKind::Bid1, Choice::Bid1),
    (proto::CallKind::Bid2, Choice::Bid2),
    (proto::CallKind::Bid3, Choice::Bid3),
    (proto::CallKind::Accept, Choice::Accept),
    (proto::CallKind::Refuse, Choice::Refuse),
];

fn choice_of(call: proto::CallKind) -> Option<Choice> {
    let pair = CHOICES.iter().find(|(kind, _)| *kind == call);
    pair.map(|(_, choice)| *choice)
}

/// Orders bets; 0 is none.
fn height(call: Choice) -> u8 {
    match call {
        Choice::Tichu => 1,
        Choice::Grand => 2,
        Choice::GreatGrand => 3,
        _ => 0,
    }
}

// --- answers into messages

/// The decision to send; an answer that does not fit what was asked is the substitute action.
pub fn decision_of(answer: &Answer, view: &View) -> Decision {
    match (view.ask, answer) {
        (Asked::Act, Answer::Play { index, wish, tichu }) => Decision::Act(proto::ActAnswer {
            choice: Some(act_answer::Choice::Index(*index as u32)),
            wish: wish.map(u32::from),
            tichu: *tichu,
        }),
        (Asked::Act, Answer::Pass) => Decision::Act(proto::ActAnswer {
            choice: Some(act_answer::Choice::Pass(proto::Pass {})),
            ..Default::default()
        }),
        (Asked::Bomb, Answer::Play { index, .. }) => {
            bomb_answer(bomb_answer::Choice::Index(*index as u32))
        }
        (Asked::Bomb, Answer::Decline) => {
            bomb_answer(bomb_answer::Choice::Decline(proto::Decline {}))
        }
        (Asked::Call, Answer::Choice(choice)) => call_answer(*choice),
        (Asked::Exchange, Answer::Gifts { gifts, tichu }) => {
            exchange_answer(gifts, *tichu, &view.slots)
        }
        (Asked::ChooseSeat, Answer::Seat(seat)) => {
            Decision::ChooseSeat(proto::ChooseSeatAnswer { seat: Some(*seat) })
        }
        _ => default_action(),
    }
}

/// The substitute action.
pub fn default_action() -> Decision {
    Decision::DefaultAction(proto::DefaultAction {})
}

fn bomb_answer(choice: bomb_answer::Choice) -> Decision {
    Decision::Bomb(proto::BombAnswer { choice: Some(choice) })
}

fn call_answer(choice: Choice) -> Decision {
    match CHOICES.iter().find(|(_, known)| *known == choice) {
        Some((kind, _)) => Decision::Call(proto::CallAnswer { choice: (*kind).into() }),
        None => default_action(),
    }
}

fn exchange_answer(gifts: &[Vec<Card>], tichu: bool, slots: &[Slot]) -> Decision {
    let gift = |(slot, cards): (&Slot, &Vec<Card>)| proto::Gift {
        seat: Some(slot.to_seat),
        cards: cards.iter().map(|card| i32::from(*card)).collect(),
    };
    let gifts = slots.iter().zip(gifts).map(gift).collect();
    Decision::Exchange(proto::ExchangeAnswer { gifts, tichu })
}
