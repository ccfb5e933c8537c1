package tichubot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import tichu.referee.v1.Match.AckStatus;
import tichu.referee.v1.Match.Acknowledgement;
import tichu.referee.v1.Match.Ask;
import tichu.referee.v1.Match.AskCancelled;
import tichu.referee.v1.Match.Event;
import tichu.referee.v1.Match.Pace;
import tichu.referee.v1.Match.Phase;
import tichu.referee.v1.Match.Refused;
import tichu.referee.v1.Match.Snapshot;
import tichu.referee.v1.Match.Update;
import tichu.referee.v1.Referee;
import tichu.referee.v1.Referee.EventDelivery;
import tichu.referee.v1.Referee.Hello;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;
import tichu.referee.v1.Referee.StandDown;
import tichu.referee.v1.Referee.Welcome;

/**
 * One session with a referee: a frame in, at most one frame out. No sockets and no clock here, so
 * it outlives any stream. Asks carry a snapshot, so nothing is remembered of a game but what was
 * said in it.
 */
final class Session {
    private static final int PROTOCOL_VERSION = 1;
    private static final String VERSION = "0.1";
    // No hand can bomb before the exchange is over or after the round is.
    private static final Set<Phase> BOMBS_POSSIBLE =
            Set.of(Phase.PHASE_PLAY, Phase.PHASE_CLOSING, Phase.PHASE_DRAGON, Phase.PHASE_DOG);

    /** What this side must know of a match besides the snapshot. */
    private static final class Seat {
        List<Integer> teams = List.of(); // of the first round, by seat
        boolean fair; // windows are timed, so standing down tells nobody anything
        int round;
        final Set<Integer> stoodDown = new HashSet<>(); // hands, in this round
        final Set<Integer> answered = new HashSet<>(); // asks with an answer of ours that may fail
    }

    /** An answer of one frame: a later part of the frame may cancel its ask. */
    private record Owed(int match, int askId) {}

    private final String botName;
    private final int maxMatches;
    private final Function<View, Answer> strategy;
    private final Map<Integer, Seat> seats = new HashMap<>();
    private String token;
    private int lastRequest;

    /**
     * @param botName for display, 1 to 64 characters
     * @param maxMatches matches played at once, 1 to 512
     */
    Session(String botName, int maxMatches, Function<View, Answer> strategy) {
        this.botName = botName;
        this.maxMatches = maxMatches;
        this.strategy = strategy;
    }

    /** Brings this process back into its seats; null before the first Welcome. */
    String token() {
        return token;
    }

    /** The first frame of every stream. */
    PlayRequest hello() {
        Hello.Builder hello = Hello.newBuilder()
                .setProtocolVersion(PROTOCOL_VERSION)
                .setBotName(botName)
                .setBotVersion(VERSION)
                .setMaxMatches(maxMatches)
                // This bot looks at events only when it must decide.
                .setEventDelivery(EventDelivery.EVENT_DELIVERY_WITH_ASKS)
                .setSdk("tichu-sample-java " + VERSION);
        if (token != null) hello.setSessionToken(token);
        return PlayRequest.newBuilder().setHello(hello).build();
    }

    /** A new stream: what was pending on an older one is forgotten, and comes again. */
    void welcome(Welcome welcome) {
        token = welcome.getSessionToken();
        seats.clear();
    }

    /** Takes in one frame; returns the frame that answers all of it, or null if nothing is due. */
    PlayRequest reply(PlayResponse frame) {
        for (Refused refused : frame.getRefusedList()) Log.say("refused: " + text(refused));
        Map<Owed, Referee.Answer> answers = new LinkedHashMap<>();
        List<StandDown> standDowns = new ArrayList<>();
        for (Update update : frame.getUpdatesList()) takeIn(update, answers, standDowns);
        if (answers.isEmpty() && standDowns.isEmpty()) return null;
        return PlayRequest.newBuilder()
                .addAllAnswers(answers.values())
                .addAllStandDowns(standDowns)
                .build();
    }

    private void takeIn(
            Update update, Map<Owed, Referee.Answer> answers, List<StandDown> standDowns) {
        int match = update.getMatch();
        Seat seat = seats.computeIfAbsent(match, number -> new Seat());
        if (update.hasSeating()) {
            seat.teams = update.getSeating().getTeamsList();
            seat.fair = update.getSeating().getPace() == Pace.PACE_FAIR;
        }
        for (Ask ask : update.getAsksList()) {
            Snapshot snapshot = update.getSnapshot();
            answers.put(new Owed(match, ask.getAskId()), answer(match, ask, snapshot, seat));
            standDown(match, ask, snapshot, seat, standDowns);
        }
        for (int askId : refusedAsks(update))
            // Our answer was no good and the clock runs: take the safe way out, once.
            if (seat.answered.remove(askId))
                answers.put(new Owed(match, askId), Wire.substitute(match, askId));
        for (Acknowledgement ack : update.getAcksList())
            if (ack.getStatus() != AckStatus.ACK_STATUS_REFUSED)
                seat.answered.remove(ack.getAskId());
        for (AskCancelled cancelled : update.getCancelledList()) {
            seat.answered.remove(cancelled.getAskId());
            answers.remove(new Owed(match, cancelled.getAskId()));
        }
        if (update.getEventsList().stream().anyMatch(Event::hasMatchEnded)) seats.remove(match);
    }

    private Referee.Answer answer(int match, Ask ask, Snapshot snapshot, Seat seat) {
        try {
            Answer answer = strategy.apply(Wire.view(ask, snapshot, seat.teams));
            Referee.Answer message = Wire.message(match, ask, answer);
            if (!message.hasDefaultAction()) seat.answered.add(ask.getAskId());
            return message;
        } catch (RuntimeException error) {
            Log.say("strategy failed: match " + match + ", ask " + ask.getAskId() + ": " + error);
            return Wire.substitute(match, ask.getAskId());
        }
    }

    /** A hand never grows: one without a bomb declines all windows of a round at once. */
    private void standDown(
            int match, Ask ask, Snapshot snapshot, Seat seat, List<StandDown> standDowns) {
        int hand = ask.getForSeat();
        List<Integer> cards = Wire.hand(hand, snapshot);
        if (!seat.fair || !BOMBS_POSSIBLE.contains(snapshot.getPhase())) return;
        if (cards.isEmpty() || Cards.holdsBomb(cards)) return;
        if (seat.round != snapshot.getRound()) seat.stoodDown.clear();
        seat.round = snapshot.getRound();
        if (snapshot.getStoodDownList().contains(hand) || !seat.stoodDown.add(hand)) return;
        standDowns.add(StandDown.newBuilder()
                .setMatch(match)
                .setForSeat(hand)
                .setRequestId(++lastRequest)
                .build());
    }

    /** Asks whose answer was refused; a refusal and its acknowledgement say the same. */
    private static Set<Integer> refusedAsks(Update update) {
        Set<Integer> asks = new HashSet<>();
        for (Refused refused : update.getRefusedList()) {
            Log.say("refused: match " + update.getMatch() + ", " + text(refused));
            if (refused.hasAskId()) asks.add(refused.getAskId());
        }
        for (Acknowledgement ack : update.getAcksList())
            if (ack.hasAskId() && ack.getStatus() == AckStatus.ACK_STATUS_REFUSED)
                asks.add(ack.getAskId());
        return asks;
    }

    private static String text(Refused refused) {
        String subject = switch (refused.getSubjectCase()) {
            case ASK_ID -> "ask " + refused.getAskId();
            case REQUEST_ID -> "request " + refused.getRequestId();
            case SUBJECT_NOT_SET -> "a part of a frame";
        };
        return subject + ": " + refused.getCode() + " " + refused.getText();
    }
}
