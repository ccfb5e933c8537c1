#include "session.h"

#include <exception>

#include "cards.h"
#include "report.h"
#include "wire.h"

namespace tichu_bot {
namespace {

constexpr int kProtocolVersion = 1;
constexpr std::size_t kRemembered = 8;  // a player has fewer asks open at once

/// True where a bomb may come out of turn: after the exchange, before the end of the round.
bool bombs_possible(int phase) { return phase >= pb::PHASE_PLAY && phase <= pb::PHASE_DOG; }

void say_refused(const pb::Refused& refused) {
  say("refused: " + pb::RefusalCode_Name(refused.code()) + " " + refused.text());
}

}  // namespace

Session::Session(std::string bot_name, int max_matches)
    : bot_name_(std::move(bot_name)), max_matches_(max_matches) {}

pb::PlayRequest Session::hello() const {
  pb::PlayRequest request;
  pb::Hello& hello = *request.mutable_hello();
  hello.set_protocol_version(kProtocolVersion);
  hello.set_bot_name(bot_name_);
  hello.set_bot_version("0.1");
  hello.set_max_matches(max_matches_);
  hello.set_event_delivery(pb::EVENT_DELIVERY_WITH_ASKS);  // the snapshots say what happened
  hello.set_sdk("tichu-sample-cpp 0.1");
  if (token_) hello.set_session_token(*token_);
  return request;
}

std::optional<pb::PlayRequest> Session::reply(const pb::PlayResponse& frame) {
  pb::PlayRequest out;
  if (frame.has_ping()) out.mutable_pong()->set_number(frame.ping().number());
  if (frame.has_welcome()) welcome(frame.welcome());
  for (const pb::Refused& refused : frame.refused()) say_refused(refused);
  Owing owing;
  for (const pb::Update& update : frame.updates()) take_in(update, owing, out);
  for (const auto& [key, owed] : owing) answer(key.first, key.second, owed, out);
  for (const pb::Update& update : frame.updates())
    for (const pb::Event& event : update.events())
      if (event.has_match_ended()) matches_.erase(update.match());
  if (out.ByteSizeLong() == 0) return std::nullopt;
  return out;
}

void Session::welcome(const pb::Welcome& welcome) {
  token_ = welcome.session_token();
  matches_.clear();  // each comes again, with its seating, its snapshot and its open asks
}

void Session::take_in(const pb::Update& update, Owing& owing, pb::PlayRequest& out) {
  Match& match = matches_[update.match()];
  if (update.has_seating()) match.seating = update.seating();
  for (const pb::Ask& ask : update.asks()) {
    owing[{update.match(), ask.ask_id()}] = {&ask, &update.snapshot()};
    if (update.has_snapshot()) stand_down(update.match(), ask, update.snapshot(), out);
  }
  acknowledged(update, match, owing);
  for (const pb::AskCancelled& cancelled : update.cancelled()) {
    owing.erase({update.match(), cancelled.ask_id()});
    match.answered.erase(cancelled.ask_id());
  }
}

/// An answer that was refused is not tried again: the substitute action is safe.
void Session::acknowledged(const pb::Update& update, Match& match, Owing& owing) {
  std::set<std::uint32_t> refused_asks;
  for (const pb::Acknowledgement& ack : update.acks())
    if (ack.has_ask_id() && ack.status() == pb::ACK_STATUS_REFUSED)
      refused_asks.insert(ack.ask_id());
  for (const pb::Refused& refused : update.refused()) {
    say_refused(refused);
    if (!refused.has_ask_id()) continue;
    refused_asks.insert(refused.ask_id());
    if (refused.resends_left() == 0) match.answered.erase(refused.ask_id());  // no more tries
  }
  for (std::uint32_t ask_id : refused_asks)
    if (match.answered.count(ask_id)) owing.insert({{update.match(), ask_id}, Owed{}});
}

/// One ask, answered by the strategy; where that fails, by the substitute action.
void Session::answer(std::uint32_t match_number, std::uint32_t ask_id, const Owed& owed,
                     pb::PlayRequest& out) {
  Match& match = matches_[match_number];
  pb::Answer& answer = *out.add_answers();
  answer.set_match(match_number);
  answer.set_ask_id(ask_id);
  match.answered.erase(ask_id);
  if (owed.ask == nullptr) {
    answer.mutable_default_action();
    return;
  }
  try {
    write_answer(decide(view_of(*owed.ask, *owed.snapshot, match.seating)), *owed.ask, answer);
    if (answer.has_default_action()) return;
    match.answered.insert(ask_id);
    if (match.answered.size() > kRemembered) match.answered.erase(match.answered.begin());
  } catch (const std::exception& error) {
    say("the strategy failed in match " + std::to_string(match_number) + ", ask " +
        std::to_string(ask_id) + ": " + error.what());
    answer.mutable_default_action();
  }
}

/// A hand never grows, so one without a bomb declines all windows of the round at once. In pace
/// fast only hands with a bomb are asked.
void Session::stand_down(std::uint32_t match_number, const pb::Ask& ask,
                         const pb::Snapshot& snapshot, pb::PlayRequest& out) {
  Match& match = matches_[match_number];
  if (match.seating.pace() != pb::PACE_FAIR || !bombs_possible(snapshot.phase())) return;
  if (holds_bomb(hand_of(snapshot, ask.for_seat()))) return;
  if (match.round != snapshot.round()) {
    match.round = snapshot.round();
    match.stood_down.clear();
  }
  match.stood_down.insert(snapshot.stood_down().begin(), snapshot.stood_down().end());
  if (!match.stood_down.insert(ask.for_seat()).second) return;
  pb::StandDown& stand_down = *out.add_stand_downs();
  stand_down.set_match(match_number);
  stand_down.set_for_seat(ask.for_seat());
  stand_down.set_request_id(++last_request_);
}

}  // namespace tichu_bot
