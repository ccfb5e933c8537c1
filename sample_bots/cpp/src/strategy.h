// What to answer. Pure: a view goes in, an answer comes out; no gRPC, no memory, clock or chance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cards.h"

namespace tichu_bot {

/// A play as an ask lists it.
struct Play {
  Cards cards;
  std::string kind;     // single pair triple full_house straight stairs bomb
  int rank_halves = 0;  // height in half ranks
};

/// What one recipient is owed in the exchange.
struct Slot {
  int to_seat = 0;
  int count = 0;
  bool forced = false;  // best or worst cards, which the referee's substitute action knows
};

/// What the hand that decides knows. What an ask does not say is empty.
struct View {
  std::string ask;  // act bomb call exchange choose_seat, else unknown
  int seat = 0;
  std::vector<int> partners;  // in turn order after the seat, out or not
  std::vector<int> opponents;
  Cards hand;               // ascending
  std::vector<int> counts;  // cards of each hand, by seat
  std::vector<Play> plays;
  bool may_pass = false;
  bool leading = false;  // the table is empty
  bool may_call_tichu = false;
  std::optional<Play> table;
  std::optional<int> owner;  // of the play on the table
  int trick_points = 0;
  std::map<int, std::string> calls;  // bets by seat
  bool called = false;               // this hand has bet
  std::vector<std::string> choices;
  std::vector<Slot> slots;
  std::vector<int> seats;
  std::string why;  // dragon or dog
};

/// A play, by its place in the list.
struct Index {
  int place = 0;
  std::optional<int> wish;  // rank 2 to 14
  bool tichu = false;
};

struct Pass {};

/// No bomb.
struct Decline {};

/// One of the choices.
struct Choice {
  std::string call;
};

/// Cards for each slot, in the order of the slots.
struct Gifts {
  std::vector<Cards> cards;
  bool tichu = false;
};

struct Seat {
  int seat = 0;
};

/// The referee's substitute action.
struct Default {};

using Answer = std::variant<Default, Index, Pass, Decline, Choice, Gifts, Seat>;

/// Answers any view; one of a kind that is not known gets the substitute action.
Answer decide(const View& view);

}  // namespace tichu_bot
