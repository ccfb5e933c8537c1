#include "cards.h"

#include <stdexcept>

#include "test.h"

namespace tichu_bot::test {
namespace {

using nlohmann::json;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  return bytes;
}

bool is_refused(const std::string& text) {
  try {
    parse(text);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

void check_line(const json& line) {
  const std::string text = line["text"];
  if (line.contains("error")) {
    check(is_refused(text), "no cards: " + text);
    return;
  }
  const Cards cards = parse(text);
  std::vector<int> ranks;
  int sum = 0;
  for (int card : cards) {
    check(is_known(card), text);
    ranks.push_back(rank(card));
    sum += points(card);
  }
  check_equal(cards, line["cards"].get<Cards>(), text);
  check_equal(ranks, line["ranks"].get<std::vector<int>>(), "ranks of " + text);
  check_equal(sum, line["points"].get<int>(), "points of " + text);
  check_equal(holds_bomb(cards), line["bomb"].get<bool>(), "a bomb in " + text);
  check_equal(show({cards.rbegin(), cards.rend()}), text, "text");
}

const Add kCards("cards are read, written and counted as in the vectors", [] {
  for (const json& line : vectors("cards.jsonl", 100)) check_line(line);
});

const Add kKnown("a number that is no card is not known", [] {
  for (int number : {-60, -1, 0, 5, 7, 60, 63, 64, 69, 71, 124, 127, 128, 136, 1000})
    check(!is_known(number), std::to_string(number));
});

const Add kShuffle("cards are dealt and the deal is fixed as in the vectors", [] {
  for (const json& line : vectors("shuffle.jsonl", 17)) {
    if (line.contains("commit")) {
      const std::string match = line["match_id"];
      const std::string seed = from_hex(line["deal_seed"]);
      check_equal(commitment(match, seed) == from_hex(line["commit"]), true, "commit of " + match);
      continue;
    }
    const Cards order = shuffle(from_hex(line["seed"]), line["cards"].get<Cards>());
    check_equal(order, line["order"].get<Cards>(), "order of seed " + line["seed"].dump());
  }
});

}  // namespace
}  // namespace tichu_bot::test
