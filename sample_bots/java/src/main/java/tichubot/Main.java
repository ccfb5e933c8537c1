package tichubot;

import io.grpc.Status;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tichu.referee.v1.Referee.Closing;
import tichu.referee.v1.Referee.ClosingCode;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;
import tichu.referee.v1.Referee.Welcome;

/**
 * The process: dials, plays until the referee or a signal ends it, comes back after a lost link.
 * Exit status: 0 in order, 1 a bug, 2 settings, 3 no referee answers, 4 it refused this bot.
 */
public final class Main {
    private static final int DONE = 0;
    private static final int BUG = 1;
    private static final int SETTINGS = 2;
    private static final int GONE = 3;
    private static final int REFUSED = 4;

    // Before a Welcome: trying again would end the same way.
    private static final Set<Status.Code> FINAL = Set.of(
            Status.Code.UNAUTHENTICATED,
            Status.Code.INVALID_ARGUMENT,
            Status.Code.FAILED_PRECONDITION);
    private static final long FIRST_FRAME_WITHIN_MS = 10_000; // a referee answers Hello at once
    private static final long SHORTEST_PATIENCE_MS = 1_000; // of the last dial, too
    private static final long LAST_STATUS_WITHIN_MS = 2_000;

    /** How a stream ended; address: dial there. What was not said is null. */
    private record End(boolean welcomed, String address, Closing closing, Status status) {}

    private final Config config;
    private final Session session;
    private final Route route;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private Link link; // the stream that is open, else null
    private long lastContactMs = nowMs();
    private String lastLoss; // what was said of the last link that was lost, null after a Welcome

    Main(Config config) {
        this.config = config;
        this.session = new Session(config.botName(), config.maxMatches(), Strategy::decide);
        this.route = new Route(config.servers());
    }

    /** Plays until the end; returns the exit status. */
    int run() throws InterruptedException {
        while (!isStopped()) {
            String address = route.next();
            End end;
            try {
                end = play(address);
            } catch (ConfigError error) {
                Log.say(error.getMessage());
                return SETTINGS;
            }
            Integer code = exitCode(address, end);
            if (code != null) return code;
            if (end.address() == null) stopped.await(route.failed(), TimeUnit.MILLISECONDS);
        }
        return DONE;
    }

    /** Says Goodbye where there is somebody to say it to, and ends run(). */
    synchronized void stop(String why) {
        stopped.countDown();
        if (link != null) link.finish(why);
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private synchronized void use(Link link) {
        this.link = link;
        if (link != null && isStopped()) link.finish(null);
    }

    /** Lives through one stream. */
    private End play(String address) throws ConfigError, InterruptedException {
        try (Link link = Dial.open(address, config, session.token())) {
            use(link);
            link.send(session.hello());
            End end = converse(link, address);
            if (end.welcomed()) lastContactMs = nowMs();
            return end;
        } finally {
            use(null);
        }
    }

    /** Answers frames until the stream ends, or must. */
    private End converse(Link link, String address) throws InterruptedException {
        boolean welcomed = false;
        long leftMs = lastContactMs + config.giveUpMs() - nowMs();
        long patienceMs = Math.max(SHORTEST_PATIENCE_MS, Math.min(FIRST_FRAME_WITHIN_MS, leftMs));
        Link.Incoming incoming = link.next(patienceMs);
        while (incoming != null && incoming.frame() != null) {
            PlayResponse frame = incoming.frame();
            if (frame.hasWelcome()) {
                welcomed = true;
                welcome(address, frame.getWelcome());
            }
            PlayRequest reply = session.reply(frame);
            if (reply != null) link.send(reply);
            if (frame.hasClosing()) {
                link.finish(null);
                return new End(welcomed, null, frame.getClosing(), lastStatus(link));
            }
            // The clock of open asks runs: this stream's last word is not waited for.
            if (frame.hasRedirect() || frame.hasMoved())
                return new End(welcomed, target(frame), null, null);
            incoming = link.next(Long.MAX_VALUE);
        }
        Status status = incoming != null
                ? incoming.status()
                : Status.DEADLINE_EXCEEDED.withDescription("Hello was not answered in time");
        return new End(welcomed, null, null, status);
    }

    private void welcome(String address, Welcome welcome) {
        route.welcomed(address);
        session.welcome(welcome);
        lastLoss = null;
        Log.say("connected to " + address + " as " + config.botName());
    }

    private static String target(PlayResponse frame) {
        if (frame.hasRedirect()) return frame.getRedirect().getAddress();
        return frame.getMoved().getAddress();
    }

    /** Waits for the status that follows a Closing; null if it does not come. */
    private static Status lastStatus(Link link) throws InterruptedException {
        Link.Incoming incoming = link.next(LAST_STATUS_WITHIN_MS);
        while (incoming != null && incoming.status() == null)
            incoming = link.next(LAST_STATUS_WITHIN_MS);
        return incoming == null ? null : incoming.status();
    }

    /** What the end of a stream means for the process: an exit status, or null to go on. */
    private Integer exitCode(String address, End end) {
        if (isStopped()) return DONE;
        if (end.address() != null) return followed(end.address());
        if (end.closing() != null) return closed(address, end.closing());
        Status status = end.status();
        String text = status.getCode() + " " + describe(status);
        if (status.getCode() == Status.Code.ABORTED) {
            Log.say("another process took over: " + text);
            return DONE;
        }
        if (!end.welcomed() && FINAL.contains(status.getCode())) {
            Log.say("refused by the referee: " + text);
            return REFUSED;
        }
        return lost("no link to " + address + ": " + text);
    }

    private Integer followed(String address) {
        if (route.redirected(address)) {
            Log.say("the referee sends this bot to " + address);
            return null;
        }
        Log.say("more than five redirects in a row: the referees send this bot in a circle");
        return REFUSED;
    }

    private Integer closed(String address, Closing closing) {
        String text = "the referee closes: " + closing.getCode() + " " + closing.getText();
        if (closing.getRetry()) return lost(address + ": " + text);
        Log.say(text);
        boolean inOrder = closing.getCode() == ClosingCode.CLOSING_CODE_DRAINING
                || closing.getCode() == ClosingCode.CLOSING_CODE_SUPERSEDED;
        return inOrder ? DONE : REFUSED;
    }

    private Integer lost(String text) {
        if (!text.equals(lastLoss)) Log.say(text);
        lastLoss = text;
        if (nowMs() - lastContactMs < config.giveUpMs()) return null;
        Log.say("no referee answers any more");
        return GONE;
    }

    private static String describe(Status status) {
        String text = status.getDescription() == null ? "" : status.getDescription();
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) cause = cause.getCause();
        boolean more = cause != null && cause.getMessage() != null;
        return more ? text + ": " + cause.getMessage() : text;
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Reads the settings and plays until the end or a signal; returns the exit status. */
    static int start(Map<String, String> environment, String[] arguments)
            throws InterruptedException {
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.println(Config.USAGE);
            return DONE;
        }
        Main bot;
        try {
            bot = new Main(Config.read(environment, arguments));
        } catch (ConfigError error) {
            Log.say(error.getMessage());
            return SETTINGS;
        }
        CountDownLatch over = new CountDownLatch(1);
        Thread hook = new Thread(() -> onSignal(bot, over));
        Runtime.getRuntime().addShutdownHook(hook);
        int code = bot.run();
        over.countDown();
        if (!bot.isStopped()) Runtime.getRuntime().removeShutdownHook(hook);
        return code;
    }

    /** Java would exit with the number of the signal; an end on request is one in order. */
    private static void onSignal(Main bot, CountDownLatch over) {
        bot.stop("told to end");
        try {
            over.await(LAST_STATUS_WITHIN_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(DONE);
    }

    public static void main(String[] arguments) {
        int code = BUG;
        try {
            code = start(System.getenv(), arguments);
        } catch (Throwable bug) {
            bug.printStackTrace();
        }
        System.exit(code);
    }
}
