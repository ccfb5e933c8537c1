package tichubot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Cards as the protocol numbers them: 4 * rank + suit, below them the four special cards, in a
 * second pack 64 more. No gRPC.
 */
public final class Cards {
    public static final int DOG = 1;
    public static final int PHOENIX = 2;
    public static final int DRAGON = 3;
    public static final int MAH_JONG = 4;
    public static final int LOWEST = 2;
    public static final int ACE = 14;

    private static final int PACK = 64;
    private static final int FIRST_RANKED = 4 * LOWEST;
    private static final int LAST_RANKED = 4 * ACE + 3;
    private static final int SUITS = 4;
    private static final int LEAST_STRAIGHT = 5;
    private static final String RANK_LETTERS = "23456789TJQKA";
    private static final String SUIT_LETTERS = "jspr";
    private static final List<String> SPECIALS = List.of("Dg", "Ph", "Dr", "Mj"); // numbers 1 to 4

    private Cards() {}

    /** True if the number is a card of either pack. */
    public static boolean isCard(int card) {
        int inPack = inPack(card);
        boolean special = inPack >= DOG && inPack <= MAH_JONG;
        boolean ranked = inPack >= FIRST_RANKED && inPack <= LAST_RANKED;
        return card > 0 && card < 2 * PACK && (special || ranked);
    }

    /** The card's number in its own pack: the same for a card and its like in the second pack. */
    public static int inPack(int card) {
        return card % PACK;
    }

    /** Reads cards such as "Mj 2j Ph'"; throws IllegalArgumentException where a word is no card. */
    public static List<Integer> parse(String text) {
        List<Integer> cards = new ArrayList<>();
        for (String word : text.split(" "))
            if (!word.isEmpty()) cards.add(parseOne(word));
        return List.copyOf(cards);
    }

    private static int parseOne(String word) {
        boolean second = word.endsWith("'");
        String name = second ? word.substring(0, word.length() - 1) : word;
        int card = SPECIALS.indexOf(name) + DOG;
        if (card < DOG && name.length() == 2) {
            int rank = RANK_LETTERS.indexOf(name.charAt(0));
            int suit = SUIT_LETTERS.indexOf(name.charAt(1));
            if (rank >= 0 && suit >= 0) card = SUITS * (rank + LOWEST) + suit;
        }
        if (card < DOG) throw new IllegalArgumentException("\"" + word + "\" is no card");
        return second ? card + PACK : card;
    }

    /** The cards as text, ascending by number. */
    public static String show(List<Integer> cards) {
        return cards.stream().sorted().map(Cards::name).collect(Collectors.joining(" "));
    }

    private static String name(int card) {
        if (!isCard(card)) throw new IllegalArgumentException(card + " is no card");
        int inPack = inPack(card);
        char rank = inPack <= MAH_JONG ? ' ' : RANK_LETTERS.charAt(inPack / SUITS - LOWEST);
        char suit = SUIT_LETTERS.charAt(inPack % SUITS);
        String name = inPack <= MAH_JONG ? SPECIALS.get(inPack - DOG) : "" + rank + suit;
        return card < PACK ? name : name + "'";
    }

    /** 2 to 14, the Mah Jong 1, the other special cards 0. */
    public static int rank(int card) {
        return inPack(card) / SUITS;
    }

    /** What the card counts in a trick. */
    public static int points(int card) {
        return switch (inPack(card)) {
            case PHOENIX -> -25;
            case DRAGON -> 25;
            default -> switch (rank(card)) {
                case 5 -> 5;
                case 10, 13 -> 10;
                default -> 0;
            };
        };
    }

    /** Orders cards from bad to good: Dog, 2 to ace, Mah Jong, Phoenix, Dragon. */
    public static int worth(int card) {
        return switch (inPack(card)) {
            case DOG -> 0;
            case MAH_JONG -> 15;
            case PHOENIX -> 16;
            case DRAGON -> 17;
            default -> rank(card);
        };
    }

    /** True if four cards of a rank in four suits are in the hand, or a straight of one suit. */
    public static boolean holdsBomb(List<Integer> hand) {
        Set<Integer> held = new HashSet<>();
        for (int card : hand) held.add(inPack(card));
        for (int rank = LOWEST; rank <= ACE; rank++)
            if (holdsAllSuits(held, rank)) return true;
        for (int suit = 0; suit < SUITS; suit++)
            if (holdsStraight(held, suit)) return true;
        return false;
    }

    private static boolean holdsAllSuits(Set<Integer> held, int rank) {
        for (int suit = 0; suit < SUITS; suit++)
            if (!held.contains(SUITS * rank + suit)) return false;
        return true;
    }

    private static boolean holdsStraight(Set<Integer> held, int suit) {
        int run = 0;
        for (int rank = LOWEST; rank <= ACE; rank++) {
            run = held.contains(SUITS * rank + suit) ? run + 1 : 0;
            if (run == LEAST_STRAIGHT) return true;
        }
        return false;
    }

    /** The cards as dealt from the seed, the first one first: docs/RULES.md, "The shuffle". */
    public static List<Integer> shuffle(byte[] seed, List<Integer> cards) {
        List<Integer> order = new ArrayList<>(cards);
        Words words = new Words(seed);
        for (int last = order.size() - 1; last > 0; last--) {
            int drawn = words.below(last + 1);
            order.set(last, order.set(drawn, order.get(last)));
        }
        return order;
    }

    /** The 32 bytes that every seat gets before the first card of a round. */
    public static byte[] commitment(String matchId, byte[] seed) {
        MessageDigest digest = sha256();
        digest.update("tichu-commit".getBytes(StandardCharsets.UTF_8));
        digest.update(matchId.getBytes(StandardCharsets.UTF_8));
        return digest.digest(seed);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has SHA-256", error);
        }
    }

    /** The 32-bit words of a seed: SHA-256(seed, number of the block), eight to a block. */
    private static final class Words {
        private final byte[] seed;
        private long block;
        private ByteBuffer words = ByteBuffer.allocate(0);

        Words(byte[] seed) {
            this.seed = seed;
        }

        /** A number from 0 below n: words that would make some numbers likelier are skipped. */
        int below(int n) {
            long limit = (1L << 32) / n * n;
            long word;
            do word = next();
            while (word >= limit);
            return (int) (word % n);
        }

        private long next() {
            if (!words.hasRemaining()) {
                MessageDigest digest = sha256();
                digest.update(seed);
                digest.update(ByteBuffer.allocate(Long.BYTES).putLong(block++).flip());
                words = ByteBuffer.wrap(digest.digest());
            }
            return Integer.toUnsignedLong(words.getInt());
        }
    }
}
