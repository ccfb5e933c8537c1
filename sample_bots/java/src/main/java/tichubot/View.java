package tichubot;

import java.util.List;
import java.util.Map;

/**
 * What the hand that decides knows. What an ask does not say is empty. No gRPC.
 *
 * @param ask act, bomb, call, exchange, choose_seat, or unknown
 * @param seat the hand that decides
 * @param partners in turn order after the seat, out or not
 * @param opponents likewise; where there are no teams all others
 * @param hand ascending
 * @param counts cards of each hand, by seat
 * @param plays the legal plays of an act or a bomb, as the ask lists them
 * @param leading true: the table is empty
 * @param table null: the table is empty
 * @param owner of the play on the table, else null
 * @param trickPoints card points of all cards in the trick
 * @param calls bets by seat: tichu, grand or great_grand
 * @param called true: this hand has bet
 * @param choices of a call: tichu, grand, no_grand, great_grand, no_great_grand, bid_0 to bid_3,
 *     accept, refuse
 * @param slots of an exchange, one for each recipient
 * @param seats that may be chosen
 * @param why a seat is chosen: dragon or dog, else null
 */
public record View(
        String ask,
        int seat,
        List<Integer> partners,
        List<Integer> opponents,
        List<Integer> hand,
        List<Integer> counts,
        List<Play> plays,
        boolean mayPass,
        boolean leading,
        boolean mayCallTichu,
        Play table,
        Integer owner,
        int trickPoints,
        Map<Integer, String> calls,
        boolean called,
        List<String> choices,
        List<Slot> slots,
        List<Integer> seats,
        String why) {

    public View {
        partners = orEmpty(partners);
        opponents = orEmpty(opponents);
        hand = orEmpty(hand);
        counts = orEmpty(counts);
        plays = orEmpty(plays);
        calls = calls == null ? Map.of() : Map.copyOf(calls);
        choices = orEmpty(choices);
        slots = orEmpty(slots);
        seats = orEmpty(seats);
    }

    private static <T> List<T> orEmpty(List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    /**
     * A play as an ask lists it.
     *
     * @param kind single, pair, triple, full_house, straight, stairs or bomb
     * @param rankHalves height in half ranks
     */
    public record Play(List<Integer> cards, String kind, int rankHalves) {
        public boolean isBomb() {
            return "bomb".equals(kind);
        }
    }

    /**
     * What one recipient is owed in the exchange.
     *
     * @param forced the best or the worst cards, which the referee's substitute action knows
     */
    public record Slot(int toSeat, int count, boolean forced) {}
}
