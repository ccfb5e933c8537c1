#include "strategy.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tichu_bot {
namespace {

constexpr int kStrongBet = 12;    // from which on a Grand is called on the first cards
constexpr int kStrongTichu = 11;  // and a Tichu with a whole hand
constexpr int kRichTrick = 20;    // points that are worth a bomb
constexpr int kPoorTrick = 10;    // fewer are not worth a dear card
constexpr int kDear = 28;         // half ranks: an ace, and all that is higher
constexpr int kLowTable = 16;     // half ranks: on more a partner's play stays
constexpr int kCheap = 22;        // half ranks: the most that goes on a partner's play
constexpr int kLowest = 2;        // a rank

/// Place of a play in the list.
using Place = std::optional<int>;

template <class Item>
bool contains(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

const Play& play_at(const View& view, int place) { return view.plays.at(place); }

// Calls

/// 4 for each Dragon and Phoenix, 2 for each ace.
int high_cards(const Cards& hand) {
  auto great = std::count_if(hand.begin(), hand.end(), [](int card) {
    return face(card) == kDragon || face(card) == kPhoenix;
  });
  return 4 * static_cast<int>(great) + 2 * count_of_rank(hand, kAce);
}

/// Lets calls of others stand, and bets on a strong hand.
Answer decide_call(const View& view) {
  auto offers = [&view](const char* call) { return contains<std::string>(view.choices, call); };
  if (offers("accept")) return Choice{"accept"};
  bool strong = high_cards(view.hand) >= kStrongBet;
  if (offers("grand")) return Choice{strong ? "grand" : "no_grand"};
  if (offers("bid_3")) return Choice{strong ? "bid_3" : "bid_0"};
  if (offers("great_grand")) return Choice{"no_great_grand"};
  return Default{};
}

// Exchange

/// Takes the best card that is no special one, or the lowest card, out of a sorted hand.
int take(Cards& rest, bool best) {
  auto at = rest.begin();
  if (best) {
    auto ranked = std::find_if(rest.rbegin(), rest.rend(),
                               [](int card) { return worth(card) <= kAce; });
    if (ranked != rest.rend()) at = std::prev(ranked.base());
  }
  int card = *at;
  rest.erase(at);
  return card;
}

/// Gives partners the best ranked cards, everybody else the lowest.
Answer decide_exchange(const View& view) {
  std::size_t owed = 0;
  for (const Slot& slot : view.slots) {
    if (slot.forced) return Default{};
    owed += slot.count;
  }
  if (owed > view.hand.size()) return Default{};
  Cards rest = view.hand;
  std::sort(rest.begin(), rest.end(), [](int one, int other) {
    return std::tuple(worth(one), one) < std::tuple(worth(other), other);
  });
  Gifts gifts;
  for (const Slot& slot : view.slots) {
    Cards gift;
    for (int i = 0; i < slot.count; ++i)
      gift.push_back(take(rest, contains(view.partners, slot.to_seat)));
    std::sort(gift.begin(), gift.end());
    gifts.cards.push_back(gift);
  }
  return gifts;
}

// Who gets the Dragon's trick, or the lead

/// Names the seat with the most cards, of equal ones the first.
Answer decide_seat(const View& view) {
  if (view.seats.empty()) return Default{};
  return Seat{*std::max_element(view.seats.begin(), view.seats.end(), [&view](int one, int other) {
    return view.counts.at(one) < view.counts.at(other);
  })};
}

// Bombs

bool is_bomb(const Play& play) { return play.kind == "bomb"; }

Place first_bomb(const View& view) {
  auto bomb = std::find_if(view.plays.begin(), view.plays.end(), is_bomb);
  if (bomb == view.plays.end()) return std::nullopt;
  return static_cast<int>(bomb - view.plays.begin());
}

/// True if no card is left after the play.
bool empties(const View& view, const Play& play) {
  return play.cards.size() == view.hand.size();
}

/// True if the bomb empties the hand, or takes something from an opponent.
bool worth_a_bomb(const View& view, const Play& bomb) {
  if (empties(view, bomb)) return true;
  if (!view.owner || !contains(view.opponents, *view.owner)) return false;
  int left = view.counts.at(*view.owner);
  return view.trick_points >= kRichTrick || left <= 2 ||
         (view.calls.count(*view.owner) && left <= 6);
}

/// Throws the first bomb out of turn where that is worth it.
Answer decide_bomb(const View& view) {
  Place bomb = first_bomb(view);
  if (!bomb || !worth_a_bomb(view, play_at(view, *bomb))) return Decline{};
  return Index{*bomb, std::nullopt, false};
}

// Plays

/// Places of the plays that are no bombs.
std::vector<int> no_bombs(const View& view) {
  std::vector<int> places;
  for (std::size_t place = 0; place < view.plays.size(); ++place)
    if (!is_bomb(view.plays[place])) places.push_back(static_cast<int>(place));
  return places;
}

/// How many cards stay in the hand of the ranks that the play takes from.
int left_of(const View& view, const Play& play) {
  int left = 0;
  for (int of = kLowest; of <= kAce; ++of)
    if (int taken = count_of_rank(play.cards, of)) left += count_of_rank(view.hand, of) - taken;
  return left;
}

/// True if the play is this special card alone.
bool is_alone(const Play& play, int special) {
  return play.cards.size() == 1 && face(play.cards.front()) == special;
}

/// The place with the lowest cost, of equal ones the first.
template <class Cost>
int cheapest(const View& view, const std::vector<int>& places, Cost cost) {
  return *std::min_element(places.begin(), places.end(), [&](int one, int other) {
    return cost(view, play_at(view, one)) < cost(view, play_at(view, other));
  });
}

// A turn

/// The first play that empties the hand, a bomb only if nothing else does.
Place last_play(const View& view) {
  Place last;
  for (std::size_t place = 0; place < view.plays.size(); ++place) {
    const Play& play = view.plays[place];
    if (!empties(view, play)) continue;
    if (!is_bomb(play)) return static_cast<int>(place);
    if (!last) last = static_cast<int>(place);
  }
  return last;
}

/// What it costs to lead the play: low and many cards cost least.
int cost_to_lead(const View& view, const Play& play) {
  int size = static_cast<int>(play.cards.size());
  int cost = play.rank_halves - 6 * (size - 1) + 5 * left_of(view, play);
  if (size > 1) return cost + (holds(play.cards, kPhoenix) ? 24 : 0);
  if (is_alone(play, kPhoenix) || is_alone(play, kDragon) || is_alone(play, kDog)) cost += 40;
  bool last_card = std::any_of(view.opponents.begin(), view.opponents.end(),
                               [&view](int seat) { return view.counts.at(seat) == 1; });
  // Whoever has one card waits for a low single.
  return last_card ? cost + 60 - 2 * play.rank_halves : cost;
}

/// The place of the Dog, if a partner can use the lead, else of the cheapest play.
int lead(const View& view) {
  bool partner_plays = std::any_of(view.partners.begin(), view.partners.end(),
                                   [&view](int seat) { return view.counts.at(seat) > 0; });
  std::vector<int> all;
  for (std::size_t place = 0; place < view.plays.size(); ++place) {
    if (!view.called && partner_plays && is_alone(view.plays[place], kDog))
      return static_cast<int>(place);
    all.push_back(static_cast<int>(place));
  }
  std::vector<int> places = no_bombs(view);
  return cheapest(view, places.empty() ? all : places, cost_to_lead);
}

/// What it costs to play on the table: low cards that leave nothing torn cost least.
int cost_to_follow(const View& view, const Play& play) {
  bool joker = play.cards.size() > 1 && holds(play.cards, kPhoenix);
  return play.rank_halves + 5 * left_of(view, play) + (joker ? 20 : 0);
}

/// True if some opponent has only one or two cards.
bool is_danger(const View& view) {
  return std::any_of(view.opponents.begin(), view.opponents.end(), [&view](int seat) {
    return view.counts.at(seat) == 1 || view.counts.at(seat) == 2;
  });
}

/// True if a partner's play stays: only a cheap one goes on a low one.
bool leaves_to_partner(const View& view, const Play& best) {
  if (!view.owner || !contains(view.partners, *view.owner) || !view.table) return false;
  bool cheap = best.rank_halves <= kCheap && !is_alone(best, kPhoenix) && !is_alone(best, kDragon);
  return view.table->rank_halves > kLowTable || !cheap || is_danger(view);
}

/// True if the best play is too dear for this trick, and waits.
bool saves(const View& view, const Play& best) {
  bool dear = best.rank_halves >= kDear || holds(best.cards, kPhoenix);
  bool waits = view.trick_points < kPoorTrick && view.hand.size() > 6;
  return dear && waits && !view.called && !is_danger(view);
}

/// The place of what goes on the table; nothing: pass.
Place follow(const View& view) {
  Place bomb = first_bomb(view);
  bool bombs = bomb && worth_a_bomb(view, play_at(view, *bomb));
  std::vector<int> places = no_bombs(view);
  if (places.empty()) return bombs || !view.may_pass ? bomb : std::nullopt;
  int place = cheapest(view, places, cost_to_follow);
  const Play& best = play_at(view, place);
  if (view.may_pass && (leaves_to_partner(view, best) || saves(view, best))) return std::nullopt;
  if (view.may_pass && bombs && best.rank_halves < kDear) return bomb;
  return place;
}

/// The highest rank of which the hand has no card: somebody else must play it.
int rank_to_wish_for(const Cards& hand) {
  for (int wish = kAce; wish > kLowest; --wish)
    if (!count_of_rank(hand, wish)) return wish;
  return kLowest;
}

/// Counts high cards and bombs, and the low cards that are alone of their rank against them.
int strength(const Cards& hand) {
  int sum = high_cards(hand);
  for (int of = kLowest; of <= kAce; ++of) {
    int count = count_of_rank(hand, of);
    if (count >= 4) sum += 4;
    if (count == 1 && of <= 9) sum -= 1;
  }
  return sum;
}

/// True if the hand is strong enough for a Tichu that nobody else of the team called.
bool calls_tichu(const View& view) {
  if (!view.may_call_tichu || view.called) return false;
  bool partner_called = std::any_of(view.partners.begin(), view.partners.end(),
                                    [&view](int seat) { return view.calls.count(seat) > 0; });
  return !partner_called && strength(view.hand) >= kStrongTichu;
}

/// Plays, with the wish and the Tichu that go with it.
Answer with_play(const View& view, int place) {
  Index answer{place, std::nullopt, calls_tichu(view)};
  if (holds(play_at(view, place).cards, kMahJong)) answer.wish = rank_to_wish_for(view.hand);
  return answer;
}

/// Plays or passes.
Answer decide_act(const View& view) {
  if (view.plays.empty()) return view.may_pass ? Answer(Pass{}) : Default{};
  Place place = last_play(view);
  if (!place) place = view.leading ? lead(view) : follow(view);
  return place ? with_play(view, *place) : Pass{};
}

}  // namespace

Answer decide(const View& view) {
  if (view.ask == "call") return decide_call(view);
  if (view.ask == "exchange") return decide_exchange(view);
  if (view.ask == "choose_seat") return decide_seat(view);
  if (view.ask == "bomb") return decide_bomb(view);
  if (view.ask == "act") return decide_act(view);
  return Default{};
}

}  // namespace tichu_bot
