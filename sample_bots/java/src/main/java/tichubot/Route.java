package tichubot;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Decides which address is dialled next, and after which pause. */
final class Route {
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 2_000;
    private static final int MOST_REDIRECTS = 5; // in a row

    private final List<String> servers;
    private final Deque<String> queue;
    private String lastGood; // null before the first Welcome
    private int redirects;
    private long pauseMs = FIRST_PAUSE_MS;

    Route(List<String> servers) {
        this.servers = servers;
        this.queue = new ArrayDeque<>(servers);
    }

    /** The next address; after the last one the list begins again, the last good one first. */
    String next() {
        if (queue.isEmpty()) {
            Set<String> addresses = new LinkedHashSet<>();
            if (lastGood != null) addresses.add(lastGood);
            addresses.addAll(servers);
            queue.addAll(addresses);
        }
        return queue.remove();
    }

    void welcomed(String address) {
        lastGood = address;
        queue.clear();
        redirects = 0;
        pauseMs = FIRST_PAUSE_MS;
    }

    /** Dials the address named next; false after five in a row, which lead nowhere. */
    boolean redirected(String address) {
        redirects++;
        queue.addFirst(address);
        return redirects <= MOST_REDIRECTS;
    }

    /** Pause before the next dial, milliseconds: none while addresses are untried. */
    long failed() {
        redirects = 0;
        if (!queue.isEmpty()) return 0;
        long pause = pauseMs;
        pauseMs = Math.min(2 * pause, LONGEST_PAUSE_MS);
        return pause;
    }
}
