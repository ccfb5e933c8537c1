//! Cards: numbers and text, rank, points, bombs in a hand, the shuffle. Knows nothing of gRPC.
use sha2::{Digest, Sha256};

/// Number of a card in the protocol: 4 * rank + suit, specials 1 to 4, a second pack 64 more.
pub type Card = u8;

pub const DOG: Card = 1;
pub const PHOENIX: Card = 2;
pub const DRAGON: Card = 3;
pub const MAH_JONG: Card = 4;
pub const LOWEST_RANK: u8 = 2;
pub const ACE: u8 = 14;

const SECOND_PACK: Card = 64;
const FIRST_RANKED: Card = 8;
const LAST_RANKED: Card = 59;
const RANKS: &str = "23456789TJQKA";
const SUITS: &str = "jspr";
const SPECIALS: [&str; 4] = ["Dg", "Ph", "Dr", "Mj"]; // by number, from 1

/// Reads cards with blanks between them, for example `Mj 2j Ph'`; keeps their order.
pub fn parse(text: &str) -> Result<Vec<Card>, String> {
    text.split_whitespace().map(parse_card).collect()
}

fn parse_card(text: &str) -> Result<Card, String> {
    let no_card = || format!("{text:?} is no card");
    let (name, pack) = match text.strip_suffix('\'') {
        Some(name) => (name, SECOND_PACK),
        None => (text, 0),
    };
    if let Some(place) = SPECIALS.iter().position(|special| *special == name) {
        return Ok(pack + place as Card + DOG);
    }
    let mut letters = name.chars();
    let (Some(rank), Some(suit), None) = (letters.next(), letters.next(), letters.next()) else {
        return Err(no_card());
    };
    let rank = RANKS.find(rank).ok_or_else(no_card)? as Card + LOWEST_RANK;
    let suit = SUITS.find(suit).ok_or_else(no_card)? as Card;
    Ok(pack + 4 * rank + suit)
}

/// Writes cards as text, ascending by number.
pub fn show(cards: &[Card]) -> String {
    let mut sorted = cards.to_vec();
    sorted.sort_unstable();
    let names: Vec<String> = sorted.into_iter().map(name).collect();
    names.join(" ")
}

fn name(card: Card) -> String {
    let pack = if card > SECOND_PACK { "'" } else { "" };
    let number = in_pack(card);
    if number < FIRST_RANKED {
        return format!("{}{pack}", SPECIALS[usize::from(number - DOG)]);
    }
    let rank = usize::from(number / 4 - LOWEST_RANK);
    let suit = usize::from(number % 4);
    format!("{}{}{pack}", &RANKS[rank..=rank], &SUITS[suit..=suit])
}

/// The card of a protocol number; none for a number that this bot does not know.
pub fn known(number: i32) -> Option<Card> {
    let card = Card::try_from(number).ok()?;
    let known = matches!(card, 1..=4 | 8..=59 | 65..=68 | 72..=123);
    known.then_some(card)
}

/// The number that the card has in the first pack.
pub fn in_pack(card: Card) -> Card {
    card % SECOND_PACK
}

/// 2 to 14, 1 for the Mah Jong, 0 for the other specials.
pub fn rank(card: Card) -> u8 {
    match in_pack(card) {
        MAH_JONG => 1,
        number if number < FIRST_RANKED => 0,
        number => number / 4,
    }
}

/// What the card counts in a trick, from -25 (Phoenix) to 25 (Dragon).
pub fn points(card: Card) -> i32 {
    match (in_pack(card), rank(card)) {
        (DRAGON, _) => 25,
        (PHOENIX, _) => -25,
        (_, 5) => 5,
        (_, 10 | 13) => 10,
        _ => 0,
    }
}

/// Orders cards from bad to good: the Dog 0, a ranked card its rank, Mah Jong, Phoenix, Dragon.
pub fn worth(card: Card) -> u8 {
    match in_pack(card) {
        DRAGON => 17,
        PHOENIX => 16,
        MAH_JONG => 15,
        _ => rank(card),
    }
}

/// True if the cards hold four of a rank in four suits, or five consecutive ranks of one suit.
pub fn holds_bomb(cards: &[Card]) -> bool {
    let mut ranks_by_suit = [0u32; 4];
    for number in cards.iter().map(|card| in_pack(*card)) {
        if (FIRST_RANKED..=LAST_RANKED).contains(&number) {
            ranks_by_suit[usize::from(number % 4)] |= 1 << (number / 4);
        }
    }
    let four = ranks_by_suit.iter().fold(u32::MAX, |all, ranks| all & ranks);
    let five = |ranks: &u32| ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4 != 0;
    four != 0 || ranks_by_suit.iter().any(five)
}

/// The cards in the order in which a seed deals them; `cards` ascending.
pub fn shuffle(seed: &[u8], cards: &[Card]) -> Vec<Card> {
    let mut words = Words::new(seed);
    let mut order = cards.to_vec();
    for last in (1..order.len()).rev() {
        let other = words.below(last as u64 + 1);
        order.swap(last, other as usize);
    }
    order
}

/// What every seat is told before the first card, so that the deal is fixed.
pub fn commitment(match_id: &str, seed: &[u8]) -> [u8; 32] {
    let text = [b"tichu-commit", match_id.as_bytes(), seed].concat();
    Sha256::digest(text).into()
}

/// The stream of 32-bit words of a seed: SHA-256 of the seed and the block's number.
struct Words<'a> {
    seed: &'a [u8],
    blocks: u64,
    waiting: Vec<u32>, // of the block, the next one last
}

impl<'a> Words<'a> {
    fn new(seed: &'a [u8]) -> Self {
        Words { seed, blocks: 0, waiting: Vec::new() }
    }

    /// A number from 0 to below `n`, each equally likely.
    fn below(&mut self, n: u64) -> u64 {
        let limit = n * ((1 << 32) / n);
        loop {
            let word = u64::from(self.next());
            if word < limit {
                return word % n;
            }
        }
    }

    fn next(&mut self) -> u32 {
        loop {
            if let Some(word) = self.waiting.pop() {
                return word;
            }
            let block = Sha256::digest([self.seed, &self.blocks.to_be_bytes()].concat());
            self.blocks += 1;
            let words = block.chunks_exact(4).rev();
            self.waiting = words.map(|w| u32::from_be_bytes([w[0], w[1], w[2], w[3]])).collect();
        }
    }
}
