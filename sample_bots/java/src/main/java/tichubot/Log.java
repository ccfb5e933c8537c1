package tichubot;

/** Lines for people, on stderr: stdout stays empty. */
final class Log {
    private static final int LONGEST = 500; // characters of a line

    private Log() {}

    /** Prints one line; what others wrote in it cannot break the line or steer a terminal. */
    static void say(String text) {
        String line = text.strip().replaceAll("\\p{C}+", " ");
        System.err.println(line.length() > LONGEST ? line.substring(0, LONGEST) + "..." : line);
    }
}
