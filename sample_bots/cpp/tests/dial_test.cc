#include "dial.h"

#include <map>

#include "test.h"

namespace tichu_bot::test {
namespace {

using Strings = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Config read(const Variables& variables, const Strings& flags = {}) {
  return read_config(
      [&variables](const char* name) {
        auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      flags);
}

/// What is said of settings that cannot be used; "" if they can.
std::string mistake(const Variables& variables, const Strings& flags = {}) {
  try {
    read(variables, flags);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

const Add kSettings("environment and flags are read, with their defaults", [] {
  Config config = read({{"TICHU_SERVER", " unix:/a , [::1]:7,,"}});
  check_equal(config.servers, Strings{"unix:/a", "[::1]:7"}, "servers");
  check_equal(config.bot_name, std::string("greedy-cpp"), "name");
  check_equal(config.max_matches, 64, "matches");
  check_equal(config.give_up.count(), 60, "seconds");
  std::string umlauts;
  for (int i = 0; i < 65; ++i) umlauts += "ä";
  config = read({{"TICHU_SERVER", "h:1"}, {"TICHU_BOT_NAME", umlauts}},
                {"--matches", "512", "--give-up=1", "--plaintext"});
  check_equal(config.bot_name, umlauts.substr(2), "64 characters of the name");
  check_equal(config.max_matches, 512, "matches");
  check_equal(config.give_up.count(), 1, "seconds");
  check(config.plaintext, "plaintext");
});

const Add kMistakes("wrong settings are told in one line with the cure", [] {
  check_equal(mistake({}), std::string("TICHU_SERVER is not set: unix:/path, host:port, or a "
                                       "comma list"), "without a server");
  const Variables server{{"TICHU_SERVER", "unix:/a"}};
  for (const char* value : {"0", "513", "-1", "1.5", "", "x", "99999999999999", "1 "})
    check(mistake(server, {"--matches", value}).find("from 1 to 512") != std::string::npos, value);
  for (const Strings& flags : {Strings{"--matches"}, {"--give-up"}, {"--give-up", "0"},
                               {"--plain"}, {"greedy"}, {"--plaintext=no"}})
    check(!mistake(server, flags).empty(), flags.front());
  for (const char* file : {"/nowhere", "/", "/proc/self/exe", "/dev/null"}) {
    const std::string told = mistake({{"TICHU_SERVER", "unix:/a"}, {"TICHU_CA_FILE", file}});
    check(told.rfind("TICHU_CA_FILE " + std::string(file) + ":", 0) == 0, told);
  }
  for (const char* token : {"se\ncret", "secret\n", "se\x01cret", "s\u00e4cret"}) {
    const std::string told = mistake({{"TICHU_SERVER", "unix:/a"}, {"TICHU_TOKEN", token}});
    check(told.rfind("TICHU_TOKEN holds", 0) == 0 && told.find("cret") == told.npos, told);
  }
  for (const char* server : {"host", "host:", ":1", "host:0", "host:65536", "host:99999",
                             "host:http", "::1:1", "unix:", "host:+1", "host:1x"}) {
    const std::string told = mistake({{"TICHU_SERVER", std::string("near:1,") + server}});
    check(told.rfind("TICHU_SERVER " + std::string(server) + " is no address", 0) == 0, told);
  }
});

const Add kClear("a token leaves the machine only under TLS or when told so", [] {
  for (const char* local : {"unix:/run/x", "unix:x", "127.0.0.1:1", "127.1.2.3", "localhost:1",
                            "[::1]:1"})
    check(is_local(local), local);
  for (const char* remote : {"127.example.org:1", "10.0.0.1:1", "localhost.example.org:1",
                             "[::2]:1", "x127.0.0.1:1", "127.0.0.1:1@example.org:1", ""})
    check(!is_local(remote), remote);
  const Variables remote{{"TICHU_SERVER", "unix:/a,192.0.2.1:7"}, {"TICHU_TOKEN", "secret"}};
  check(mistake(remote).find("TICHU_CA_FILE") != std::string::npos, "names the cure");
  check(mistake(remote).find("secret") == std::string::npos, "keeps the secret");
  check_equal(mistake(remote, {"--plaintext"}), std::string(), "told so");
  check_equal(mistake({{"TICHU_SERVER", "192.0.2.1:7"}}), std::string(), "without a token");
});

const Add kPauses("pauses grow from 100 ms to 2 s and start again after a Welcome", [] {
  Route route({"a"});
  std::vector<long> pauses;
  for (int i = 0; i < 7; ++i) {
    check_equal(route.next(), std::string("a"), "address");
    pauses.push_back(route.failed().count());
  }
  check_equal(pauses, std::vector<long>{100, 200, 400, 800, 1600, 2000, 2000}, "pauses");
  route.welcomed(route.next());
  check_equal(route.failed().count(), 100, "pause");
});

const Add kOrder("all addresses are tried without a pause, the last good one first", [] {
  Route route({"a", "b"});
  check_equal(route.next(), std::string("a"), "first");
  check_equal(route.failed().count(), 0, "pause");
  check_equal(route.next(), std::string("b"), "second");
  check(route.redirected("c"), "a redirect");
  check_equal(route.next(), std::string("c"), "redirected");
  route.welcomed("c");
  check_equal(route.failed().count(), 100, "pause");
  Strings order;
  for (int i = 0; i < 5; ++i) order.push_back(route.next());
  check_equal(order, Strings{"c", "a", "b", "c", "a"}, "order");
});

const Add kRow("the sixth redirect in a row leads nowhere", [] {
  Route route({"a"});
  for (int i = 0; i < 5; ++i) check(route.redirected("b"), "up to five");
  check(!route.redirected("b"), "the sixth");
  route.welcomed("b");
  check(route.redirected("b"), "after a Welcome");
});

}  // namespace
}  // namespace tichu_bot::test
