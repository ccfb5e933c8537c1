package tichubot;

import java.util.List;

/** What a strategy answers to a view. No gRPC. */
public sealed interface Answer {
    /** Place in the view's list of plays; with it a wish (rank 2 to 14, null: none) and a call. */
    record Index(int index, Integer wish, boolean tichu) implements Answer {}

    record Pass() implements Answer {}

    /** No bomb. */
    record Decline() implements Answer {}

    /** One of the view's choices. */
    record Choice(String choice) implements Answer {}

    /** Cards for each slot, in the order of the slots. */
    record Gifts(List<List<Integer>> cards) implements Answer {}

    /** One of the view's seats. */
    record Seat(int seat) implements Answer {}

    /** The referee's substitute action, which it takes without a strike. */
    record Default() implements Answer {}
}
