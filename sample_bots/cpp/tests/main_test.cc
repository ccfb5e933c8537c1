// The built bot against a referee that follows a script.
#include <csignal>
#include <thread>

#include "bot_process.h"
#include "frames.h"
#include "scripted_referee.h"
#include "test.h"

namespace tichu_bot::test {
namespace {

using Strings = std::vector<std::string>;

Strings to(const std::string& address) { return {"TICHU_SERVER=" + address}; }

bool says(const Exited& exited, const std::string& text) {
  return exited.errors.find(text) != std::string::npos;
}

void check_code(const Exited& exited, int code) {
  check_equal(exited.code, code, "exit status; it said: " + exited.errors);
  check_equal(exited.output, std::string(), "stdout");
}

/// Asks once more and sees the answer: the bot is there and plays.
void plays_on(BotStream& stream, int ask_id) {
  stream.send(turn(ask_id));
  check_equal(decisions(stream.frame()), "1/" + std::to_string(ask_id) + " act", "answer");
}

Exited says_goodbye(BotProcess& bot, BotStream& stream, int signal, const std::string& name) {
  bot.signal(signal);
  check_equal(stream.frame().goodbye().text(), name, "Goodbye");
  check(!stream.next(), "it ends its side");
  stream.end();
  Exited exited = bot.exit();
  check_code(exited, 0);
  return exited;
}

pb::PlayResponse redirect(const std::string& address) {
  pb::PlayResponse frame;
  frame.mutable_redirect()->set_address(address);
  return frame;
}

pb::PlayResponse closing(int code, bool retry) {
  pb::PlayResponse frame;
  frame.mutable_closing()->set_code(static_cast<pb::ClosingCode>(code));
  frame.mutable_closing()->set_text("because");
  frame.mutable_closing()->set_retry(retry);
  return frame;
}

const Add kHello("Hello names bot and protocol, the token travels as metadata", [] {
  ScriptedReferee referee;
  BotProcess bot({"TICHU_SERVER=" + referee.address(), "TICHU_TOKEN=secret", "TICHU_BOT_NAME=Ada"},
                 {"--matches", "8"});
  auto stream = referee.stream();
  check_equal(stream->authorization(), std::string("Bearer secret"), "token");
  const pb::Hello hello = stream->welcome();
  check_equal(hello.protocol_version(), 1u, "protocol");
  check_equal(hello.bot_name(), std::string("Ada"), "name");
  check_equal(hello.max_matches(), 8u, "matches");
  check(!hello.has_session_token(), "a new session");
  plays_on(*stream, 1);
  const Exited exited = says_goodbye(bot, *stream, SIGTERM, "SIGTERM");
  check_equal(exited.errors, "connected to " + referee.address() + " as Ada\n", "stderr");
});

const Add kPing("a ping is answered with its number", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  auto stream = referee.stream();
  stream->welcome();
  for (std::uint32_t number : {0u, 7u, 4294967295u}) {
    pb::PlayResponse frame;
    frame.mutable_ping()->set_number(number);
    stream->send(frame);
    check_equal(stream->frame().pong().number(), number, "pong");
  }
  says_goodbye(bot, *stream, SIGINT, "SIGINT");
});

const Add kMany("512 matches in a frame are answered in one frame", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()), {"--matches", "512"});
  auto stream = referee.stream();
  stream->welcome();
  pb::PlayResponse frame;
  for (int match = 1; match <= 512; ++match) add_turn(add_update(frame, match), match);
  stream->send(frame);
  check_equal(stream->frame().answers_size(), 512, "answers");
  says_goodbye(bot, *stream, SIGTERM, "SIGTERM");
});

const Add kRefused("a refused answer is followed by the substitute action", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  auto stream = referee.stream();
  stream->welcome();
  plays_on(*stream, 5);
  stream->send(refusal(5, 2));
  check_equal(decisions(stream->frame()), std::string("1/5 default"), "answer");
  says_goodbye(bot, *stream, SIGTERM, "SIGTERM");
});

const Add kUnknown("an ask of an unknown kind gets the substitute action", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  auto stream = referee.stream();
  stream->welcome();
  pb::PlayResponse frame;
  add_update(frame).add_asks()->set_ask_id(3);
  stream->send(frame);
  check_equal(decisions(stream->frame()), std::string("1/3 default"), "answer");
  stream->send(closing(99, false));
  stream->end();
  check_code(bot.exit(), 4);
});

const Add kBack("after a lost link the bot is back with its session", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  auto first = referee.stream();
  first->welcome("come back");
  plays_on(*first, 1);
  first->end({grpc::StatusCode::UNAVAILABLE, "the link broke"});
  auto second = referee.stream();
  check_equal(second->welcome("newer", true).session_token(), std::string("come back"), "token");
  plays_on(*second, 1);
  second->end();
  auto third = referee.stream();
  check_equal(third->welcome().session_token(), std::string("newer"), "token");
  plays_on(*third, 2);
  says_goodbye(bot, *third, SIGTERM, "SIGTERM");
});

const Add kRestart("a bot waits for a referee that starts anew on its socket", [] {
  TemporaryFolder folder;
  const std::string address = "unix:" + folder.file("referee");
  auto referee = std::make_unique<ScriptedReferee>(address);
  BotProcess bot(to(address));
  referee->stream()->welcome("kept");
  referee.reset();
  referee = std::make_unique<ScriptedReferee>(address);
  auto stream = referee->stream();
  check_equal(stream->welcome().session_token(), std::string("kept"), "token");
  says_goodbye(bot, *stream, SIGTERM, "SIGTERM");
});

const Add kOrder("servers are tried in the order of the list", [] {
  TemporaryFolder folder;
  ScriptedReferee referee("unix:" + folder.file("referee"));
  BotProcess bot(to("unix:" + folder.file("nobody") + ", " + referee.address()));
  auto stream = referee.stream();
  stream->welcome();
  plays_on(*stream, 1);
  says_goodbye(bot, *stream, SIGTERM, "SIGTERM");
});

const Add kRedirects("five redirects in a row are followed, a sixth is not", [] {
  ScriptedReferee here, there;
  BotProcess bot(to(here.address()));
  for (int hop = 0; hop < 5; ++hop) {
    auto stream = here.stream();
    stream->frame();
    stream->send(redirect(hop < 4 ? here.address() : there.address()));
    stream->end();
  }
  auto stream = there.stream();
  check(!stream->welcome().has_session_token(), "no session yet");
  plays_on(*stream, 1);
  stream->end();
  for (int hop = 0; hop < 6; ++hop) {
    auto again = there.stream();
    check_equal(again->frame().hello().session_token(), std::string("session"), "session");
    again->send(redirect(there.address()));
    again->end();
  }
  const Exited exited = bot.exit();
  check_code(exited, 4);
  check(says(exited, "five redirects in a row"), exited.errors);
});

const Add kMoved("Moved is followed with the session, whatever the old stream does", [] {
  ScriptedReferee here, there;
  BotProcess bot(to(here.address()));
  auto old = here.stream();  // stays open on the referee's side
  old->welcome("on the road");
  pb::PlayResponse frame = turn(1);
  frame.mutable_moved()->set_address(there.address());
  old->send(frame);
  check_equal(decisions(old->frame()), std::string("1/1 act"), "the last answer there");
  auto stream = there.stream();
  check_equal(stream->welcome().session_token(), std::string("on the road"), "token");
  plays_on(*stream, 2);
  stream->end({grpc::StatusCode::UNAVAILABLE, ""});
  auto again = there.stream();  // a lost link: there first, then the list
  again->welcome();
  says_goodbye(bot, *again, SIGTERM, "SIGTERM");
});

const Add kClosing("Closing says whether to come back", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  for (bool retry : {true, false}) {
    auto stream = referee.stream();
    stream->welcome();
    stream->send(closing(pb::CLOSING_CODE_DRAINING, retry));
    stream->end({grpc::StatusCode::UNAVAILABLE, "draining"});
  }
  const Exited exited = bot.exit();
  check_code(exited, 0);
  check(says(exited, "because"), exited.errors);
});

const Add kClosed("the cause of a Closing is in the exit status", [] {
  for (auto [code, status] : {std::pair(pb::CLOSING_CODE_SUPERSEDED, 0),
                              {pb::CLOSING_CODE_FLOODING, 4}, {pb::CLOSING_CODE_PROTOCOL, 4}}) {
    ScriptedReferee referee;
    BotProcess bot(to(referee.address()));
    auto stream = referee.stream();  // which never ends it
    stream->welcome();
    stream->send(closing(code, false));
    check_code(bot.exit(), status);
  }
});

const Add kStatuses("the status of a stream is in the exit status", [] {
  using grpc::StatusCode;
  for (auto [code, status] : {std::pair(StatusCode::UNAUTHENTICATED, 4),
                              {StatusCode::INVALID_ARGUMENT, 4},
                              {StatusCode::FAILED_PRECONDITION, 4}, {StatusCode::ABORTED, 0}}) {
    ScriptedReferee referee;
    BotProcess bot(to(referee.address()));
    auto stream = referee.stream();
    stream->frame();
    stream->end({code, "by the script"});
    const Exited exited = bot.exit();
    check_code(exited, status);
    if (status == 4) check(says(exited, "by the script"), exited.errors);
  }
});

const Add kGone("the bot gives up on a referee that is not there or never answers", [] {
  TemporaryFolder folder;
  check_code(BotProcess(to("unix:" + folder.file("nobody")), {"--give-up", "1"}).exit(), 3);
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()), {"--give-up", "1"});
  auto silent = referee.stream();
  const Exited exited = bot.exit();
  check_code(exited, 3);
  check(says(exited, "no referee answers any more"), exited.errors);
});

const Add kStopped("a signal ends the bot while nobody answers", [] {
  TemporaryFolder folder;
  ScriptedReferee referee;
  // The redirect shows that it is up; then it finds nobody, and pauses.
  BotProcess bot(to(referee.address()));
  auto stream = referee.stream();
  stream->frame();
  stream->send(redirect("unix:" + folder.file("nobody")));
  stream->end();
  auto again = referee.stream();
  bot.signal(SIGTERM);
  check_equal(again->frame().has_hello(), true, "Hello");
  check_code(bot.exit(), 0);
});

const Add kSilent("a referee that does not end the stream does not hold the bot", [] {
  ScriptedReferee referee;
  BotProcess bot(to(referee.address()));
  auto stream = referee.stream();
  stream->welcome();
  plays_on(*stream, 1);
  bot.signal(SIGTERM);
  bot.signal(SIGINT);
  check(stream->frame().has_goodbye(), "Goodbye");
  check_code(bot.exit(), 0);
});

const Add kWrongUse("wrong use is told at once", [] {
  Exited exited = BotProcess({}).exit();
  check_code(exited, 2);
  check(says(exited, "TICHU_SERVER is not set"), exited.errors);
  exited = BotProcess({"TICHU_SERVER=192.0.2.1:7", "TICHU_TOKEN=secret"}).exit();
  check_code(exited, 2);
  check(says(exited, "--plaintext") && !says(exited, "secret"), exited.errors);
  check_code(BotProcess(to("unix:/a"), {"--matches", "0"}).exit(), 2);
  exited = BotProcess({}, {"--help"}).exit();
  check_equal(exited.code, 0, "help");
  check(exited.output.find("usage: ") == 0, exited.output);
});

const Add kFarRedirect("no redirect makes a token leave the machine in the clear", [] {
  ScriptedReferee referee;
  BotProcess bot({"TICHU_SERVER=" + referee.address(), "TICHU_TOKEN=secret"});
  auto stream = referee.stream();
  stream->frame();
  stream->send(redirect("192.0.2.1:7"));
  stream->end();
  check_code(bot.exit(), 2);
});

}  // namespace
}  // namespace tichu_bot::test
