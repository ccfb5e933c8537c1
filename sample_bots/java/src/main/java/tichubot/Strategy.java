package tichubot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import tichubot.View.Play;
import tichubot.View.Slot;

/**
 * What to answer. Pure: a view goes in, an answer comes out; no gRPC, no memory, no clock, no
 * chance. The other languages have the same rules in the same order, and all give the same answer
 * to the same view.
 */
public final class Strategy {
    private static final int STRONG_BET = 12; // from which on a Grand is called on the first cards
    private static final int STRONG_TICHU = 11; // and a Tichu with a whole hand
    private static final int RICH_TRICK = 20; // points that are worth a bomb
    private static final int POOR_TRICK = 10; // fewer are not worth a dear card
    private static final int DEAR = 28; // half ranks: an ace, and all that is higher
    private static final int LOW_TABLE = 16; // half ranks: on more a partner's play stays
    private static final int CHEAP = 22; // half ranks: the most that goes on a partner's play
    private static final int NONE = -1; // place of no play

    private Strategy() {}

    /** Answers any view; one of a kind that is not known gets the substitute action. */
    public static Answer decide(View view) {
        return switch (view.ask()) {
            case "call" -> decideCall(view);
            case "exchange" -> decideExchange(view);
            case "choose_seat" -> decideSeat(view);
            case "bomb" -> decideBomb(view);
            case "act" -> decideAct(view);
            default -> new Answer.Default();
        };
    }

    // Calls

    /** Lets calls of others stand, and bets on a strong hand. */
    private static Answer decideCall(View view) {
        List<String> choices = view.choices();
        boolean strong = highCards(view.hand()) >= STRONG_BET;
        if (choices.contains("accept")) return new Answer.Choice("accept");
        if (choices.contains("grand")) return new Answer.Choice(strong ? "grand" : "no_grand");
        if (choices.contains("bid_3")) return new Answer.Choice(strong ? "bid_3" : "bid_0");
        if (choices.contains("great_grand")) return new Answer.Choice("no_great_grand");
        return new Answer.Default();
    }

    /** 4 for each Dragon and Phoenix and 2 for each ace. */
    private static int highCards(List<Integer> hand) {
        int sum = 0;
        for (int card : hand) {
            int inPack = Cards.inPack(card);
            if (inPack == Cards.DRAGON || inPack == Cards.PHOENIX) sum += 4;
            if (Cards.rank(card) == Cards.ACE) sum += 2;
        }
        return sum;
    }

    // Exchange

    /** Gives partners the best ranked cards, everybody else the lowest. */
    private static Answer decideExchange(View view) {
        int owed = view.slots().stream().mapToInt(Slot::count).sum();
        boolean forced = view.slots().stream().anyMatch(Slot::forced);
        if (forced || owed > view.hand().size()) return new Answer.Default();
        List<Integer> rest = new ArrayList<>(view.hand());
        rest.sort(Comparator.<Integer>comparingInt(Cards::worth).thenComparingInt(card -> card));
        List<List<Integer>> gifts = new ArrayList<>();
        for (Slot slot : view.slots()) {
            boolean toPartner = view.partners().contains(slot.toSeat());
            List<Integer> gift = new ArrayList<>();
            while (gift.size() < slot.count())
                gift.add(toPartner ? takeBest(rest) : rest.remove(0));
            gift.sort(null);
            gifts.add(gift);
        }
        return new Answer.Gifts(gifts);
    }

    /** Takes the best card that is no special one out of a sorted hand, or the lowest card. */
    private static Integer takeBest(List<Integer> rest) {
        for (int place = rest.size() - 1; place >= 0; place--)
            if (Cards.worth(rest.get(place)) <= Cards.ACE) return rest.remove(place);
        return rest.remove(0);
    }

    // Who gets the Dragon's trick, or the lead

    /** Names the seat with the most cards, of equal ones the first. */
    private static Answer decideSeat(View view) {
        if (view.seats().isEmpty()) return new Answer.Default();
        int best = view.seats().get(0);
        for (int seat : view.seats())
            if (view.counts().get(seat) > view.counts().get(best)) best = seat;
        return new Answer.Seat(best);
    }

    // Bombs

    /** Throws the first bomb out of turn where that is worth it. */
    private static Answer decideBomb(View view) {
        int bomb = firstBomb(view);
        if (bomb == NONE || !worthABomb(view, view.plays().get(bomb))) return new Answer.Decline();
        return new Answer.Index(bomb, null, false);
    }

    private static int firstBomb(View view) {
        for (int place = 0; place < view.plays().size(); place++)
            if (view.plays().get(place).isBomb()) return place;
        return NONE;
    }

    /** True if the bomb empties the hand, or takes something from an opponent. */
    private static boolean worthABomb(View view, Play bomb) {
        if (empties(view, bomb)) return true;
        Integer owner = view.owner();
        if (owner == null || !view.opponents().contains(owner)) return false;
        int left = view.counts().get(owner);
        return view.trickPoints() >= RICH_TRICK
                || left <= 2
                || (view.calls().containsKey(owner) && left <= 6);
    }

    private static boolean empties(View view, Play play) {
        return play.cards().size() == view.hand().size();
    }

    // A turn

    private static Answer decideAct(View view) {
        if (view.plays().isEmpty())
            return view.mayPass() ? new Answer.Pass() : new Answer.Default();
        int place = lastPlay(view);
        if (place == NONE) place = view.leading() ? lead(view) : follow(view);
        return place == NONE ? new Answer.Pass() : withPlay(view, place);
    }

    /** The first play that empties the hand, a bomb only if nothing else does. */
    private static int lastPlay(View view) {
        int bomb = NONE;
        for (int place = 0; place < view.plays().size(); place++) {
            Play play = view.plays().get(place);
            if (!empties(view, play)) continue;
            if (!play.isBomb()) return place;
            if (bomb == NONE) bomb = place;
        }
        return bomb;
    }

    /** The Dog, if a partner can use the lead, else the cheapest play. */
    private static int lead(View view) {
        boolean heir = view.partners().stream().anyMatch(seat -> view.counts().get(seat) > 0);
        if (heir && !view.called())
            for (int place = 0; place < view.plays().size(); place++)
                if (isAlone(view.plays().get(place), Cards.DOG)) return place;
        List<Integer> places = noBombs(view);
        if (places.isEmpty()) places = allPlaces(view);
        return cheapest(view, places, play -> costToLead(view, play));
    }

    /** Low and many cards cost least. */
    private static int costToLead(View view, Play play) {
        int cards = play.cards().size();
        int cost = play.rankHalves() - 6 * (cards - 1) + 5 * leftOf(view, play);
        if (cards > 1) return cost + (holds(play, Cards.PHOENIX) ? 24 : 0);
        if (isAlone(play, Cards.PHOENIX) || isAlone(play, Cards.DRAGON) || isAlone(play, Cards.DOG))
            cost += 40;
        // Whoever has one card waits for a low single.
        boolean lastCard = view.opponents().stream().anyMatch(seat -> view.counts().get(seat) == 1);
        return lastCard ? cost + 60 - 2 * play.rankHalves() : cost;
    }

    /** What goes on the table, or NONE to pass. */
    private static int follow(View view) {
        int bomb = firstBomb(view);
        boolean bombs = bomb != NONE && worthABomb(view, view.plays().get(bomb));
        List<Integer> places = noBombs(view);
        if (places.isEmpty()) return bombs || !view.mayPass() ? bomb : NONE;
        int place = cheapest(view, places, play -> costToFollow(view, play));
        if (!view.mayPass()) return place;
        Play best = view.plays().get(place);
        if (leavesToPartner(view, best) || saves(view, best)) return NONE;
        return bombs && best.rankHalves() < DEAR ? bomb : place;
    }

    /** Low cards that leave nothing torn cost least. */
    private static int costToFollow(View view, Play play) {
        boolean joker = play.cards().size() > 1 && holds(play, Cards.PHOENIX);
        return play.rankHalves() + 5 * leftOf(view, play) + (joker ? 20 : 0);
    }

    /** True if a partner's play stays: only a cheap one goes on a low one. */
    private static boolean leavesToPartner(View view, Play best) {
        if (view.table() == null || view.owner() == null || !view.partners().contains(view.owner()))
            return false;
        boolean cheap = best.rankHalves() <= CHEAP
                && !isAlone(best, Cards.PHOENIX)
                && !isAlone(best, Cards.DRAGON);
        return view.table().rankHalves() > LOW_TABLE || !cheap || isDanger(view);
    }

    /** True if the best play is too dear for this trick, and waits. */
    private static boolean saves(View view, Play best) {
        boolean dear = best.rankHalves() >= DEAR || holds(best, Cards.PHOENIX);
        boolean waits = view.trickPoints() < POOR_TRICK && view.hand().size() > 6;
        return dear && waits && !view.called() && !isDanger(view);
    }

    /** True if some opponent has only one or two cards. */
    private static boolean isDanger(View view) {
        return view.opponents().stream()
                .mapToInt(seat -> view.counts().get(seat))
                .anyMatch(count -> count == 1 || count == 2);
    }

    /** The answer that plays, with the wish and the Tichu that go with it. */
    private static Answer withPlay(View view, int place) {
        boolean wishes = holds(view.plays().get(place), Cards.MAH_JONG);
        Integer wish = wishes ? rankToWishFor(view.hand()) : null;
        return new Answer.Index(place, wish, callsTichu(view));
    }

    /** The highest rank of which the hand has no card: somebody else must play it. */
    private static int rankToWishFor(List<Integer> hand) {
        for (int rank = Cards.ACE; rank > Cards.LOWEST; rank--)
            if (countRank(hand, rank) == 0) return rank;
        return Cards.LOWEST;
    }

    /** True if the hand is strong enough for a Tichu that nobody else of the team called. */
    private static boolean callsTichu(View view) {
        if (!view.mayCallTichu() || view.called()) return false;
        if (view.partners().stream().anyMatch(view.calls()::containsKey)) return false;
        return strength(view.hand()) >= STRONG_TICHU;
    }

    /** Counts high cards and bombs, and the low cards that are alone of their rank against them. */
    private static int strength(List<Integer> hand) {
        int sum = highCards(hand);
        for (int rank = Cards.LOWEST; rank <= Cards.ACE; rank++) {
            int count = countRank(hand, rank);
            if (count >= 4) sum += 4;
            if (count == 1 && rank < 10) sum -= 1;
        }
        return sum;
    }

    private static int countRank(List<Integer> cards, int rank) {
        return (int) cards.stream().filter(card -> Cards.rank(card) == rank).count();
    }

    // Plays

    private static List<Integer> allPlaces(View view) {
        List<Integer> places = new ArrayList<>();
        for (int place = 0; place < view.plays().size(); place++) places.add(place);
        return places;
    }

    private static List<Integer> noBombs(View view) {
        List<Integer> places = allPlaces(view);
        places.removeIf(place -> view.plays().get(place).isBomb());
        return places;
    }

    /** The place of the lowest cost, of equal ones the first; there must be one. */
    private static int cheapest(View view, List<Integer> places, ToIntFunction<Play> cost) {
        int best = places.get(0);
        for (int place : places)
            if (cost.applyAsInt(view.plays().get(place)) < cost.applyAsInt(view.plays().get(best)))
                best = place;
        return best;
    }

    /** How many cards stay in the hand of the ranks that the play takes from. */
    private static int leftOf(View view, Play play) {
        Set<Integer> ranks = new HashSet<>();
        for (int card : play.cards()) ranks.add(Cards.rank(card));
        int left = 0;
        for (int rank : ranks)
            if (rank >= Cards.LOWEST)
                left += countRank(view.hand(), rank) - countRank(play.cards(), rank);
        return left;
    }

    /** True if the play is this one special card, of either pack. */
    private static boolean isAlone(Play play, int special) {
        return play.cards().size() == 1 && holds(play, special);
    }

    private static boolean holds(Play play, int special) {
        return play.cards().stream().anyMatch(card -> Cards.inPack(card) == special);
    }
}
