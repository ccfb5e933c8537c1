#include "dial.h"

#include <arpa/inet.h>
#include <openssl/pem.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace tichu_bot {

const char* const kUsage =
    "usage: TICHU_SERVER=ADDRESS bot [--plaintext] [--matches N] [--give-up SECONDS]\n"
    "\n"
    "Dials a referee and plays. `referee play` sets the variables for the bots it starts.\n"
    "\n"
    "  TICHU_SERVER       unix:/path or host:port; a comma list is tried in order\n"
    "  TICHU_TOKEN        who the bot is\n"
    "  TICHU_CA_FILE      PEM file of the authority that signs the referee's certificate: TLS\n"
    "  TICHU_BOT_NAME     name for display\n"
    "  --plaintext        lets the token travel unencrypted to another machine\n"
    "  --matches N        how many matches at once, 1 to 512 (64)\n"
    "  --give-up SECONDS  how long to look for a referee that does not answer (60)\n"
    "\n"
    "Exit status: 0 in order, 1 a bug, 2 settings, 3 the referee is gone, 4 it refused us.\n";

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{2000};
constexpr int kMostRedirects = 5;  // in a row
constexpr int kMostMatches = 512;
constexpr int kLongestGiveUp = 86'400;  // seconds: a day
constexpr std::size_t kLongestName = 64;  // characters

std::string trimmed(const std::string& text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream rest(list);
  for (std::string part; std::getline(rest, part, ',');)
    if (part = trimmed(part); !part.empty()) parts.push_back(part);
  return parts;
}

/// The first characters of a text in UTF-8; none is cut in two.
std::string shortened(const std::string& text) {
  std::size_t characters = 0, size = 0;
  for (; size < text.size(); ++size)
    if ((text[size] & 0xc0) != 0x80 && ++characters > kLongestName) break;
  return text.substr(0, size);
}

int whole_number(const std::string& flag, const std::string& text, int least, int most) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw ConfigError(flag + " " + text + ": a whole number from " + std::to_string(least) +
                      " to " + std::to_string(most) + " is needed");
  return value;
}

std::string read_ca(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream read;
  read << in.rdbuf();  // unlike an iterator it throws nothing where the file is a folder
  std::string pem = read.str();
  if (!in || !read || pem.empty())
    throw ConfigError("TICHU_CA_FILE " + file + ": cannot be read, or is empty; name a PEM file");
  std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
  if (!certificate)
    throw ConfigError("TICHU_CA_FILE " + file + ": holds no certificate in PEM form");
  return pem;
}

void read_flags(const std::vector<std::string>& flags, Config& config) {
  for (std::size_t at = 0; at < flags.size(); ++at) {
    const std::size_t equals = flags[at].find('=');
    const std::string flag = flags[at].substr(0, equals);
    auto value = [&]() -> std::string {
      if (equals != std::string::npos) return flags[at].substr(equals + 1);
      if (at + 1 == flags.size()) throw ConfigError(flag + " needs a number behind it");
      return flags[++at];
    };
    if (flags[at] == "--help") config.help = true;
    else if (flags[at] == "--plaintext") config.plaintext = true;
    else if (flag == "--matches") config.max_matches = whole_number(flag, value(), 1, kMostMatches);
    else if (flag == "--give-up")
      config.give_up = std::chrono::seconds(whole_number(flag, value(), 1, kLongestGiveUp));
    else
      throw ConfigError("no such flag: " + flags[at] +
                        "; flags: --plaintext, --matches N, --give-up SECONDS, --help");
  }
}

}  // namespace

Config read_config(const Environment& environment, const std::vector<std::string>& flags) {
  auto variable = [&environment](const char* name) {
    const char* value = environment(name);
    return trimmed(value == nullptr ? "" : value);
  };
  Config config;
  read_flags(flags, config);
  if (config.help) return config;
  config.servers = split(variable("TICHU_SERVER"));
  if (config.servers.empty())
    throw ConfigError("TICHU_SERVER is not set: unix:/path, host:port, or a comma list");
  if (const char* token = environment("TICHU_TOKEN")) config.token = token;
  if (!std::all_of(config.token.begin(), config.token.end(),
                   [](char c) { return c >= ' ' && c <= '~'; }))
    throw ConfigError("TICHU_TOKEN holds a character that no token has: set it anew");
  if (std::string file = variable("TICHU_CA_FILE"); !file.empty()) config.ca = read_ca(file);
  config.bot_name = shortened(variable("TICHU_BOT_NAME"));
  if (config.bot_name.empty()) config.bot_name = "greedy-cpp";
  for (const std::string& server : config.servers) {
    if (!is_address(server))
      throw ConfigError("TICHU_SERVER " + server +
                        " is no address: unix:/path, host:port or [v6]:port is needed");
    check_address(server, config, !config.token.empty());
  }
  return config;
}

bool is_unix(const std::string& address) { return address.rfind("unix:", 0) == 0; }

bool is_address(const std::string& text) {
  if (is_unix(text)) return text.find_first_not_of('/', 5) != text.npos;
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  const std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const char* const strange = bracketed ? " /@" : " /@:[]";
  if (host.find_first_of(strange) != host.npos) return false;
  int port = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, port);
  return read.ec == std::errc() && read.ptr == end && port >= 1 && port <= 65535;
}

bool is_local(const std::string& address) {
  if (is_unix(address)) return true;
  std::size_t colon = address.rfind(':');
  if (address.find_first_not_of("0123456789", colon + 1) != address.npos) colon = address.npos;
  const std::string host = address.substr(0, colon);  // without its port
  in_addr number;
  bool is_number = inet_pton(AF_INET, host.c_str(), &number) == 1;
  return host == "localhost" || host == "[::1]" ||
         (is_number && ntohl(number.s_addr) >> 24 == 127);
}

void check_address(const std::string& address, const Config& config, bool has_secret) {
  if (!has_secret || config.plaintext || !config.ca.empty() || is_local(address)) return;
  throw ConfigError(address +
                    " is not on this machine and the token would travel in the clear: "
                    "set TICHU_CA_FILE for TLS, or say --plaintext");
}

Route::Route(std::vector<std::string> servers)
    : servers_(std::move(servers)), queue_(servers_.begin(), servers_.end()), pause_(kFirstPause) {}

std::string Route::next() {
  if (queue_.empty()) refill();
  std::string address = queue_.front();
  queue_.pop_front();
  return address;
}

void Route::refill() {
  if (!last_.empty()) queue_.push_back(last_);
  std::copy_if(servers_.begin(), servers_.end(), std::back_inserter(queue_),
               [this](const std::string& server) { return server != last_; });
}

void Route::welcomed(const std::string& address) {
  last_ = address;
  queue_.clear();
  redirects_ = 0;
  pause_ = kFirstPause;
}

bool Route::redirected(const std::string& address) {
  queue_.push_front(address);
  return ++redirects_ <= kMostRedirects;
}

milliseconds Route::failed() {
  redirects_ = 0;  // a row ends where nobody redirects
  if (!queue_.empty()) return milliseconds{0};
  milliseconds pause = pause_;
  pause_ = std::min(2 * pause, kLongestPause);
  return pause;
}

}  // namespace tichu_bot
