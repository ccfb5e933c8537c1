package tichubot;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tichu.referee.v1.Referee.Goodbye;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;
import tichu.referee.v1.Referee.Pong;

/** One stream. Its reader never stops: it queues what comes, and answers pings at once. */
final class Link implements ClientResponseObserver<PlayRequest, PlayResponse>, AutoCloseable {
    /** What comes: a frame (then status is null), or the end of the stream. */
    record Incoming(PlayResponse frame, Status status) {}

    private final ManagedChannel channel;
    private final BlockingQueue<Incoming> incoming = new LinkedBlockingQueue<>();
    private ClientCallStreamObserver<PlayRequest> outgoing;
    private boolean finished; // nothing may be sent any more

    Link(ManagedChannel channel) {
        this.channel = channel;
    }

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<PlayRequest> outgoing) {
        this.outgoing = outgoing;
    }

    /** Sends a frame; one thread at a time writes to a stream. */
    synchronized void send(PlayRequest frame) {
        if (!finished) outgoing.onNext(frame);
    }

    /** Half-closes, with a Goodbye where the text is not null. */
    synchronized void finish(String goodbye) {
        if (finished) return;
        if (goodbye != null)
            send(PlayRequest.newBuilder()
                    .setGoodbye(Goodbye.newBuilder().setText(goodbye))
                    .build());
        finished = true;
        outgoing.onCompleted();
    }

    /** What came next; null if that is nothing within the time. */
    Incoming next(long withinMs) throws InterruptedException {
        return incoming.poll(withinMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void onNext(PlayResponse frame) {
        if (frame.hasPing()) {
            Pong pong = Pong.newBuilder().setNumber(frame.getPing().getNumber()).build();
            send(PlayRequest.newBuilder().setPong(pong).build());
        }
        incoming.add(new Incoming(frame, null));
    }

    @Override
    public void onError(Throwable error) {
        end(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
        end(Status.OK);
    }

    private void end(Status status) {
        synchronized (this) {
            finished = true;
        }
        incoming.add(new Incoming(null, status));
    }

    /** Lets go of the connection, whatever is on its way. */
    @Override
    public void close() {
        channel.shutdownNow();
    }
}
