#include "wire.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

namespace tichu_bot {
namespace {

// By the numbers of the protocol's enums; what is not in a list is of a later protocol.
constexpr std::array kKinds = {"",         "single", "pair", "triple", "full_house",
                               "straight", "stairs", "bomb"};
constexpr std::array kCalls = {"",            "tichu",          "grand",  "no_grand",
                               "great_grand", "no_great_grand", "bid_0",  "bid_1",
                               "bid_2",       "bid_3",          "accept", "refuse"};
constexpr std::array kReasons = {"", "dragon", "dog"};

/// The name of an enum's number, "" for one that is not known.
template <class Names>
std::string name_of(const Names& names, int number) {
  return number >= 0 && number < static_cast<int>(names.size()) ? names[number] : "";
}

template <class Numbers>
Cards known_cards(const Numbers& numbers) {
  Cards cards;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(cards), is_known);
  std::sort(cards.begin(), cards.end());
  return cards;
}

Play play_of(const pb::Play& play) {
  return {known_cards(play.cards()), name_of(kKinds, play.kind()),
          static_cast<int>(play.rank_halves())};
}

template <class Plays>
std::vector<Play> plays_of(const Plays& plays) {
  std::vector<Play> listed;
  std::transform(plays.begin(), plays.end(), std::back_inserter(listed), play_of);
  return listed;
}

/// Fills in who plays with the hand and who against it, in turn order after it.
void seat_others(const pb::Snapshot& snapshot, const pb::Seating& seating, View& view) {
  const auto& teams = snapshot.teams_size() ? snapshot.teams() : seating.teams();
  std::vector<int> order(snapshot.turn_order().begin(), snapshot.turn_order().end());
  if (order.empty())
    for (int seat = 0; seat < seating.names_size(); ++seat) order.push_back(seat);
  auto own = std::find(order.begin(), order.end(), view.seat);
  if (own == order.end()) return;
  std::rotate(order.begin(), own, order.end());
  auto are_partners = [&teams](int one, int other) {
    int known = teams.size();  // none: everybody plays alone
    return one >= 0 && one < known && other >= 0 && other < known && teams[one] == teams[other];
  };
  for (auto seat = order.begin() + 1; seat != order.end(); ++seat)
    (are_partners(view.seat, *seat) ? view.partners : view.opponents).push_back(*seat);
}

/// The highest bet of each seat, and none for those that decided against one.
std::map<int, std::string> bets_of(const pb::Snapshot& snapshot) {
  std::map<int, int> bets;
  for (const pb::CallMade& made : snapshot.calls()) {
    int call = made.call();
    if (call == pb::CALL_KIND_TICHU || call == pb::CALL_KIND_GRAND ||
        call == pb::CALL_KIND_GREAT_GRAND)
      bets[made.seat()] = std::max(bets[made.seat()], call);  // they are numbered by their height
  }
  std::map<int, std::string> named;
  for (auto [seat, call] : bets) named[seat] = name_of(kCalls, call);
  return named;
}

void read_table(const pb::Snapshot& snapshot, View& view) {
  for (int card : known_cards(snapshot.trick())) view.trick_points += points(card);
  if (!snapshot.has_table()) return;
  view.table = play_of(snapshot.table());
  if (snapshot.has_owner()) view.owner = snapshot.owner();
}

void read_ask(const pb::Ask& ask, View& view) {
  switch (ask.kind_case()) {
    case pb::Ask::kCall:
      view.ask = "call";
      for (int choice : ask.call().choices())
        if (std::string name = name_of(kCalls, choice); !name.empty()) view.choices.push_back(name);
      return;
    case pb::Ask::kExchange:
      view.ask = "exchange";
      view.may_call_tichu = ask.exchange().may_call_tichu();
      for (const pb::ExchangeSlot& slot : ask.exchange().slots())
        view.slots.push_back({static_cast<int>(slot.to_seat()), static_cast<int>(slot.count()),
                              slot.forced_best() || slot.forced_worst()});
      return;
    case pb::Ask::kAct:
      view.ask = "act";
      view.plays = plays_of(ask.act().plays());
      view.may_pass = ask.act().may_pass();
      view.leading = ask.act().leading();
      view.may_call_tichu = ask.act().may_call_tichu();
      return;
    case pb::Ask::kBomb:
      view.ask = "bomb";
      view.plays = plays_of(ask.bomb().plays());
      return;
    case pb::Ask::kChooseSeat:
      view.ask = "choose_seat";
      view.seats.assign(ask.choose_seat().seats().begin(), ask.choose_seat().seats().end());
      view.why = name_of(kReasons, ask.choose_seat().why());
      return;
    case pb::Ask::KIND_NOT_SET:
      view.ask = "unknown";
      return;
  }
}

/// Writes each kind of decision into the message for it.
struct Writer {
  const pb::Ask& ask;
  pb::Answer& answer;

  void operator()(const Default&) { answer.mutable_default_action(); }

  void operator()(const Index& index) {
    if (ask.has_bomb()) {
      answer.mutable_bomb()->set_index(index.place);
      return;
    }
    pb::ActAnswer& act = *answer.mutable_act();
    act.set_index(index.place);
    if (index.wish) act.set_wish(*index.wish);
    act.set_tichu(index.tichu);
  }

  void operator()(const Pass&) { answer.mutable_act()->mutable_pass(); }

  void operator()(const Decline&) { answer.mutable_bomb()->mutable_decline(); }

  void operator()(const Choice& choice) {
    auto call = std::find(kCalls.begin(), kCalls.end(), choice.call);
    if (call == kCalls.end()) throw std::invalid_argument("no such call: " + choice.call);
    answer.mutable_call()->set_choice(static_cast<pb::CallKind>(call - kCalls.begin()));
  }

  void operator()(const Gifts& gifts) {
    pb::ExchangeAnswer& exchange = *answer.mutable_exchange();
    exchange.set_tichu(gifts.tichu);
    for (std::size_t slot = 0; slot < gifts.cards.size(); ++slot) {
      pb::Gift& gift = *exchange.add_gifts();
      gift.set_seat(ask.exchange().slots().at(static_cast<int>(slot)).to_seat());
      for (int card : gifts.cards[slot]) gift.add_cards(static_cast<pb::Card>(card));
    }
  }

  void operator()(const Seat& chosen) { answer.mutable_choose_seat()->set_seat(chosen.seat); }
};

}  // namespace

Cards hand_of(const pb::Snapshot& snapshot, std::uint32_t seat) {
  for (const pb::Gift& hand : snapshot.hands())
    if (hand.seat() == seat) return known_cards(hand.cards());
  return {};
}

View view_of(const pb::Ask& ask, const pb::Snapshot& snapshot, const pb::Seating& seating) {
  View view;
  view.seat = static_cast<int>(ask.for_seat());
  view.hand = hand_of(snapshot, ask.for_seat());
  view.counts.assign(snapshot.hand_counts().begin(), snapshot.hand_counts().end());
  view.calls = bets_of(snapshot);
  view.called = view.calls.count(view.seat) > 0;
  seat_others(snapshot, seating, view);
  read_ask(ask, view);
  // Beside an open window the trick that is about to go is still there.
  if (!view.leading) read_table(snapshot, view);
  return view;
}

void write_answer(const Answer& decided, const pb::Ask& ask, pb::Answer& answer) {
  std::visit(Writer{ask, answer}, decided);
}

}  // namespace tichu_bot
