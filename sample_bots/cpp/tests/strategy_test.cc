#include "strategy.h"

#include "test.h"

namespace tichu_bot::test {
namespace {

using nlohmann::json;

Play read_play(const json& play) {
  return {parse(play.at("cards")), play.at("kind"), play.value("rank_halves", 0)};
}

/// A view as the vectors state it: a key that is empty is left out.
View read_view(const json& view) {
  View read;
  read.ask = view.at("ask");
  read.seat = view.at("seat");
  read.partners = view.value("partners", std::vector<int>());
  read.opponents = view.value("opponents", std::vector<int>());
  read.hand = parse(view.value("hand", ""));
  read.counts = view.value("counts", std::vector<int>());
  for (const json& play : view.value("plays", json::array())) read.plays.push_back(read_play(play));
  read.may_pass = view.value("may_pass", false);
  read.leading = view.value("leading", false);
  read.may_call_tichu = view.value("may_call_tichu", false);
  if (view.contains("table")) read.table = read_play(view["table"]);
  if (view.contains("owner")) read.owner = view["owner"];
  read.trick_points = view.value("trick_points", 0);
  const json calls = view.value("calls", json::object());
  for (const auto& [seat, call] : calls.items()) read.calls[std::stoi(seat)] = call;
  read.called = view.value("called", false);
  read.choices = view.value("choices", std::vector<std::string>());
  for (const json& slot : view.value("slots", json::array()))
    read.slots.push_back({slot.at("to_seat"), slot.at("count"), slot.value("forced", false)});
  read.seats = view.value("seats", std::vector<int>());
  read.why = view.value("why", "");
  return read;
}

/// An answer as the vectors state it.
struct Written {
  json operator()(const Default&) { return {{"default", true}}; }
  json operator()(const Pass&) { return {{"pass", true}}; }
  json operator()(const Decline&) { return {{"decline", true}}; }
  json operator()(const Choice& choice) { return {{"choice", choice.call}}; }
  json operator()(const Seat& chosen) { return {{"seat", chosen.seat}}; }

  json operator()(const Index& index) {
    json written{{"index", index.place}};
    if (index.wish) written["wish"] = *index.wish;
    if (index.tichu) written["tichu"] = true;
    return written;
  }

  json operator()(const Gifts& gifts) {
    json written{{"gifts", json::array()}};
    for (const Cards& cards : gifts.cards) written["gifts"].push_back(show(cards));
    if (gifts.tichu) written["tichu"] = true;
    return written;
  }
};

void check_answers(const std::vector<json>& lines) {
  for (const json& line : lines) {
    const json answer = std::visit(Written{}, decide(read_view(line.at("view"))));
    const std::string id = line.at("id"), title = line.at("title");
    check_equal(answer, line.at("answer"), id + ", " + title);
  }
}

const Add kForced("ten views leave no choice", [] {
  std::vector<json> lines = vectors("views.jsonl", 10);
  lines.resize(10);
  check_answers(lines);
});

const Add kViews("every view gets the answer of the vectors", [] {
  check_answers(vectors("views.jsonl", 310));
});

}  // namespace
}  // namespace tichu_bot::test
