//! The vectors that all sample bots share: cards, the shuffle, and whole answers to views.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tichu_sample::cards::{self, Card};
use tichu_sample::strategy::decide;
use tichu_sample::view::{Answer, Asked, Choice, Kind, Play, Slot, View, Why};

#[test]
fn cards_are_read_written_and_counted() {
    for line in lines("cards.jsonl", 80) {
        let text = text(&line["text"]);
        if line["error"] == true {
            assert!(cards::parse(text).is_err(), "{line}");
            continue;
        }
        let held = cards::parse(text).unwrap();
        let ranks: Vec<u8> = held.iter().map(|card| cards::rank(*card)).collect();
        let points: i32 = held.iter().map(|card| cards::points(*card)).sum();
        assert_eq!(json!(held), line["cards"], "{line}");
        assert_eq!(json!(ranks), line["ranks"], "{line}");
        assert_eq!(json!(points), line["points"], "{line}");
        assert_eq!(json!(cards::holds_bomb(&held)), line["bomb"], "{line}");
        let backwards: Vec<Card> = held.into_iter().rev().collect();
        assert_eq!(cards::show(&backwards), text, "{line}");
    }
}

#[test]
fn every_card_is_known_and_no_other_number() {
    let known: Vec<Card> = (-1..=300).filter_map(cards::known).collect();
    let mut named = Vec::new();
    for pack in ["", "'"] {
        named.extend(["Dg", "Ph", "Dr", "Mj"].map(|name| format!("{name}{pack}")));
        for rank in "23456789TJQKA".chars() {
            named.extend("jspr".chars().map(|suit| format!("{rank}{suit}{pack}")));
        }
    }
    assert_eq!(cards::show(&known), named.join(" "));
}

#[test]
fn a_seed_deals_the_same_cards_everywhere() {
    for line in lines("shuffle.jsonl", 15) {
        if let Some(match_id) = line["match_id"].as_str() {
            let commitment = cards::commitment(match_id, &bytes(&line["deal_seed"]));
            assert_eq!(commitment.to_vec(), bytes(&line["commit"]), "{line}");
            continue;
        }
        let all = numbers(&line["cards"]);
        assert_eq!(json!(cards::shuffle(&bytes(&line["seed"]), &all)), line["order"], "{line}");
    }
}

#[test]
fn every_view_gets_its_answer() {
    for line in lines("views.jsonl", 300) {
        let answer = answer_as_json(&decide(&view(&line["view"])));
        assert_eq!(answer, line["answer"], "{} {}: {}", line["id"], line["title"], line["view"]);
    }
}

// --- files

/// The lines of a file of vectors, of which there must be at least so many.
fn lines(name: &str, at_least: usize) -> Vec<Value> {
    let file = folder().join(name);
    let content = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let lines: Vec<Value> = content.lines().map(|line| line.parse().unwrap()).collect();
    assert!(lines.len() >= at_least, "{name} has only {} lines", lines.len());
    lines
}

/// A copy of the bot's folder outside the repository has the vectors in it.
fn folder() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["vectors", "../../tests/vectors"].map(|folder| own.join(folder));
    let found = folders.into_iter().find(|folder| folder.is_dir());
    found.expect("vectors/ or ../../tests/vectors/ must hold the vectors")
}

// --- JSON into views

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text(hex)[at..at + 2], 16).unwrap();
    (0..text(hex).len()).step_by(2).map(byte).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn numbers<T: TryFrom<u64, Error: std::fmt::Debug>>(value: &Value) -> Vec<T> {
    list(value).iter().map(|number| T::try_from(number.as_u64().unwrap()).unwrap()).collect()
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().map(|number| number as u32)
}

fn view(json: &Value) -> View {
    let is = |key: &str| json[key] == true;
    View {
        ask: asked(text(&json["ask"])),
        seat: number(&json["seat"]).unwrap(),
        partners: numbers(&json["partners"]),
        opponents: numbers(&json["opponents"]),
        hand: cards::parse(text(&json["hand"])).unwrap(),
        counts: numbers(&json["counts"]),
        plays: list(&json["plays"]).iter().map(play).collect(),
        may_pass: is("may_pass"),
        leading: is("leading"),
        may_call_tichu: is("may_call_tichu"),
        table: Some(&json["table"]).filter(|table| table.is_object()).map(play),
        owner: number(&json["owner"]),
        trick_points: json["trick_points"].as_i64().unwrap_or(0) as i32,
        calls: json["calls"].as_object().map(calls).unwrap_or_default(),
        called: is("called"),
        choices: list(&json["choices"]).iter().filter_map(|name| choice(text(name))).collect(),
        slots: list(&json["slots"]).iter().map(slot).collect(),
        seats: numbers(&json["seats"]),
        why: match text(&json["why"]) {
            "dragon" => Some(Why::Dragon),
            "dog" => Some(Why::Dog),
            _ => None,
        },
    }
}

fn asked(name: &str) -> Asked {
    match name {
        "act" => Asked::Act,
        "bomb" => Asked::Bomb,
        "call" => Asked::Call,
        "exchange" => Asked::Exchange,
        "choose_seat" => Asked::ChooseSeat,
        _ => Asked::Unknown,
    }
}

fn play(json: &Value) -> Play {
    Play {
        cards: cards::parse(text(&json["cards"])).unwrap(),
        kind: match text(&json["kind"]) {
            "single" => Kind::Single,
            "pair" => Kind::Pair,
            "triple" => Kind::Triple,
            "full_house" => Kind::FullHouse,
            "straight" => Kind::Straight,
            "stairs" => Kind::Stairs,
            "bomb" => Kind::Bomb,
            _ => Kind::Unknown,
        },
        rank_halves: json["rank_halves"].as_i64().unwrap() as i32,
    }
}

fn slot(json: &Value) -> Slot {
    Slot {
        to_seat: number(&json["to_seat"]).unwrap(),
        count: number(&json["count"]).unwrap() as usize,
        forced: json["forced"] == true,
    }
}

fn calls(json: &Map<String, Value>) -> BTreeMap<u32, Choice> {
    json.iter().map(|(seat, call)| (seat.parse().unwrap(), choice(text(call)).unwrap())).collect()
}

const CHOICES: [(&str, Choice); 11] = [
    ("tichu", Choice::Tichu),
    ("grand", Choice::Grand),
    ("no_grand", Choice::NoGrand),
    ("great_grand", Choice::GreatGrand),
    ("no_great_grand", Choice::NoGreatGrand),
    ("bid_0", Choice::Bid0),
    ("bid_1", Choice::Bid1),
    ("bid_2", Choice::Bid2),
    ("bid_3", Choice::Bid3),
    ("accept", Choice::Accept),
    ("refuse", Choice::Refuse),
];

fn choice(name: &str) -> Option<Choice> {
    CHOICES.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice)
}

// --- answers into JSON

fn answer_as_json(answer: &Answer) -> Value {
    match answer {
        Answer::Play { index, wish, tichu } => {
            let mut json = json!({"index": index});
            if let Some(wish) = wish {
                json["wish"] = json!(wish);
            }
            with_tichu(json, *tichu)
        }
        Answer::Pass => json!({"pass": true}),
        Answer::Decline => json!({"decline": true}),
        Answer::Choice(choice) => {
            let name = CHOICES.iter().find(|(_, known)| known == choice).unwrap().0;
            json!({"choice": name})
        }
        Answer::Gifts { gifts, tichu } => {
            let texts: Vec<String> = gifts.iter().map(|gift| cards::show(gift)).collect();
            with_tichu(json!({"gifts": texts}), *tichu)
        }
        Answer::Seat(seat) => json!({"seat": seat}),
        Answer::Default => json!({"default": true}),
    }
}

fn with_tichu(mut json: Value, tichu: bool) -> Value {
    if tichu {
        json["tichu"] = json!(true);
    }
    json
}
