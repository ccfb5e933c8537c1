package tichubot;

/** A mistake of whoever started the bot; its text says what to do. */
final class ConfigError extends Exception {
    private static final long serialVersionUID = 1L;

    ConfigError(String message) {
        super(message);
    }
}
