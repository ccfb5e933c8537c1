//! What a strategy sees and says. No gRPC: a strategy can be tested with a view of one's own making.
use std::collections::BTreeMap;

use crate::cards::Card;

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Asked {
    Act,
    Bomb,
    Call,
    Exchange,
    ChooseSeat,
    #[default]
    Unknown,
}

/// What a choice of a seat is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    Dragon,
    Dog,
}

/// A bet, a bid, or a word on an opponent's call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    Tichu,
    Grand,
    NoGrand,
    GreatGrand,
    NoGreatGrand,
    Bid0,
    Bid1,
    Bid2,
    Bid3,
    Accept,
    Refuse,
}

/// The type of a combination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Single,
    Pair,
    Triple,
    FullHouse,
    Straight,
    Stairs,
    Bomb,
    Unknown,
}

/// Cards played together.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    pub cards: Vec<Card>,
    pub kind: Kind,
    /// Height in half ranks: a six 12, an ace 28, the Dragon 32.
    pub rank_halves: i32,
}

/// Cards owed to one recipient in the exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    pub to_seat: u32,
    pub count: usize,
    /// True: the rules say which cards they must be.
    pub forced: bool,
}

/// What one hand knows when it decides. What an ask does not have is empty.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub ask: Asked,
    /// The hand that decides.
    pub seat: u32,
    /// In turn order after the hand, out or not.
    pub partners: Vec<u32>,
    pub opponents: Vec<u32>,
    /// Ascending by number.
    pub hand: Vec<Card>,
    /// Cards in each hand, by seat.
    pub counts: Vec<u32>,
    /// Act and bomb: one legal play for each pattern.
    pub plays: Vec<Play>,
    pub may_pass: bool,
    /// True: the table is empty and the hand leads.
    pub leading: bool,
    pub may_call_tichu: bool,
    /// The play on top, and who played it.
    pub table: Option<Play>,
    pub owner: Option<u32>,
    /// Card points of all cards in the trick.
    pub trick_points: i32,
    /// Bets by seat, the highest of each.
    pub calls: BTreeMap<u32, Choice>,
    /// True: this hand has made a bet.
    pub called: bool,
    pub choices: Vec<Choice>,
    pub slots: Vec<Slot>,
    pub seats: Vec<u32>,
    pub why: Option<Why>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A listed play, or a listed bomb out of turn.
    Play {
        index: usize,
        wish: Option<u8>,
        tichu: bool,
    },
    Pass,
    /// No bomb.
    Decline,
    Choice(Choice),
    /// Cards for each slot, in order.
    Gifts {
        gifts: Vec<Vec<Card>>,
        tichu: bool,
    },
    Seat(u32),
    /// The substitute action, which the referee takes without a strike.
    Default,
}
