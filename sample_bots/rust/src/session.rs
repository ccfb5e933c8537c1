//! What the bot says on a stream: Hello, an answer to each ask, stand-downs. Nothing here waits or
//! sends.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::proto::acknowledgement::Subject as AckSubject;
use crate::proto::answer::Decision;
use crate::proto::refused::Subject as RefusedSubject;
use crate::proto::{self, event};
use crate::view::{Answer, View};
use crate::wire::{decision_of, default_action, view_of};
use crate::{cards, say};

const PROTOCOL_VERSION: u32 = 1;
const SDK: &str = "tichu-sample-rust 0.1";
/// A hand has at most three asks open at once, and a player at most two hands.
const REMEMBERED_ASKS: usize = 8;

/// One session with the referee, over as many streams as it takes.
pub struct Session {
    bot_name: String,
    max_matches: u32,
    decide: fn(&View) -> Answer,
    token: Option<String>,
    matches: HashMap<u32, Match>,
    last_request: u32,
}

/// What is kept of a match: who plays, and what was said. Views come from snapshots alone.
#[derive(Default)]
struct Match {
    seating: proto::Seating,
    /// Open asks; true: the substitute action was sent for it.
    asks: BTreeMap<u32, bool>,
    /// By round and hand.
    stood_down: BTreeSet<(u32, u32)>,
}

/// What a frame is answered with, by match and ask: a later part of the frame may cancel an ask.
#[derive(Default)]
struct Reply {
    answers: BTreeMap<(u32, u32), proto::Answer>,
    stand_downs: Vec<proto::StandDown>,
}

impl Session {
    /// `max_matches` from 1 to 512; `decide` is the strategy.
    pub fn new(bot_name: &str, max_matches: u32, decide: fn(&View) -> Answer) -> Session {
        Session {
            bot_name: bot_name.to_string(),
            max_matches,
            decide,
            token: None,
            matches: HashMap::new(),
            last_request: 0,
        }
    }

    /// True once a referee has given its secret, which travels with the next Hello.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The first frame of every stream.
    pub fn hello(&self) -> proto::PlayRequest {
        let hello = proto::Hello {
            protocol_version: PROTOCOL_VERSION,
            bot_name: self.bot_name.clone(),
            bot_version: env!("CARGO_PKG_VERSION").to_string(),
            max_matches: self.max_matches,
            session_token: self.token.clone(),
            // This bot looks at events only when it must decide.
            event_delivery: proto::EventDelivery::WithAsks.into(),
            sdk: SDK.to_string(),
            ..Default::default()
        };
        proto::PlayRequest { hello: Some(hello), ..Default::default() }
    }

    /// Takes in one frame; returns the frame that answers all of it, if an answer is due.
    pub fn reply(&mut self, frame: &proto::PlayResponse) -> Option<proto::PlayRequest> {
        if let Some(welcome) = &frame.welcome {
            self.welcome(welcome);
        }
        for refused in &frame.refused {
            say_refused(refused);
        }
        let mut reply = Reply::default();
        for update in &frame.updates {
            self.take_in(update, &mut reply);
        }
        if reply.answers.is_empty() && reply.stand_downs.is_empty() {
            return None;
        }
        Some(proto::PlayRequest {
            answers: reply.answers.into_values().collect(),
            stand_downs: reply.stand_downs,
            ..Default::default()
        })
    }

    /// What was pending on an older stream is forgotten: the referee sends every open ask again.
    fn welcome(&mut self, welcome: &proto::Welcome) {
        self.token = Some(welcome.session_token.clone());
        self.matches.clear();
    }

    fn take_in(&mut self, update: &proto::Update, reply: &mut Reply) {
        let number = update.r#match;
        if let Some(seating) = &update.seating {
            self.matches.entry(number).or_default().seating = seating.clone();
        }
        for ask in &update.asks {
            self.ask(number, ask, update.snapshot.as_ref(), reply);
        }
        for cancelled in &update.cancelled {
            self.of(number).asks.remove(&cancelled.ask_id);
            reply.answers.remove(&(number, cancelled.ask_id));
        }
        self.settle(update, reply);
        if update.events.iter().any(|e| matches!(e.event, Some(event::Event::MatchEnded(_)))) {
            self.matches.remove(&number);
        }
    }

    fn ask(
        &mut self,
        number: u32,
        ask: &proto::Ask,
        snapshot: Option<&proto::Snapshot>,
        reply: &mut Reply,
    ) {
        let decide = self.decide;
        let table = self.of(number);
        let view = view_of(ask, snapshot, &table.seating);
        // The panic hook says what went wrong; the match goes on.
        let decided = catch_unwind(AssertUnwindSafe(|| decide(&view))).unwrap_or(Answer::Default);
        let decision = decision_of(&decided, &view);
        table.asks.insert(ask.ask_id, matches!(decision, Decision::DefaultAction(_)));
        if table.asks.len() > REMEMBERED_ASKS {
            table.asks.pop_first();
        }
        reply.put(number, ask.ask_id, decision);
        if let Some(snapshot) = snapshot {
            self.stand_down_without_bomb(number, &view, snapshot, reply);
        }
    }

    /// In pace fair every hand is asked for bombs, unless it says once a round that it has none.
    fn stand_down_without_bomb(
        &mut self,
        number: u32,
        view: &View,
        snapshot: &proto::Snapshot,
        reply: &mut Reply,
    ) {
        use proto::Phase::{Closing, Dog, Dragon, Play};
        let table = self.of(number);
        let fair = table.seating.pace() == proto::Pace::Fair;
        let after_exchange = matches!(snapshot.phase(), Play | Closing | Dragon | Dog);
        let known = !view.hand.is_empty() && !snapshot.stood_down.contains(&view.seat);
        if !fair || !after_exchange || !known || cards::holds_bomb(&view.hand) {
            return;
        }
        table.stood_down.retain(|(round, _)| *round == snapshot.round);
        if table.stood_down.insert((snapshot.round, view.seat)) {
            self.last_request += 1;
            reply.stand_downs.push(proto::StandDown {
                r#match: number,
                for_seat: Some(view.seat),
                request_id: self.last_request,
            });
        }
    }

    /// Learns what became of answers; one that was refused is replaced by the substitute action.
    fn settle(&mut self, update: &proto::Update, reply: &mut Reply) {
        use proto::AckStatus::{Applied, Stale, TooLate, VoidBombed};
        let mut refused_asks = BTreeSet::new();
        for ack in &update.acks {
            let Some(AckSubject::AskId(ask_id)) = ack.subject else { continue };
            match ack.status() {
                Applied | Stale | TooLate | VoidBombed => {
                    self.of(update.r#match).asks.remove(&ask_id);
                }
                proto::AckStatus::Refused => {
                    refused_asks.insert(ask_id);
                }
                _ => {}
            }
        }
        for refused in &update.refused {
            say_refused(refused);
            if let Some(RefusedSubject::AskId(ask_id)) = refused.subject {
                refused_asks.insert(ask_id);
            }
        }
        for ask_id in refused_asks {
            if let Some(sent @ false) = self.of(update.r#match).asks.get_mut(&ask_id) {
                *sent = true;
                reply.put(update.r#match, ask_id, default_action());
            }
        }
    }

    fn of(&mut self, number: u32) -> &mut Match {
        self.matches.entry(number).or_default()
    }
}

impl Reply {
    fn put(&mut self, number: u32, ask_id: u32, decision: Decision) {
        let answer = proto::Answer { r#match: number, ask_id, decision: Some(decision) };
        self.answers.insert((number, ask_id), answer);
    }
}

fn say_refused(refused: &proto::Refused) {
    let code = refused.code().as_str_name();
    say(&format!("refused: {code} {}", refused.text));
}
