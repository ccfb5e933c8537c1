#include "cards.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <stdexcept>

namespace tichu_bot {
namespace {

constexpr int kSecondPack = 64;
constexpr std::string_view kRanks = "23456789TJQKA";
constexpr std::string_view kSuits = "jspr";
constexpr std::array<std::string_view, 5> kSpecials = {"", "Dg", "Ph", "Dr", "Mj"};  // by number
constexpr int kStraightBomb = 5;  // ranks in a row

int parse_card(std::string_view text) {
  std::string_view name = text.substr(0, 2);
  int pack = text.substr(name.size()) == "'" ? kSecondPack : 0;
  if (name.size() == 2 && text.size() == (pack ? 3u : 2u)) {
    auto special = std::find(kSpecials.begin(), kSpecials.end(), name);
    if (special != kSpecials.end()) return pack + static_cast<int>(special - kSpecials.begin());
    std::size_t rank = kRanks.find(name[0]), suit = kSuits.find(name[1]);
    if (rank != kRanks.npos && suit != kSuits.npos)
      return pack + 4 * (static_cast<int>(rank) + 2) + static_cast<int>(suit);
  }
  throw std::invalid_argument("no card: " + std::string(text));
}

std::string name_of(int card) {
  int first = face(card);
  std::string name(first <= kMahJong ? kSpecials.at(first) : "");
  if (first > kMahJong) name = {kRanks.at(first / 4 - 2), kSuits[first % 4]};
  return card == first ? name : name + "'";
}

std::string sha256(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (!EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr))
    throw std::runtime_error("SHA-256 failed");
  return {digest.begin(), digest.begin() + size};
}

/// A number as `size` bytes, the highest first.
std::string big_endian(std::uint64_t number, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// The stream of 32-bit words that a deal is drawn from.
class Words {
 public:
  explicit Words(std::string_view seed) : seed_(seed) {}

  /// A number from 0 to n - 1, each as likely as any other.
  std::uint32_t below(std::uint32_t n) {
    const std::uint64_t limit = n * ((std::uint64_t{1} << 32) / n);
    std::uint32_t word = next();
    while (word >= limit) word = next();
    return word % n;
  }

 private:
  std::uint32_t next() {
    if (at_ == block_.size()) {
      block_ = sha256(seed_ + big_endian(blocks_++, 8));
      at_ = 0;
    }
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(block_[at_++]);
    return word;
  }

  std::string seed_;
  std::string block_;
  std::size_t at_ = 0;  // in the block
  std::uint64_t blocks_ = 0;
};

}  // namespace

bool is_known(int card) {
  int first = face(card);
  return card >= 0 && card < 2 * kSecondPack &&
         ((first >= kDog && first <= kMahJong) || (first >= 8 && first < 60));
}

int face(int card) { return card % kSecondPack; }

bool holds(const Cards& cards, int special) {
  return std::any_of(cards.begin(), cards.end(),
                     [special](int card) { return face(card) == special; });
}

Cards parse(const std::string& text) {
  Cards cards;
  std::istringstream words(text);
  for (std::string word; words >> word;) cards.push_back(parse_card(word));
  return cards;
}

std::string show(Cards cards) {
  std::sort(cards.begin(), cards.end());
  std::string text;
  for (int card : cards) text += (text.empty() ? "" : " ") + name_of(card);
  return text;
}

int rank(int card) {
  int first = face(card);
  return first > kMahJong ? first / 4 : first == kMahJong ? 1 : 0;
}

int count_of_rank(const Cards& cards, int wanted) {
  return static_cast<int>(std::count_if(cards.begin(), cards.end(),
                                        [wanted](int card) { return rank(card) == wanted; }));
}

int points(int card) {
  if (face(card) == kDragon) return 25;
  if (face(card) == kPhoenix) return -25;
  int of = rank(card);
  return of == 5 ? 5 : of == 10 || of == 13 ? 10 : 0;
}

int worth(int card) {
  switch (face(card)) {
    case kMahJong: return 15;
    case kPhoenix: return 16;
    case kDragon: return 17;
    default: return rank(card);
  }
}

bool holds_bomb(const Cards& hand) {
  std::array<std::array<bool, 4>, kAce + 1> held{};  // by rank and suit, of either pack
  for (int card : hand)
    if (rank(card) >= 2) held[rank(card)][card % 4] = true;
  std::array<int, 4> in_a_row{};
  for (const auto& suits : held) {
    if (std::all_of(suits.begin(), suits.end(), [](bool is) { return is; })) return true;
    for (std::size_t suit = 0; suit < 4; ++suit) {
      in_a_row[suit] = suits[suit] ? in_a_row[suit] + 1 : 0;
      if (in_a_row[suit] >= kStraightBomb) return true;
    }
  }
  return false;
}

Cards shuffle(std::string_view seed, Cards cards) {
  Words words(seed);
  for (std::size_t i = cards.size(); i-- > 1;)
    std::swap(cards[i], cards[words.below(static_cast<std::uint32_t>(i) + 1)]);
  return cards;
}

std::string commitment(std::string_view match_id, std::string_view seed) {
  return sha256("tichu-commit" + std::string(match_id) + std::string(seed));
}

}  // namespace tichu_bot
