// One session with a referee: a frame in, at most one frame out. No sockets and no clock here, so
// it outlives any stream. Every ask brings a snapshot, therefore little is kept of a match: what
// is fixed at its start, and what was sent that must not be sent twice.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tichu/referee/v1/referee.pb.h"

namespace tichu_bot {

namespace pb = tichu::referee::v1;

class Session {
 public:
  /// `bot_name` is for display, 1 to 64 characters; `max_matches` at once, 1 to 512.
  Session(std::string bot_name, int max_matches);

  /// Token of the last Welcome: brings this process back into its seats.
  const std::optional<std::string>& token() const { return token_; }

  /// The first frame of every stream.
  pb::PlayRequest hello() const;

  /// Takes in one frame; returns the frame that answers all of it, or nothing if nothing is due.
  std::optional<pb::PlayRequest> reply(const pb::PlayResponse& frame);

 private:
  struct Match {
    pb::Seating seating;
    std::set<std::uint32_t> answered;    // asks that may still be refused, the latest ones
    std::uint32_t round = 0;             // that stood_down is about
    std::set<std::uint32_t> stood_down;  // hands that this process told of
  };
  struct Owed {
    const pb::Ask* ask = nullptr;  // nothing: the substitute action
    const pb::Snapshot* snapshot = nullptr;
  };
  /// By match and ask: a later part of the frame may cancel one.
  using Owing = std::map<std::pair<std::uint32_t, std::uint32_t>, Owed>;

  void welcome(const pb::Welcome& welcome);
  void take_in(const pb::Update& update, Owing& owing, pb::PlayRequest& out);
  void acknowledged(const pb::Update& update, Match& match, Owing& owing);
  void answer(std::uint32_t match, std::uint32_t ask_id, const Owed& owed, pb::PlayRequest& out);
  void stand_down(std::uint32_t match, const pb::Ask& ask, const pb::Snapshot& snapshot,
                  pb::PlayRequest& out);

  std::string bot_name_;
  int max_matches_;
  std::optional<std::string> token_;
  std::map<std::uint32_t, Match> matches_;  // by number, as far as they run
  std::uint32_t last_request_ = 0;
};

}  // namespace tichu_bot
