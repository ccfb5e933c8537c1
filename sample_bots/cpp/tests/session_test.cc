#include "session.h"

#include "frames.h"
#include "test.h"
#include "wire.h"

namespace tichu_bot::test {
namespace {

using Ints = std::vector<int>;

Session new_session() { return {"a bot", 8}; }

/// What a frame is answered with, as text; "-" without an answer.
std::string answers_to(Session& session, const pb::PlayResponse& frame) {
  auto out = session.reply(frame);
  return out ? decisions(*out) : "-";
}

const Add kOneFrame("one frame answers all asks of a frame, over all matches, and its ping", [] {
  pb::PlayResponse frame;
  frame.mutable_ping()->set_number(7);
  pb::Update& first = add_update(frame, 1);
  first.add_asks()->set_ask_id(1);
  first.mutable_asks(0)->mutable_call()->add_choices(pb::CALL_KIND_GRAND);
  pb::Update& second = add_update(frame, 2);
  set_seating(second, {0, 1, 0, 1});
  set_hand(second, 2, "Dr 2j 3j Ar");
  pb::Ask& ask = *second.add_asks();
  ask.set_ask_id(4);
  ask.set_for_seat(2);
  for (int seat : {3, 0, 1}) {
    ask.mutable_exchange()->add_slots()->set_to_seat(seat);
    ask.mutable_exchange()->mutable_slots()->rbegin()->set_count(1);
  }
  pb::Ask& bomb = *add_update(frame, 3).add_asks();
  bomb.set_ask_id(9);
  bomb.mutable_bomb();
  pb::Update& third = add_update(frame, 4);
  add_turn(third, 1);
  add_turn(third, 2);
  third.add_cancelled()->set_ask_id(1);
  Session session = new_session();
  const auto out = session.reply(frame);
  check(out.has_value(), "an answer");
  check_equal(out->pong().number(), 7u, "pong");
  check_equal(decisions(*out), std::string("1/1 call, 2/4 exchange, 3/9 bomb, 4/2 act"), "all");
  check_equal(static_cast<int>(out->answers(0).call().choice()), 3, "no Grand on no cards");
  std::string gifts;
  for (const pb::Gift& gift : out->answers(1).exchange().gifts())
    gifts += std::to_string(gift.seat()) + show({gift.cards().begin(), gift.cards().end()}) + " ";
  check_equal(gifts, std::string("32j 0Ar 13j "), "the partner gets the ace");
  check(out->answers(2).bomb().has_decline(), "no bomb");
  check(out->answers(3).act().choice_case() == pb::ActAnswer::kIndex, "a play by its index");
});

const Add kQuiet("a frame that asks nothing is not answered", [] {
  Session session = new_session();
  pb::PlayResponse frame;
  frame.mutable_welcome()->set_session_token("again");
  check(!session.hello().hello().has_session_token(), "no session at first");
  check_equal(answers_to(session, frame), std::string("-"), "welcome");
  check_equal(session.hello().hello().session_token(), std::string("again"), "then this one");
});

const Add kRefused("a refused answer is followed once by the substitute action", [] {
  Session session = new_session();
  check_equal(answers_to(session, refusal(5, 2)), std::string("-"), "nothing was answered");
  check_equal(answers_to(session, turn(5)), std::string("1/5 act"), "a play");
  check_equal(answers_to(session, refusal(5, 1)), std::string("1/5 default"), "refused");
  check_equal(answers_to(session, refusal(5, 1)), std::string("-"), "refused again");
  check_equal(answers_to(session, turn(6)), std::string("1/6 act"), "a play");
  check_equal(answers_to(session, refusal(6, 0)), std::string("-"), "no more tries");
  check_equal(answers_to(session, turn(7)), std::string("1/7 act"), "a play");
  pb::PlayResponse cancelled = refusal(7, 1);
  cancelled.mutable_updates(0)->add_cancelled()->set_ask_id(7);
  check_equal(answers_to(session, cancelled), std::string("-"), "no longer open");
});

pb::PlayResponse window(const std::string& cards, pb::Pace pace, int round, pb::Phase phase) {
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  set_seating(update, {0, 1, 0, 1}, pace);
  set_hand(update, 3, cards);
  update.mutable_snapshot()->set_round(round);
  update.mutable_snapshot()->set_phase(phase);
  update.add_asks()->set_ask_id(1);
  update.mutable_asks(0)->set_for_seat(3);
  update.mutable_asks(0)->mutable_bomb();
  return frame;
}

int stand_downs(Session& session, const pb::PlayResponse& frame) {
  return session.reply(frame)->stand_downs_size();
}

const Add kStandDown("a hand without a bomb stands down once a round, in pace fair", [] {
  const std::string none = "2j 2s 2p 3r", bomb = "2j 2s 2p 2r";
  Session session = new_session();
  check_equal(stand_downs(session, window(none, pb::PACE_FAIR, 1, pb::PHASE_EXCHANGE)), 0, "early");
  check_equal(stand_downs(session, window(none, pb::PACE_FAST, 1, pb::PHASE_PLAY)), 0, "fast");
  check_equal(stand_downs(session, window(bomb, pb::PACE_FAIR, 1, pb::PHASE_PLAY)), 0, "a bomb");
  check_equal(stand_downs(session, window(none, pb::PACE_FAIR, 1, pb::PHASE_PLAY)), 1, "none");
  check_equal(stand_downs(session, window(none, pb::PACE_FAIR, 1, pb::PHASE_DOG)), 0, "again");
  check_equal(stand_downs(session, window(none, pb::PACE_FAIR, 2, pb::PHASE_CLOSING)), 1, "round");
  pb::PlayResponse known = window(none, pb::PACE_FAIR, 3, pb::PHASE_PLAY);
  known.mutable_updates(0)->mutable_snapshot()->add_stood_down(3);
  check_equal(stand_downs(session, known), 0, "the referee knows it");
});

const Add kBack("after a lost link a stand-down that was lost with it is sent again", [] {
  const pb::PlayResponse asked = window("2j 3s 4p 5r", pb::PACE_FAIR, 1, pb::PHASE_PLAY);
  Session session = new_session();
  check_equal(stand_downs(session, asked), 1, "first");
  pb::PlayResponse back = asked;
  back.mutable_welcome()->set_resumed(true);
  check_equal(stand_downs(session, back), 1, "on the new stream");
});

const Add kSides("partners and opponents go by the teams of the round, in its turn order", [] {
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  set_seating(update, {0, 1, 0, 1});
  add_turn(update, 1, 1);
  set_hand(update, 1, "6r");
  auto view = [&update] {
    return view_of(update.asks(0), update.snapshot(), update.seating());
  };
  check_equal(view().partners, Ints{3}, "partners of the match");
  check_equal(view().opponents, Ints{2, 0}, "opponents of the match");
  for (int seat : {3, 0, 2, 1}) update.mutable_snapshot()->add_turn_order(seat);
  for (int team : {1, 1, 0, 0}) update.mutable_snapshot()->add_teams(team);
  check_equal(view().partners, Ints{0}, "partners of the round");
  check_equal(view().opponents, Ints{3, 2}, "opponents of the round");
  update.mutable_snapshot()->clear_teams();
  update.mutable_seating()->clear_teams();
  check_equal(view().partners, Ints{}, "no teams");
  check_equal(view().opponents, Ints{3, 0, 2}, "everybody else");
});

const Add kView("a view holds what snapshot and ask say", [] {
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  set_seating(update, {0, 1, 0, 1});
  set_hand(update, 2, "6r Mj", {3, 4, 2, 5});
  add_turn(update, 1, 2);
  update.mutable_asks(0)->mutable_act()->set_may_call_tichu(true);
  pb::Snapshot& snapshot = *update.mutable_snapshot();
  for (auto [seat, call] : {std::pair(0, pb::CALL_KIND_NO_GRAND), {1, pb::CALL_KIND_GRAND},
                            {2, pb::CALL_KIND_TICHU}, {1, pb::CALL_KIND_TICHU}}) {
    snapshot.add_calls()->set_seat(seat);
    snapshot.mutable_calls()->rbegin()->set_call(call);
  }
  const auto ask = [&] { return view_of(update.asks(0), snapshot, update.seating()); };
  check(!ask().table && ask().may_call_tichu, "an empty table");
  check_equal(show(ask().hand), std::string("Mj 6r"), "hand");
  check_equal(ask().counts, Ints{3, 4, 2, 5}, "counts");
  check_equal(ask().calls, std::map<int, std::string>{{1, "grand"}, {2, "tichu"}}, "calls");
  check(ask().called, "called");
  snapshot.mutable_table()->add_cards(pb::CARD_JADE_5);
  snapshot.mutable_table()->set_rank_halves(10);
  snapshot.set_owner(0);
  for (pb::Card card : {pb::CARD_JADE_5, pb::CARD_STAR_KING}) snapshot.add_trick(card);
  View view = ask();
  check(!view.leading && view.table->rank_halves == 10 && *view.owner == 0, "a table");
  check_equal(view.trick_points, 15, "points");
  update.mutable_asks(0)->mutable_act()->set_leading(true);  // once the trick is taken
  view = ask();
  check(view.leading && !view.table && !view.owner && !view.trick_points, "a lead");
});

const Add kFuture("fields, kinds and numbers of a later protocol do no harm", [] {
  const auto field = [](int number, const std::string& body) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(body.size())} + body;
  };
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  set_hand(update, 0, "6r");
  update.mutable_snapshot()->mutable_hands(0)->add_cards(static_cast<pb::Card>(127));
  update.mutable_snapshot()->set_phase(static_cast<pb::Phase>(99));
  update.add_events()->MergeFromString(field(15, "") + std::string("\x08\x01"));
  pb::Ask& unknown = *update.add_asks();
  check(unknown.ParseFromString(std::string("\x08\x01", 2) + field(15, "")), "ask of a new kind");
  pb::Ask& act = *update.add_asks();
  act.set_ask_id(2);
  pb::Play& play = *act.mutable_act()->add_plays();
  play.add_cards(static_cast<pb::Card>(127));
  play.set_kind(static_cast<pb::PlayKind>(99));
  add_play(*act.mutable_act(), "6r", pb::PLAY_KIND_SINGLE, 12);
  pb::Ask& call = *update.add_asks();
  call.set_ask_id(3);
  call.mutable_call()->add_choices(static_cast<pb::CallKind>(99));
  update.add_acks()->set_status(static_cast<pb::AckStatus>(99));
  update.add_cancelled()->set_reason(static_cast<pb::CancelReason>(99));
  pb::PlayResponse known;
  check(known.ParseFromString(frame.SerializeAsString() + "\xfa\x07" + std::string(1, '\0')),
        "a frame with a new field");
  Session session = new_session();
  const auto out = session.reply(known);
  check_equal(decisions(*out), std::string("1/1 default, 1/2 act, 1/3 default"), "answers");
  check_equal(out->answers(1).act().index(), 1u, "the listed index counts");
});

const Add kFailure("where the strategy fails the substitute action is taken", [] {
  pb::PlayResponse frame;
  pb::Update& update = add_update(frame);
  set_seating(update, {0, 1, 0, 1});
  set_hand(update, 0, "6r 7r", {});  // no counts: nobody can say whether an opponent is nearly out
  add_turn(update, 1);
  update.mutable_asks(0)->mutable_act()->set_leading(true);
  Session session = new_session();
  check_equal(answers_to(session, frame), std::string("1/1 default"), "an answer");
});

}  // namespace
}  // namespace tichu_bot::test
