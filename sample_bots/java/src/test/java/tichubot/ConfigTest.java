package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {
    private static String mistake(Map<String, String> environment, String... flags) {
        return assertThrows(ConfigError.class, () -> Config.read(environment, flags)).getMessage();
    }

    @Test
    void environmentAndFlagsAreRead() throws ConfigError {
        Map<String, String> environment = Map.of(
                "TICHU_SERVER", "unix:/run/x, [::1]:7,, far:1",
                "TICHU_BOT_NAME", "x".repeat(70));
        String[] flags = {"--matches", "512", "--give-up", "3"};
        Config config = Config.read(environment, flags);
        assertEquals(List.of("unix:/run/x", "[::1]:7", "far:1"), config.servers());
        assertEquals("x".repeat(64), config.botName());
        assertEquals(512, config.maxMatches());
        assertEquals(3_000, config.giveUpMs());
        Map<String, String> least = Map.of("TICHU_SERVER", "here:1", "TICHU_TOKEN", "");
        Config usual = Config.read(least, new String[0]);
        assertEquals("greedy-java", usual.botName());
        assertEquals(64, usual.maxMatches());
        assertEquals(60_000, usual.giveUpMs());
    }

    @Test
    void aMistakeIsOneLineThatSaysWhatToSet() {
        Map<String, String> here = Map.of("TICHU_SERVER", "127.0.0.1:1");
        assertTrue(mistake(Map.of()).startsWith("TICHU_SERVER is not set"));
        assertTrue(mistake(Map.of("TICHU_SERVER", " , ")).startsWith("TICHU_SERVER is not set"));
        for (String wrong : new String[] {
            "here", "here:", ":1", "::1:7", "here:0", "here:65536", "here:99999", "here:x", "unix:"
        }) {
            String told = mistake(Map.of("TICHU_SERVER", "near:1," + wrong));
            assertTrue(told.startsWith("TICHU_SERVER \"" + wrong + "\" is no address"), told);
        }
        for (String wrong : new String[] {"0", "513", "-1", "x", "1.5"})
            assertTrue(mistake(here, "--matches", wrong).contains("from 1 to 512"), wrong);
        assertTrue(mistake(here, "--give-up").contains("--give-up"));
        assertTrue(mistake(here, "--fast").contains("--plaintext, --matches N"));
    }

    @Test
    void aTokenLeavesTheMachineOnlyUnderTlsOrWhenToldSo() throws ConfigError {
        Map<String, String> far = Map.of("TICHU_SERVER", "192.0.2.1:7", "TICHU_TOKEN", "secret");
        assertTrue(mistake(far).contains("TICHU_CA_FILE"));
        assertFalse(mistake(far).contains("secret"));
        assertTrue(Config.read(far, new String[] {"--plaintext"}).plaintext());
        Config open = Config.read(Map.of("TICHU_SERVER", "192.0.2.1:7"), new String[0]);
        assertThrows(ConfigError.class, () -> Dial.check("192.0.2.1:7", open, "session"));
    }

    @Test
    void aTokenThatCannotTravelIsRefusedAndNotShown() {
        for (String wrong : List.of("se\ncret", "secret\n", "se\u0001cret", "s\u00e4cret")) {
            Map<String, String> here = Map.of("TICHU_SERVER", "here:1", "TICHU_TOKEN", wrong);
            String told = mistake(here, "--plaintext");
            assertTrue(told.startsWith("TICHU_TOKEN holds"), told);
            assertFalse(told.contains("cret"), told);
        }
    }

    @Test
    void anAuthorityThatIsNoneIsNamed(@TempDir Path folder) throws IOException {
        Path junk = Files.writeString(folder.resolve("junk.pem"), "no certificate");
        for (Path wrong : List.of(folder, folder.resolve("gone.pem"), junk)) {
            Map<String, String> here =
                    Map.of("TICHU_SERVER", "unix:/run/x", "TICHU_CA_FILE", wrong.toString());
            assertTrue(mistake(here).startsWith("TICHU_CA_FILE " + wrong), wrong.toString());
        }
    }

    @Test
    void onlyLoopbackAndUnixSocketsAreThisMachine() {
        for (String local : List.of("unix:/run/x", "127.0.0.1:1", "localhost:1", "[::1]:1"))
            assertTrue(Dial.isLocal(local), local);
        List<String> farAway =
                List.of("127.example.org:1", "10.0.0.1:1", "localhost.example.org:1", "[::2]:1");
        for (String far : farAway) assertFalse(Dial.isLocal(far), far);
    }
}
