#include "link.h"

namespace tichu_bot {
namespace {

constexpr int kLargestFrame = 16 * 1024 * 1024;  // bytes; a referee sends far less

grpc::ChannelArguments channel_arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestFrame);
  // Pauses are ours: no retries and no shared connection state from an earlier try.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Bots dial referees, not web sites: a proxy in the environment is not meant.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

}  // namespace

Link::Link(const std::string& address, const Config& config, Queue<Happening>& inbox)
    : inbox_(inbox) {
  auto credentials = config.ca.empty() || is_unix(address)
                         ? grpc::InsecureChannelCredentials()
                         : grpc::SslCredentials({config.ca, "", ""});
  stub_ = pb::RefereeService::NewStub(
      grpc::CreateCustomChannel(address, credentials, channel_arguments()));
  if (!config.token.empty()) context_.AddMetadata("authorization", "Bearer " + config.token);
  reader_ = std::thread([this] { read(); });
}

Link::~Link() {
  context_.TryCancel();
  reader_.join();
}

void Link::read() {
  auto stream = stub_->Play(&context_);  // waits for the connection
  std::thread writer([this, &stream] { write(*stream); });
  for (pb::PlayResponse frame; stream->Read(&frame); frame.Clear())
    inbox_.push(std::move(frame));
  outbox_.close();
  writer.join();
  inbox_.push(stream->Finish());
}

void Link::write(Stream& stream) {
  while (auto frame = outbox_.pop())
    if (!stream.Write(*frame)) return;
  stream.WritesDone();
}

}  // namespace tichu_bot
