// Card numbers and text, what cards are worth, bombs in a hand, and the shuffle. No gRPC.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tichu_bot {

/// Numbers of the protocol's enum Card: 4 * rank + suit, the second pack 64 more.
using Cards = std::vector<int>;

constexpr int kDog = 1;
constexpr int kPhoenix = 2;
constexpr int kDragon = 3;
constexpr int kMahJong = 4;
constexpr int kAce = 14;  // a rank

/// True if the number is a card of either pack; a later protocol may have more.
bool is_known(int card);

/// The same card of the first pack.
int face(int card);

/// True if the cards hold this special card, of either pack.
bool holds(const Cards& cards, int special);

/// Reads "Mj 2j Ph'" in the order of the text; throws std::invalid_argument for anything else.
Cards parse(const std::string& text);

/// Writes cards ascending by number, as parse reads them.
std::string show(Cards cards);

/// 2 to 14, the Mah Jong 1, other special cards 0.
int rank(int card);

/// How many of the cards have this rank.
int count_of_rank(const Cards& cards, int rank);

/// Card points: -25 for the Phoenix up to 25 for the Dragon.
int points(int card);

/// To sort from bad to good: the Dog 0, 2 to 14 the rank, Mah Jong 15, Phoenix 16, Dragon 17.
int worth(int card);

/// True if the hand holds four of a rank in four suits, or five ranks in a row of one suit.
bool holds_bomb(const Cards& hand);

/// The order in which these cards are dealt; `seed` is bytes.
Cards shuffle(std::string_view seed, Cards cards);

/// The 32 bytes that tell every seat, before the first card, that the deal is fixed.
std::string commitment(std::string_view match_id, std::string_view seed);

}  // namespace tichu_bot
