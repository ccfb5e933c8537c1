package tichubot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the environment and the command line say.
 *
 * @param servers addresses to try in order
 * @param token bearer token; null with an open identity
 * @param caFile PEM file of the authority to trust; TLS is used if and only if it is not null
 * @param plaintext true: secrets may leave this machine without TLS
 * @param maxMatches matches at once, 1 to 512
 * @param giveUpMs how long to look for a referee that does not answer, milliseconds
 */
record Config(
        List<String> servers,
        String token,
        String caFile,
        boolean plaintext,
        String botName,
        int maxMatches,
        long giveUpMs) {

    static final String USAGE = """
            usage: TICHU_SERVER=ADDRESS run [--plaintext] [--matches N] [--give-up SECONDS]

            Dials a referee and plays. `referee play` sets the variables for the bots it starts.

              TICHU_SERVER       unix:/path, host:port or [v6]:port; a comma list is tried in order
              TICHU_TOKEN        who the bot is
              TICHU_CA_FILE      PEM file of the authority that signs the referee's certificate: TLS
              TICHU_BOT_NAME     name for display
              --plaintext        lets the token travel unencrypted to another machine
              --matches N        matches at once, 1 to 512 (64)
              --give-up SECONDS  how long to look for a referee that does not answer (60)

            Exit status: 0 in order, 1 a bug, 2 settings, 3 no referee answers, 4 refused.""";

    private static final int LONGEST_NAME = 64; // characters
    private static final int MOST_MATCHES = 512;
    private static final int MOST_SECONDS = 86_400;

    /** Reads both; the error says what to set. */
    static Config read(Map<String, String> environment, String[] arguments) throws ConfigError {
        boolean plaintext = false;
        int matches = 64;
        // A referee that restarts has its bots back within 30 s; twice that is for good.
        int giveUp = 60;
        for (int at = 0; at < arguments.length; at++) {
            switch (arguments[at]) {
                case "--plaintext" -> plaintext = true;
                case "--matches" -> matches = number(arguments, at++, MOST_MATCHES);
                case "--give-up" -> giveUp = number(arguments, at++, MOST_SECONDS);
                default -> throw new ConfigError("unknown argument " + arguments[at]
                        + "; flags: --plaintext, --matches N, --give-up SECONDS, --help");
            }
        }
        String name = environment.getOrDefault("TICHU_BOT_NAME", "");
        Config config = new Config(
                servers(environment.getOrDefault("TICHU_SERVER", "")),
                orNull(environment.get("TICHU_TOKEN")),
                orNull(environment.get("TICHU_CA_FILE")),
                plaintext,
                name.isEmpty() ? "greedy-java" : shortened(name),
                matches,
                giveUp * 1000L);
        if (config.token() != null && !config.token().matches("[ -~]*"))
            throw new ConfigError("TICHU_TOKEN holds a character that no token has: set it anew");
        for (String server : config.servers()) Dial.check(server, config, null);
        if (config.caFile() != null) Dial.authority(config.caFile());
        return config;
    }

    private static List<String> servers(String text) throws ConfigError {
        List<String> servers = new ArrayList<>();
        for (String server : text.split(",")) if (!server.isBlank()) servers.add(server.strip());
        if (servers.isEmpty())
            throw new ConfigError(
                    "TICHU_SERVER is not set: unix:/path, host:port, [v6]:port, or a comma list");
        return List.copyOf(servers);
    }

    /** The number after the flag at this place, from 1. */
    private static int number(String[] arguments, int at, int most) throws ConfigError {
        String text = at + 1 < arguments.length ? arguments[at + 1] : "";
        int value = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
        if (value < 1 || value > most)
            throw new ConfigError(arguments[at] + " \"" + text + "\": a whole number from 1 to "
                    + most + " is needed");
        return value;
    }

    private static String orNull(String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static String shortened(String name) {
        int characters = name.codePointCount(0, name.length());
        return name.substring(0, name.offsetByCodePoints(0, Math.min(characters, LONGEST_NAME)));
    }
}
