// Frames of a referee, in few words.
#pragma once

#include <initializer_list>
#include <string>

#include "cards.h"
#include "tichu/referee/v1/referee.pb.h"

namespace tichu_bot::test {

namespace pb = tichu::referee::v1;

inline void add_play(pb::ActAsk& act, const std::string& cards, pb::PlayKind kind, int halves) {
  pb::Play& play = *act.add_plays();
  for (int card : parse(cards)) play.add_cards(static_cast<pb::Card>(card));
  play.set_kind(kind);
  play.set_rank_halves(halves);
}

/// A turn with one legal play, the six of star.
inline void add_turn(pb::Update& update, int ask_id, int seat = 0) {
  pb::Ask& ask = *update.add_asks();
  ask.set_ask_id(ask_id);
  ask.set_for_seat(seat);
  add_play(*ask.mutable_act(), "6r", pb::PLAY_KIND_SINGLE, 12);
}

inline void set_hand(pb::Update& update, int seat, const std::string& cards,
                     std::initializer_list<std::uint32_t> counts = {14, 14, 14, 14}) {
  pb::Snapshot& snapshot = *update.mutable_snapshot();
  snapshot.set_round(1);
  snapshot.set_phase(pb::PHASE_PLAY);
  pb::Gift& hand = *snapshot.add_hands();
  hand.set_seat(seat);
  for (int card : parse(cards)) hand.add_cards(static_cast<pb::Card>(card));
  snapshot.mutable_hand_counts()->Assign(counts.begin(), counts.end());
}

inline void set_seating(pb::Update& update, std::initializer_list<std::uint32_t> teams,
                        pb::Pace pace = pb::PACE_FAST) {
  pb::Seating& seating = *update.mutable_seating();
  for (std::uint32_t team : teams) {
    seating.add_teams(team);
    seating.add_names("bot");
  }
  seating.set_pace(pace);
}

inline pb::Update& add_update(pb::PlayResponse& frame, int match = 1) {
  pb::Update& update = *frame.add_updates();
  update.set_match(match);
  return update;
}

/// A frame with one turn in one match.
inline pb::PlayResponse turn(int ask_id, int match = 1) {
  pb::PlayResponse frame;
  add_turn(add_update(frame, match), ask_id);
  return frame;
}

/// A refusal of an answer.
inline pb::PlayResponse refusal(int ask_id, int resends_left) {
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  pb::Acknowledgement& ack = *update.add_acks();
  ack.set_ask_id(ask_id);
  ack.set_status(pb::ACK_STATUS_REFUSED);
  pb::Refused& refused = *update.add_refused();
  refused.set_ask_id(ask_id);
  refused.set_code(pb::REFUSAL_CODE_TOO_LOW);
  refused.set_text("a test says so");
  refused.set_resends_left(resends_left);
  return frame;
}

/// Match, ask and kind of every answer, as "1/2 act".
inline std::string decisions(const pb::PlayRequest& frame) {
  constexpr const char* kKinds[] = {"", "", "", "call", "exchange", "act", "bomb", "choose_seat",
                                    "default"};
  std::string all;
  for (const pb::Answer& answer : frame.answers())
    all += (all.empty() ? "" : ", ") + std::to_string(answer.match()) + "/" +
           std::to_string(answer.ask_id()) + " " + kKinds[answer.decision_case()];
  return all;
}

}  // namespace tichu_bot::test
