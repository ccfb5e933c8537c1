// The process: dials, plays until the referee or a signal ends it, comes back after a lost link.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "dial.h"
#include "link.h"
#include "report.h"
#include "session.h"

namespace tichu_bot {
namespace {

using namespace std::chrono_literals;

enum class Exit { kDone = 0, kBug = 1, kSettings = 2, kGone = 3, kRefused = 4 };

/// How a stream ended.
struct Stopped {};
struct Elsewhere {
  std::string address;
};
struct Refused {
  std::string text;
};
struct Lost {
  std::string text;
};
struct TookOver {};
using End = std::variant<Stopped, Elsewhere, pb::Closing, Refused, Lost, TookOver>;

constexpr auto kWelcomeWithin = 10s;
constexpr auto kLastWordWithin = 2s;  // of a stream that we end
constexpr auto kLeavingWithin = 200ms;  // the clock of open asks runs

std::string name_of(grpc::StatusCode code) {
  constexpr std::array kNames = {"OK",
                                 "CANCELLED",
                                 "UNKNOWN",
                                 "INVALID_ARGUMENT",
                                 "DEADLINE_EXCEEDED",
                                 "NOT_FOUND",
                                 "ALREADY_EXISTS",
                                 "PERMISSION_DENIED",
                                 "RESOURCE_EXHAUSTED",
                                 "FAILED_PRECONDITION",
                                 "ABORTED",
                                 "OUT_OF_RANGE",
                                 "UNIMPLEMENTED",
                                 "INTERNAL",
                                 "UNAVAILABLE",
                                 "DATA_LOSS",
                                 "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<int>(kNames.size()) ? kNames[code] : "UNKNOWN";
}

/// What the status of a stream means that said nothing else before.
End end_of(const grpc::Status& status, const std::string& address, bool welcomed) {
  const std::string text =
      address + ": " + name_of(status.error_code()) + " " + status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::ABORTED:
      return TookOver{};
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
      if (!welcomed) return Refused{text};  // trying again would end the same way
      return Lost{text};
    default:
      return Lost{text};
  }
}

class Bot {
 public:
  explicit Bot(Config config)
      : config_(std::move(config)),
        session_(config_.bot_name, config_.max_matches),
        route_(config_.servers) {}

  /// Says Goodbye where there is somebody to say it to, and ends run(). From any thread.
  void stop(const std::string& signal) {
    stopped_ = true;
    inbox_.push(Stop{signal});
  }

  /// Plays until the end; returns the exit status.
  Exit run() {
    while (true) {
      const End end = play(route_.next());
      if (auto exit = std::visit([this](const auto& how) { return after(how); }, end)) return *exit;
    }
  }

 private:
  End play(const std::string& address);
  std::optional<End> take_in(const pb::PlayResponse& frame, const std::string& address, Link& link);

  // What the end of a stream means for the process: an exit status, or nothing to go on.
  std::optional<Exit> after(const Stopped&) { return Exit::kDone; }
  std::optional<Exit> after(const Elsewhere& elsewhere);
  std::optional<Exit> after(const pb::Closing& closing);
  std::optional<Exit> after(const Refused& refused);
  std::optional<Exit> after(const Lost& lost);
  std::optional<Exit> after(const TookOver&);

  Config config_;
  Session session_;
  Route route_;
  Queue<Happening> inbox_;
  std::atomic<bool> stopped_ = false;
  bool welcomed_ = false;  // on the stream of the moment
  std::string told_;       // of the last lost link: the same is said once
  Clock::time_point last_contact_ = Clock::now();
};

/// Lives through one stream.
End Bot::play(const std::string& address) {
  welcomed_ = false;
  check_address(address, config_, !config_.token.empty() || session_.token());
  inbox_.clear();  // of the stream before
  if (stopped_) return Stopped{};
  Link link(address, config_, inbox_);
  link.send(session_.hello());
  std::optional<End> said;  // how the stream ends, once somebody said so
  auto limit = Clock::now() + kWelcomeWithin;
  while (auto happened = welcomed_ && !said ? inbox_.pop() : inbox_.pop_until(limit)) {
    if (auto* status = std::get_if<grpc::Status>(&*happened))
      return said ? *said : end_of(*status, address, welcomed_);
    if (said) continue;
    if (auto* stop = std::get_if<Stop>(&*happened)) {
      pb::PlayRequest goodbye;
      goodbye.mutable_goodbye()->set_text(stop->signal);
      link.send(std::move(goodbye));
      said = Stopped{};
    } else {
      said = take_in(std::get<pb::PlayResponse>(*happened), address, link);
    }
    if (!said) continue;
    link.half_close();
    limit = Clock::now();
    limit += std::holds_alternative<Elsewhere>(*said) ? kLeavingWithin : kLastWordWithin;
  }
  return said ? *said : Lost{address + ": no Welcome in time"};
}

/// Answers one frame; returns how the stream ends if the frame says so.
std::optional<End> Bot::take_in(const pb::PlayResponse& frame, const std::string& address,
                                Link& link) {
  if (auto request = session_.reply(frame)) link.send(std::move(*request));
  if (frame.has_welcome()) {
    welcomed_ = true;
    route_.welcomed(address);
    say("connected to " + address + " as " + config_.bot_name);
  }
  if (frame.has_closing()) return frame.closing();
  if (frame.has_redirect()) return Elsewhere{frame.redirect().address()};
  if (frame.has_moved()) return Elsewhere{frame.moved().address()};
  return std::nullopt;
}

std::optional<Exit> Bot::after(const Elsewhere& elsewhere) {
  if (welcomed_) last_contact_ = Clock::now();
  if (route_.redirected(elsewhere.address)) return std::nullopt;
  say("more than five redirects in a row, the last one to " + elsewhere.address);
  return Exit::kRefused;
}

std::optional<Exit> Bot::after(const pb::Closing& closing) {
  const std::string text = pb::ClosingCode_Name(closing.code()) + " " + closing.text();
  if (closing.retry()) return after(Lost{text});
  say("the referee closes: " + text);
  bool in_order = closing.code() == pb::CLOSING_CODE_DRAINING ||
                  closing.code() == pb::CLOSING_CODE_SUPERSEDED;
  return in_order ? Exit::kDone : Exit::kRefused;
}

std::optional<Exit> Bot::after(const Refused& refused) {
  say("refused by the referee: " + refused.text);
  return Exit::kRefused;
}

std::optional<Exit> Bot::after(const TookOver&) {
  say("another process with the same identity took over");
  return Exit::kDone;
}

/// Waits before the next dial, or gives up.
std::optional<Exit> Bot::after(const Lost& lost) {
  if (stopped_) return Exit::kDone;
  const auto now = Clock::now();
  if (welcomed_) last_contact_ = now;
  if (welcomed_) say("link lost: " + lost.text);
  else if (lost.text != told_) say("no referee answers yet: " + lost.text);
  told_ = lost.text;
  const auto give_up_at = last_contact_ + config_.give_up;
  if (now >= give_up_at) {
    say("no referee answers any more");
    return Exit::kGone;
  }
  const auto limit = std::min(now + route_.failed(), give_up_at);
  while (auto happened = inbox_.pop_until(limit))
    if (std::holds_alternative<Stop>(*happened)) return Exit::kDone;
  return std::nullopt;
}

/// Turns SIGTERM and SIGINT into a call in a thread of its own, so that no code runs in a handler.
class Signals {
 public:
  /// Before any other thread starts: they inherit that these signals wait.
  static void block() {
    sigset_t set = waited_for();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a reader of stderr that goes away takes no bot with it
  }

  explicit Signals(Bot& bot)
      : thread_([&bot] {
          sigset_t set = waited_for();
          int number = 0;
          sigwait(&set, &number);
          bot.stop(number == SIGINT ? "SIGINT" : "SIGTERM");
        }) {}

  ~Signals() {
    pthread_kill(thread_.native_handle(), SIGTERM);  // where it still waits
    thread_.join();
  }

 private:
  static sigset_t waited_for() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
  }

  std::thread thread_;
};

Exit play(const std::vector<std::string>& flags) {
  try {
    Config config = read_config([](const char* name) { return std::getenv(name); }, flags);
    if (config.help) {
      std::fputs(kUsage, stdout);
      return Exit::kDone;
    }
    Bot bot(std::move(config));
    Signals signals(bot);
    return bot.run();
  } catch (const ConfigError& error) {
    say(error.what());
    return Exit::kSettings;
  } catch (const std::exception& error) {
    say(std::string("a bug: ") + error.what());
    return Exit::kBug;
  }
}

}  // namespace
}  // namespace tichu_bot

int main(int count, char** words) {
  setenv("GRPC_VERBOSITY", "NONE", 0);  // what failed is said once, by us
  tichu_bot::Signals::block();
  return static_cast<int>(tichu_bot::play({words + 1, words + count}));
}
