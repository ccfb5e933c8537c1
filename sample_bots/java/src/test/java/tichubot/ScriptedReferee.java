package tichubot;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tichu.referee.v1.Match.Update;
import tichu.referee.v1.Referee.Hello;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;
import tichu.referee.v1.Referee.Redirect;
import tichu.referee.v1.Referee.Welcome;

/** A real gRPC server for the tests, which say what it sends and see what it gets. */
final class ScriptedReferee implements AutoCloseable {
    /** Far more than a busy machine needs: a test that waits so long has failed. */
    static final long LIMIT_S = 60;

    private static final Context.Key<Metadata> HEADERS = Context.key("headers");

    private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
    private final Server server;
    private final EpollEventLoopGroup loop; // of a unix socket, else null
    final String address;

    private ScriptedReferee(NettyServerBuilder builder, EpollEventLoopGroup loop, String address)
            throws IOException {
        String name = Dial.PLAY.getServiceName();
        ServerServiceDefinition service = ServerServiceDefinition.builder(name)
                .addMethod(Dial.PLAY, ServerCalls.asyncBidiStreamingCall(this::accept))
                .build();
        this.server = builder.addService(ServerInterceptors.intercept(service, new KeepsHeaders()))
                .directExecutor()
                .build()
                .start();
        this.loop = loop;
        this.address = address != null ? address : "127.0.0.1:" + server.getPort();
    }

    /** Listens on a free port of this machine. */
    static ScriptedReferee listen() throws IOException {
        var nowhereElse = new InetSocketAddress("127.0.0.1", 0);
        return new ScriptedReferee(NettyServerBuilder.forAddress(nowhereElse), null, null);
    }

    /** Listens on a unix socket. */
    static ScriptedReferee listen(Path socket) throws IOException {
        EpollEventLoopGroup loop = new EpollEventLoopGroup(1);
        DomainSocketAddress where = new DomainSocketAddress(socket.toString());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(where)
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop);
        return new ScriptedReferee(builder, loop, "unix:" + socket);
    }

    private StreamObserver<PlayRequest> accept(StreamObserver<PlayResponse> toBot) {
        Stream stream = new Stream(HEADERS.get(), toBot);
        streams.add(stream);
        return stream;
    }

    /** The next stream that a bot opens. */
    Stream stream() throws InterruptedException {
        return take(streams, "no stream came");
    }

    /** Sends the next stream elsewhere. */
    void redirect(String to) throws InterruptedException {
        Stream stream = stream();
        stream.frame();
        stream.send(PlayResponse.newBuilder().setRedirect(Redirect.newBuilder().setAddress(to)));
    }

    @Override
    public void close() {
        server.shutdownNow();
        if (loop != null) loop.shutdownGracefully();
    }

    private static <T> T take(BlockingQueue<T> queue, String otherwise)
            throws InterruptedException {
        T value = queue.poll(LIMIT_S, TimeUnit.SECONDS);
        assertNotNull(value, otherwise);
        return value;
    }

    /** One stream of a bot, as the referee has it. */
    static final class Stream implements StreamObserver<PlayRequest> {
        private final Metadata headers;
        private final StreamObserver<PlayResponse> toBot;
        private final BlockingQueue<Optional<PlayRequest>> frames = new LinkedBlockingQueue<>();

        private Stream(Metadata headers, StreamObserver<PlayResponse> toBot) {
            this.headers = headers;
            this.toBot = toBot;
        }

        /** The value of a header, null if it was not sent. */
        String header(String name) {
            return headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
        }

        /** The next frame of the bot; empty: its side of the stream has ended. */
        Optional<PlayRequest> next() throws InterruptedException {
            return take(frames, "no frame came");
        }

        PlayRequest frame() throws InterruptedException {
            return next().orElseThrow(() -> new AssertionError("the stream ended instead"));
        }

        void send(PlayResponse.Builder frame) {
            toBot.onNext(frame.build());
        }

        void send(Update.Builder... updates) {
            PlayResponse.Builder frame = PlayResponse.newBuilder();
            for (Update.Builder update : updates) frame.addUpdates(update);
            send(frame);
        }

        /** Reads the Hello and accepts it. */
        Hello welcome(String sessionToken) throws InterruptedException {
            Hello hello = frame().getHello();
            Welcome.Builder welcome =
                    Welcome.newBuilder().setSessionToken(sessionToken).setProtocolVersion(1);
            send(PlayResponse.newBuilder().setWelcome(welcome));
            return hello;
        }

        /** Ends the stream with a status. */
        void end(Status status) {
            if (status.isOk()) toBot.onCompleted();
            else toBot.onError(status.asRuntimeException());
        }

        @Override
        public void onNext(PlayRequest frame) {
            frames.add(Optional.of(frame));
        }

        @Override
        public void onError(Throwable error) {
            frames.add(Optional.empty());
        }

        @Override
        public void onCompleted() {
            frames.add(Optional.empty());
        }
    }

    /** Makes the headers of a call visible to its handler. */
    private static final class KeepsHeaders implements ServerInterceptor {
        @Override
        public <Q, S> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
            Context context = Context.current().withValue(HEADERS, headers);
            return Contexts.interceptCall(context, call, headers, next);
        }
    }
}
