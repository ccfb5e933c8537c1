package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tichu.referee.v1.CardOuterClass.Card;
import tichu.referee.v1.Match.ActAsk;
import tichu.referee.v1.Match.Ask;
import tichu.referee.v1.Match.Play;
import tichu.referee.v1.Match.PlayKind;
import tichu.referee.v1.Match.Update;
import tichu.referee.v1.Referee.Closing;
import tichu.referee.v1.Referee.ClosingCode;
import tichu.referee.v1.Referee.Hello;
import tichu.referee.v1.Referee.Moved;
import tichu.referee.v1.Referee.Ping;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;

@Timeout(2 * ScriptedReferee.LIMIT_S)
class MainTest {
    /** Runs the bot in this process; its exit status comes later. */
    private static Future<Integer> start(String servers, String... flags) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Main.start(Map.of("TICHU_SERVER", servers), flags);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }, task -> new Thread(task, "bot").start());
    }

    private static int exit(Future<Integer> bot) throws Exception {
        return bot.get(ScriptedReferee.LIMIT_S, TimeUnit.SECONDS);
    }

    private static Update.Builder turn(int askId) {
        Play.Builder six = Play.newBuilder().addCards(Card.CARD_STAR_6);
        ActAsk.Builder act = ActAsk.newBuilder().addPlays(six.setKind(PlayKind.PLAY_KIND_SINGLE));
        Ask.Builder ask = Ask.newBuilder().setAskId(askId).setAct(act);
        return Update.newBuilder().setMatch(1).addAsks(ask);
    }

    /** Asks once more and sees the answer: the bot is there and plays. */
    private static void playsOn(ScriptedReferee.Stream stream, int askId) throws Exception {
        stream.send(turn(askId));
        assertAnswers(stream.frame(), askId);
    }

    private static void assertAnswers(PlayRequest frame, int askId) {
        assertEquals(1, frame.getAnswersCount());
        assertEquals(askId, frame.getAnswers(0).getAskId());
        assertTrue(frame.getAnswers(0).hasAct());
    }

    private static void close(ScriptedReferee.Stream stream, ClosingCode code, boolean retry) {
        Closing.Builder closing = Closing.newBuilder().setCode(code).setText("bye").setRetry(retry);
        stream.send(PlayResponse.newBuilder().setClosing(closing));
        stream.end(Status.UNAVAILABLE);
    }

    private static void endInOrder(ScriptedReferee.Stream stream, Future<Integer> bot)
            throws Exception {
        close(stream, ClosingCode.CLOSING_CODE_DRAINING, false);
        assertEquals(0, exit(bot));
    }

    @Test
    void aPingIsAnsweredAndAsksBesideIt() throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen()) {
            Future<Integer> bot = start(referee.address, "--matches", "8");
            ScriptedReferee.Stream stream = referee.stream();
            Hello hello = stream.welcome("session");
            assertEquals(1, hello.getProtocolVersion());
            assertEquals("greedy-java", hello.getBotName());
            assertEquals(8, hello.getMaxMatches());
            assertFalse(hello.hasSessionToken());
            assertNull(stream.header("authorization"));
            Ping.Builder ping = Ping.newBuilder().setNumber(7);
            stream.send(PlayResponse.newBuilder().setPing(ping).addUpdates(turn(3)));
            assertEquals(7, stream.frame().getPong().getNumber());
            assertAnswers(stream.frame(), 3);
            endInOrder(stream, bot);
        }
    }

    @Test
    void afterALostLinkTheBotIsBackWithItsSession() throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen()) {
            Future<Integer> bot = start(referee.address);
            ScriptedReferee.Stream stream = referee.stream();
            stream.welcome("session 0");
            int askId = 0;
            for (Status lost : List.of(Status.UNAVAILABLE, Status.INTERNAL, Status.OK)) {
                String session = "session " + askId;
                playsOn(stream, ++askId);
                stream.end(lost);
                stream = referee.stream();
                assertEquals(session, stream.welcome("session " + askId).getSessionToken());
                playsOn(stream, askId); // the open ask comes again
            }
            endInOrder(stream, bot);
        }
    }

    @Test
    void serversAreTriedInTheOrderOfTheList(@TempDir Path folder) throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen(folder.resolve("referee"))) {
            String nobody = "unix:" + folder + "/nobody, 127.0.0.1:1, ";
            Future<Integer> bot = start(nobody + referee.address);
            ScriptedReferee.Stream stream = referee.stream();
            stream.welcome("session");
            playsOn(stream, 1);
            endInOrder(stream, bot);
        }
    }

    @Test
    void fiveRedirectsInARowAreFollowedASixthIsNot() throws Exception {
        try (ScriptedReferee here = ScriptedReferee.listen();
                ScriptedReferee there = ScriptedReferee.listen()) {
            Future<Integer> bot = start(here.address);
            for (int hop = 0; hop < 4; hop++) here.redirect(here.address);
            here.redirect(there.address);
            ScriptedReferee.Stream stream = there.stream();
            assertFalse(stream.welcome("session").hasSessionToken());
            playsOn(stream, 1);
            stream.end(Status.UNAVAILABLE);
            for (int hop = 0; hop < 6; hop++) there.redirect(there.address);
            assertEquals(4, exit(bot));
        }
    }

    @Test
    void movedIsFollowedWithTheSessionAndThenTheListIsTried() throws Exception {
        ScriptedReferee there = ScriptedReferee.listen();
        try (ScriptedReferee here = ScriptedReferee.listen()) {
            Future<Integer> bot = start(here.address);
            ScriptedReferee.Stream old = here.stream(); // stays open on the referee's side
            old.welcome("on the road");
            playsOn(old, 1);
            Moved.Builder moved = Moved.newBuilder().setAddress(there.address);
            old.send(PlayResponse.newBuilder().setMoved(moved));
            ScriptedReferee.Stream stream = there.stream();
            assertEquals("on the road", stream.welcome("arrived").getSessionToken());
            playsOn(stream, 2);
            there.close();
            stream = here.stream();
            assertEquals("arrived", stream.welcome("home").getSessionToken());
            playsOn(stream, 2);
            endInOrder(stream, bot);
        } finally {
            there.close();
        }
    }

    @Test
    void closingSaysWhetherToComeBack() throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen()) {
            Map<ClosingCode, Integer> codes = Map.of(
                    ClosingCode.CLOSING_CODE_DRAINING, 0,
                    ClosingCode.CLOSING_CODE_SUPERSEDED, 0,
                    ClosingCode.CLOSING_CODE_FLOODING, 4,
                    ClosingCode.CLOSING_CODE_UNSPECIFIED, 4);
            for (ClosingCode code : codes.keySet()) {
                Future<Integer> bot = start(referee.address);
                for (boolean retry : new boolean[] {true, false}) {
                    ScriptedReferee.Stream stream = referee.stream();
                    stream.welcome("session");
                    close(stream, code, retry);
                }
                assertEquals(codes.get(code), exit(bot), code.name());
            }
        }
    }

    @Test
    void aRefereeThatRefusesTheBotIsNotAskedAgain() throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen()) {
            Map<Status, Integer> codes = Map.of(
                    Status.UNAUTHENTICATED, 4,
                    Status.INVALID_ARGUMENT, 4,
                    Status.FAILED_PRECONDITION, 4,
                    Status.ABORTED, 0);
            for (Status status : codes.keySet()) {
                Future<Integer> bot = start(referee.address);
                referee.stream().end(status.withDescription("because"));
                assertEquals(codes.get(status), exit(bot), status.toString());
            }
        }
    }

    @Test
    void aRefereeThatNeverAnswersIsGivenUp(@TempDir Path folder) throws Exception {
        assertEquals(3, exit(start("unix:" + folder.resolve("nobody"), "--give-up", "1")));
    }

    @Test
    void wrongSettingsHaveAStatusOfTheirOwn() throws Exception {
        assertEquals(2, exit(start("nowhere")));
        assertEquals(2, exit(start("127.0.0.1:1", "--matches", "0")));
    }

    @Test
    void anOwnProcessSaysGoodbyeOnASignalAndKeepsItsToken(@TempDir Path folder) throws Exception {
        try (ScriptedReferee referee = ScriptedReferee.listen(folder.resolve("referee"))) {
            Process bot = process(folder, referee.address);
            ScriptedReferee.Stream stream = referee.stream();
            assertEquals("Bearer secret", stream.header("authorization"));
            assertEquals("Ada", stream.welcome("hidden").getBotName());
            playsOn(stream, 1);
            bot.toHandle().destroy(); // SIGTERM; Process.destroy would close its streams as well
            assertTrue(stream.frame().hasGoodbye());
            assertEquals(Optional.empty(), stream.next());
            stream.end(Status.OK);
            assertEquals("", read(bot.getInputStream()));
            String line = "connected to " + referee.address + " as Ada\n";
            assertEquals(line, read(bot.getErrorStream()));
            assertEquals(0, bot.waitFor());
        }
    }

    @Test
    void aSignalEndsABotThatFindsNobody(@TempDir Path folder) throws Exception {
        Process bot = process(folder, "unix:" + folder.resolve("nobody"));
        bot.getErrorStream().read(); // its first line: it dials, and will go on dialling
        bot.toHandle().destroy();
        bot.getErrorStream().readAllBytes();
        assertEquals(0, bot.waitFor());
    }

    private static String read(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Starts the bot as a referee does, from a folder that is not its own. */
    private static Process process(Path folder, String server) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "tichubot.Main"));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(Map.of(
                "TICHU_SERVER", server, "TICHU_TOKEN", "secret", "TICHU_BOT_NAME", "Ada"));
        return builder.start();
    }
}
