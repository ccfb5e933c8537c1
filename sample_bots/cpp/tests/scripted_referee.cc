#include "scripted_referee.h"

#include "test.h"

namespace tichu_bot::test {
namespace {

// Nothing here takes a second; a machine with other work gets its time.
constexpr std::chrono::seconds kLimit{60};

Clock::time_point limit() { return Clock::now() + kLimit; }

}  // namespace

BotStream::BotStream(const grpc::CallbackServerContext& context) {
  auto found = context.client_metadata().find("authorization");
  if (found != context.client_metadata().end())
    authorization_.assign(found->second.data(), found->second.size());
}

void BotStream::OnReadDone(bool ok) {
  if (!ok) return frames_.push(std::nullopt);
  frames_.push(std::move(reading_));
  reading_.Clear();
  StartRead(&reading_);
}

void BotStream::OnDone() {
  written_.push(false);  // whoever still waits for it
  auto last = std::move(self_);
}

std::optional<pb::PlayRequest> BotStream::next() {
  auto frame = frames_.pop_until(limit());
  check(frame.has_value(), "the bot said nothing in time");
  return *frame;
}

pb::PlayRequest BotStream::frame() {
  auto frame = next();
  check(frame.has_value(), "the bot ended its side instead of sending a frame");
  return *frame;
}

void BotStream::send(pb::PlayResponse frame) {
  writing_ = std::move(frame);
  StartWrite(&writing_);
  check(written_.pop_until(limit()).value_or(false), "the bot was not there to be told");
}

pb::Hello BotStream::welcome(const std::string& session_token, bool resumed) {
  const pb::PlayRequest first = frame();
  check(first.has_hello(), "the first frame is a Hello");
  pb::PlayResponse answer;
  answer.mutable_welcome()->set_session_token(session_token);
  answer.mutable_welcome()->set_protocol_version(1);
  answer.mutable_welcome()->set_resumed(resumed);
  send(answer);
  return first.hello();
}

void BotStream::end(grpc::Status status) {
  if (!ended_.exchange(true)) Finish(status);
}

ScriptedReferee::ScriptedReferee(const std::string& where) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(where, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  check(server_ != nullptr, "a referee listens on " + where);
  address_ = where.rfind("unix:", 0) == 0 ? where : "127.0.0.1:" + std::to_string(port);
}

ScriptedReferee::~ScriptedReferee() {
  server_->Shutdown(std::chrono::system_clock::now());
}

std::shared_ptr<BotStream> ScriptedReferee::stream() {
  auto stream = streams_.pop_until(limit());
  check(stream.has_value(), "no bot dialled in time");
  return *stream;
}

grpc::ServerBidiReactor<pb::PlayRequest, pb::PlayResponse>* ScriptedReferee::Play(
    grpc::CallbackServerContext* context) {
  auto stream = std::make_shared<BotStream>(*context);
  stream->self_ = stream;
  stream->StartRead(&stream->reading_);
  streams_.push(stream);
  return stream.get();
}

}  // namespace tichu_bot::test
