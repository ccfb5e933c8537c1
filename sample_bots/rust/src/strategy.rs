//! What to answer. Pure: a view goes in, an answer comes out. No gRPC, no clock, no chance, no
//! memory: the same view gets the same answer.
use std::collections::BTreeSet;

use crate::cards::{self, ACE, Card, DOG, DRAGON, LOWEST_RANK, MAH_JONG, PHOENIX};
use crate::view::{Answer, Asked, Choice, Kind, Play, View};

/// Answers any ask.
pub fn decide(view: &View) -> Answer {
    match view.ask {
        Asked::Act => act(view),
        Asked::Bomb => bomb(view),
        Asked::Call => call(view),
        Asked::Exchange => exchange(view),
        Asked::ChooseSeat => choose_seat(view),
        Asked::Unknown => Answer::Default,
    }
}

// --- call, exchange, choose a seat, bomb

const STRONG_ENOUGH_FOR_GRAND: i32 = 12;

/// Lets an opponent's call stand, and bets on many high cards.
fn call(view: &View) -> Answer {
    let offered = |choice| view.choices.contains(&choice);
    if offered(Choice::Accept) {
        return Answer::Choice(Choice::Accept);
    }
    let strong = high_cards(view) >= STRONG_ENOUGH_FOR_GRAND;
    if offered(Choice::Grand) {
        return Answer::Choice(if strong { Choice::Grand } else { Choice::NoGrand });
    }
    if offered(Choice::Bid3) {
        return Answer::Choice(if strong { Choice::Bid3 } else { Choice::Bid0 });
    }
    if offered(Choice::GreatGrand) {
        return Answer::Choice(Choice::NoGreatGrand);
    }
    Answer::Default
}

/// 4 for each Dragon and Phoenix, 2 for each ace.
fn high_cards(view: &View) -> i32 {
    let value = |card: &Card| match cards::in_pack(*card) {
        DRAGON | PHOENIX => 4,
        _ if cards::rank(*card) == ACE => 2,
        _ => 0,
    };
    view.hand.iter().map(value).sum()
}

/// Gives partners the best ranked card, the others the worst card.
fn exchange(view: &View) -> Answer {
    let owed: usize = view.slots.iter().map(|slot| slot.count).sum();
    // Which cards are forced is the referee's to say: the substitute action knows.
    if view.slots.iter().any(|slot| slot.forced) || owed > view.hand.len() {
        return Answer::Default;
    }
    let mut left = view.hand.clone();
    left.sort_unstable_by_key(|card| (cards::worth(*card), *card));
    let mut gifts = Vec::new();
    for slot in &view.slots {
        let to_partner = view.partners.contains(&slot.to_seat);
        let mut gift = Vec::new();
        for _ in 0..slot.count {
            let best = left.iter().rposition(|card| cards::worth(*card) <= ACE);
            let place = if to_partner { best.unwrap_or(0) } else { 0 };
            gift.push(left.remove(place));
        }
        gifts.push(gift);
    }
    Answer::Gifts { gifts, tichu: false }
}

/// The seat with most cards, of equal ones the first.
fn choose_seat(view: &View) -> Answer {
    // Of equal ones `max_by_key` takes the last.
    let most = view.seats.iter().rev().max_by_key(|seat| count(view, **seat));
    most.map_or(Answer::Default, |seat| Answer::Seat(*seat))
}

/// Throws the first bomb where it is worth it.
fn bomb(view: &View) -> Answer {
    match first_bomb(view) {
        Some(index) if worth_a_bomb(view, &view.plays[index]) => {
            Answer::Play { index, wish: None, tichu: false }
        }
        _ => Answer::Decline,
    }
}

const MANY_POINTS: i32 = 20;

/// True if the bomb ends the hand, or takes a trick from an opponent that must not have it.
fn worth_a_bomb(view: &View, bomb: &Play) -> bool {
    if empties(view, bomb) {
        return true;
    }
    let Some(owner) = view.owner.filter(|owner| view.opponents.contains(owner)) else {
        return false;
    };
    let cards_left = count(view, owner);
    let called = view.calls.contains_key(&owner);
    view.trick_points >= MANY_POINTS || cards_left <= 2 || (called && cards_left <= 6)
}

// --- act

fn act(view: &View) -> Answer {
    if view.plays.is_empty() {
        return if view.may_pass { Answer::Pass } else { Answer::Default };
    }
    if let Some(index) = last_play(view) {
        return play(view, index);
    }
    if view.leading { lead(view) } else { follow(view) }
}

/// A play that empties the hand; a bomb only if nothing else does.
fn last_play(view: &View) -> Option<usize> {
    let place = |bomb| {
        let fits = |play: &Play| empties(view, play) && is_bomb(play) == bomb;
        view.plays.iter().position(fits)
    };
    place(false).or_else(|| place(true))
}

/// Hands the lead on with the Dog, else gets rid of many low cards.
fn lead(view: &View) -> Answer {
    let partner_has_cards = view.partners.iter().any(|seat| count(view, *seat) > 0);
    let dog = view.plays.iter().position(|play| is_alone(play, DOG));
    if let Some(index) = dog.filter(|_| partner_has_cards && !view.called) {
        return play(view, index);
    }
    let only_bombs = view.plays.iter().all(is_bomb);
    match cheapest(view, lead_cost, |play| only_bombs || !is_bomb(play)) {
        Some(index) => play(view, index),
        None => Answer::Default,
    }
}

fn lead_cost(view: &View, play: &Play) -> i32 {
    let alone = play.cards.len() == 1;
    let special = [DOG, PHOENIX, DRAGON].iter().any(|card| is_alone(play, *card));
    let opponent_has_one = view.opponents.iter().any(|seat| count(view, *seat) == 1);
    let mut cost = play.rank_halves - 6 * (play.cards.len() as i32 - 1) + 5 * torn(view, play);
    if !alone && holds(play, PHOENIX) {
        cost += 24;
    }
    if special {
        cost += 40;
    }
    if alone && opponent_has_one {
        cost += 60 - 2 * play.rank_halves;
    }
    cost
}

/// Plays the cheapest play; passes where it is dear, or the trick is a partner's.
fn follow(view: &View) -> Answer {
    let bomb = first_bomb(view);
    let bomb_is_worth_it = bomb.is_some_and(|index| worth_a_bomb(view, &view.plays[index]));
    let Some(index) = cheapest(view, follow_cost, |play| !is_bomb(play)) else {
        return match bomb {
            Some(index) if !view.may_pass || bomb_is_worth_it => play(view, index),
            _ => Answer::Pass,
        };
    };
    let best = &view.plays[index];
    if view.may_pass && (leave_to_partner(view, best) || is_too_dear(view, best)) {
        return Answer::Pass;
    }
    match bomb {
        Some(bomb) if view.may_pass && bomb_is_worth_it && best.rank_halves < DEAR => {
            play(view, bomb)
        }
        _ => play(view, index),
    }
}

fn follow_cost(view: &View, play: &Play) -> i32 {
    let phoenix = play.cards.len() > 1 && holds(play, PHOENIX);
    play.rank_halves + 5 * torn(view, play) + if phoenix { 20 } else { 0 }
}

const LOW: i32 = 16; // an eight
const MIDDLE: i32 = 22; // a jack
const DEAR: i32 = 28; // an ace

/// True if the trick is a partner's and stays it: only a low one is overtaken, and cheaply.
fn leave_to_partner(view: &View, best: &Play) -> bool {
    if !view.owner.is_some_and(|owner| view.partners.contains(&owner)) {
        return false;
    }
    let low = view.table.as_ref().is_some_and(|table| table.rank_halves <= LOW);
    let special = is_alone(best, PHOENIX) || is_alone(best, DRAGON);
    let overtake = low && !special && best.rank_halves <= MIDDLE && !danger(view);
    !overtake
}

/// True if the play is worth more than the trick.
fn is_too_dear(view: &View, best: &Play) -> bool {
    let dear = best.rank_halves >= DEAR || holds(best, PHOENIX);
    let time_left = view.hand.len() > 6 && !danger(view);
    dear && time_left && view.trick_points < 10 && !view.called
}

/// True if an opponent has one or two cards.
fn danger(view: &View) -> bool {
    let few = |seat: &u32| (1..=2).contains(&count(view, *seat));
    view.opponents.iter().any(few)
}

/// The play, with a wish and a Tichu call where they are due.
fn play(view: &View, index: usize) -> Answer {
    let wish = holds(&view.plays[index], MAH_JONG).then(|| rank_to_wish_for(view));
    Answer::Play { index, wish, tichu: calls_tichu(view) }
}

/// The highest rank of which the hand has no card: somebody else must play it.
fn rank_to_wish_for(view: &View) -> u8 {
    let lacking = (LOWEST_RANK..=ACE).rev().find(|rank| of_rank(&view.hand, *rank) == 0);
    lacking.unwrap_or(LOWEST_RANK)
}

const STRONG_ENOUGH_FOR_TICHU: i32 = 11;

fn calls_tichu(view: &View) -> bool {
    let partner_called = view.partners.iter().any(|seat| view.calls.contains_key(seat));
    view.may_call_tichu
        && !view.called
        && !partner_called
        && strength(view) >= STRONG_ENOUGH_FOR_TICHU
}

/// High cards, fours of a rank, and less for low cards that stand alone.
fn strength(view: &View) -> i32 {
    let by_rank = |rank: u8| match of_rank(&view.hand, rank) {
        4.. => 4,
        1 if rank <= 9 => -1,
        _ => 0,
    };
    high_cards(view) + (LOWEST_RANK..=ACE).map(by_rank).sum::<i32>()
}

// --- what plays are

/// The place of the play with the least cost of those that fit, of equal ones the first.
fn cheapest(
    view: &View,
    cost: fn(&View, &Play) -> i32,
    fits: impl Fn(&Play) -> bool,
) -> Option<usize> {
    let listed = view.plays.iter().enumerate().filter(|(_, play)| fits(play));
    listed.min_by_key(|(_, play)| cost(view, play)).map(|(index, _)| index)
}

fn first_bomb(view: &View) -> Option<usize> {
    view.plays.iter().position(is_bomb)
}

fn is_bomb(play: &Play) -> bool {
    play.kind == Kind::Bomb
}

fn empties(view: &View, play: &Play) -> bool {
    play.cards.len() == view.hand.len()
}

/// True if the play holds the card, of either pack.
fn holds(play: &Play, card: Card) -> bool {
    play.cards.iter().any(|held| cards::in_pack(*held) == card)
}

/// True if the play is this one card, of either pack.
fn is_alone(play: &Play, card: Card) -> bool {
    play.cards.len() == 1 && holds(play, card)
}

/// How many cards of the play's ranks stay in the hand.
fn torn(view: &View, play: &Play) -> i32 {
    let ranks = play.cards.iter().map(|card| cards::rank(*card));
    let ranks: BTreeSet<u8> = ranks.filter(|rank| *rank >= LOWEST_RANK).collect();
    let stay = |rank: &u8| of_rank(&view.hand, *rank) as i32 - of_rank(&play.cards, *rank) as i32;
    ranks.iter().map(stay).sum()
}

fn of_rank(cards: &[Card], rank: u8) -> usize {
    cards.iter().filter(|card| cards::rank(**card) == rank).count()
}

/// Cards in a seat's hand.
fn count(view: &View, seat: u32) -> u32 {
    view.counts.get(seat as usize).copied().unwrap_or(0)
}
