// Between the messages of the protocol and the words of the strategy.
#pragma once

#include "strategy.h"
#include "tichu/referee/v1/referee.pb.h"

namespace tichu_bot {

namespace pb = tichu::referee::v1;

/// A hand as a snapshot shows it, ascending; cards of a later protocol are left out.
Cards hand_of(const pb::Snapshot& snapshot, std::uint32_t seat);

/// What the hand that decides knows, out of what the referee sent; unknown numbers are left out.
View view_of(const pb::Ask& ask, const pb::Snapshot& snapshot, const pb::Seating& seating);

/// Writes what was decided on an ask.
void write_answer(const Answer& decided, const pb::Ask& ask, pb::Answer& answer);

}  // namespace tichu_bot
