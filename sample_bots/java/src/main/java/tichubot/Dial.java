package tichubot;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLException;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;

/** Opens a stream to an address: unix socket or host, TLS or not, the token as metadata. */
final class Dial {
    /**
     * The one call of the service, named here so that the build needs no plugin of protoc beside
     * protoc itself.
     */
    static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
            MethodDescriptor.<PlayRequest, PlayResponse>newBuilder()
                    .setType(MethodType.BIDI_STREAMING)
                    .setFullMethodName("tichu.referee.v1.RefereeService/Play")
                    .setRequestMarshaller(ProtoUtils.marshaller(PlayRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(PlayResponse.getDefaultInstance()))
                    .build();

    // What fails is said once, by us. Kept here: a logger that nobody holds forgets its level.
    private static final Logger GRPC_LOGGER = Logger.getLogger("io.grpc");

    static {
        GRPC_LOGGER.setLevel(Level.OFF);
    }

    private static final String UNIX = "unix:";
    private static final int MOST_BYTES_READ = 16 * 1024 * 1024;
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private Dial() {}

    /** Dials; sessionToken is null before the first Welcome. */
    static Link open(String address, Config config, String sessionToken) throws ConfigError {
        check(address, config, sessionToken);
        ManagedChannel channel = channel(address, config)
                // The reader only queues frames and answers pings: it needs no thread of its own.
                .directExecutor()
                // Pauses are ours: a stream is resumed with the session token, never replayed.
                .disableRetry()
                .disableServiceConfigLookUp()
                // Bots dial referees, not web sites: a proxy in the environment is not meant.
                .proxyDetector(target -> null)
                .maxInboundMessageSize(MOST_BYTES_READ)
                .build();
        Metadata headers = new Metadata();
        if (config.token() != null) headers.put(AUTHORIZATION, "Bearer " + config.token());
        Channel withToken = ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        Link link = new Link(channel);
        ClientCalls.asyncBidiStreamingCall(withToken.newCall(PLAY, CallOptions.DEFAULT), link);
        return link;
    }

    /** Throws where an address is none, or a secret would leave the machine in the clear. */
    static void check(String address, Config config, String sessionToken) throws ConfigError {
        boolean secret = config.token() != null || sessionToken != null;
        if (!address.startsWith(UNIX)) port(address);
        else if (address.substring(UNIX.length()).isEmpty()) throw noAddress(address);
        if (secret && config.caFile() == null && !isLocal(address) && !config.plaintext())
            throw new ConfigError(address + " is not on this machine and the token would travel in"
                    + " the clear: set TICHU_CA_FILE for TLS, or say --plaintext");
    }

    /** True if what is sent to the address stays on this machine. */
    static boolean isLocal(String address) {
        if (address.startsWith(UNIX)) return true;
        String host = host(address);
        return Set.of("localhost", "::1").contains(host) || host.matches("127(\\.\\d{1,3}){3}");
    }

    private static NettyChannelBuilder channel(String address, Config config) throws ConfigError {
        if (address.startsWith(UNIX)) return unixChannel(address);
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(host(address), port(address));
        return config.caFile() == null
                ? builder.usePlaintext()
                : builder.sslContext(authority(config.caFile()));
    }

    /** Reads whom to trust; throws where the file is none in PEM form. */
    static SslContext authority(String caFile) throws ConfigError {
        try {
            return GrpcSslContexts.forClient().trustManager(new File(caFile)).build();
        } catch (SSLException | IllegalArgumentException error) {
            throw new ConfigError("TICHU_CA_FILE " + caFile + " is no readable PEM file: "
                    + error.getMessage());
        }
    }

    private static NettyChannelBuilder unixChannel(String address) throws ConfigError {
        if (!Epoll.isAvailable())
            throw new ConfigError(address + ": this bot has unix sockets on Linux only; let the"
                    + " referee listen on host:port");
        String path = address.substring(UNIX.length()).replaceFirst("^//(?=/)", "");
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(path))
                .channelType(EpollDomainSocketChannel.class)
                .eventLoopGroup(UnixLoop.GROUP)
                .overrideAuthority("localhost")
                .usePlaintext();
    }

    /** Made when it is first needed: one thread carries all unix sockets of the process. */
    private static final class UnixLoop {
        static final EpollEventLoopGroup GROUP = new EpollEventLoopGroup(1);
    }

    private static String host(String address) {
        String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        boolean v6 = host.startsWith("[") && host.endsWith("]");
        return v6 ? host.substring(1, host.length() - 1) : host;
    }

    private static int port(String address) throws ConfigError {
        String port = address.substring(address.lastIndexOf(':') + 1);
        String host = host(address);
        boolean bare = host.contains(":") && !address.startsWith("[");
        int number = port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
        if (host.isEmpty() || bare || number < 1 || number > 65535) throw noAddress(address);
        return number;
    }

    private static ConfigError noAddress(String address) {
        return new ConfigError("TICHU_SERVER \"" + address + "\" is no address: unix:/path,"
                + " host:port or [v6]:port is needed");
    }
}
