// Where and how to dial: environment and flags, and addresses in their order.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tichu_bot {

/// A mistake of whoever started the bot; its text says what to do.
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Config {
  std::vector<std::string> servers;  // to try in order: "unix:/path" or "host:port"
  std::string token;                 // bearer token; empty with an open identity on loopback
  std::string ca;                    // PEM text of the authority; TLS is used if it is not empty
  bool plaintext = false;            // secrets may leave this machine without TLS
  std::string bot_name;
  int max_matches = 64;
  std::chrono::seconds give_up{60};  // how long to go on without a Welcome
  bool help = false;                 // asked for the usage, nothing else is read
};

extern const char* const kUsage;

/// Value of an environment variable, or nullptr.
using Environment = std::function<const char*(const char* name)>;

/// Reads the environment and the flags; throws ConfigError.
Config read_config(const Environment& environment, const std::vector<std::string>& flags);

/// True if the address is a socket file.
bool is_unix(const std::string& address);

/// True if the text can be dialled: a socket file, or a host with a port from 1 to 65535.
bool is_address(const std::string& text);

/// True if what is sent to the address stays on this machine.
bool is_local(const std::string& address);

/// Throws ConfigError where a secret would leave this machine in the clear.
void check_address(const std::string& address, const Config& config, bool has_secret);

/// Decides which address is dialled next, and after which pause.
class Route {
 public:
  explicit Route(std::vector<std::string> servers);

  /// The next address; after the last one the list begins again, the last good one first.
  std::string next();

  /// The address let us in.
  void welcomed(const std::string& address);

  /// The address named is next; false for the sixth in a row, which leads nowhere.
  bool redirected(const std::string& address);

  /// The pause before the next dial: none while addresses are untried.
  std::chrono::milliseconds failed();

 private:
  void refill();

  std::vector<std::string> servers_;
  std::deque<std::string> queue_;
  std::string last_;  // that let us in; "" before
  int redirects_ = 0;
  std::chrono::milliseconds pause_;
};

}  // namespace tichu_bot
