package tichubot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import tichu.referee.v1.Match.Ask;
import tichu.referee.v1.Match.CallKind;
import tichu.referee.v1.Match.CallMade;
import tichu.referee.v1.Match.ChooseSeatReason;
import tichu.referee.v1.Match.ExchangeSlot;
import tichu.referee.v1.Match.Gift;
import tichu.referee.v1.Match.PlayKind;
import tichu.referee.v1.Match.Snapshot;
import tichu.referee.v1.Referee;
import tichu.referee.v1.Referee.ActAnswer;
import tichu.referee.v1.Referee.BombAnswer;
import tichu.referee.v1.Referee.CallAnswer;
import tichu.referee.v1.Referee.ChooseSeatAnswer;
import tichu.referee.v1.Referee.Decline;
import tichu.referee.v1.Referee.DefaultAction;
import tichu.referee.v1.Referee.ExchangeAnswer;
import tichu.referee.v1.Referee.Pass;

/** Translates messages into views, and answers into messages. What is unknown is left out. */
final class Wire {
    private static final List<String> BETS = List.of("tichu", "grand", "great_grand"); // rising
    private static final String CALL_PREFIX = "CALL_KIND_";
    private static final String PLAY_PREFIX = "PLAY_KIND_";

    private static final ActAnswer PASS =
            ActAnswer.newBuilder().setPass(Pass.getDefaultInstance()).build();
    private static final BombAnswer DECLINE =
            BombAnswer.newBuilder().setDecline(Decline.getDefaultInstance()).build();

    private Wire() {}

    /** The view of the hand that an ask is for; seatingTeams where the snapshot names none. */
    static View view(Ask ask, Snapshot snapshot, List<Integer> seatingTeams) {
        int seat = ask.getForSeat();
        List<Integer> teams = snapshot.getTeamsCount() > 0 ? snapshot.getTeamsList() : seatingTeams;
        List<Integer> partners = new ArrayList<>();
        List<Integer> opponents = new ArrayList<>();
        for (int other : othersInTurnOrder(seat, snapshot))
            (areTeam(teams, seat, other) ? partners : opponents).add(other);
        Map<Integer, String> calls = calls(snapshot);
        return new View(
                kind(ask),
                seat,
                partners,
                opponents,
                hand(seat, snapshot),
                snapshot.getHandCountsList(),
                plays(ask),
                ask.getAct().getMayPass(),
                ask.getAct().getLeading(),
                ask.getAct().getMayCallTichu() || ask.getExchange().getMayCallTichu(),
                snapshot.hasTable() ? play(snapshot.getTable()) : null,
                snapshot.hasOwner() ? snapshot.getOwner() : null,
                cards(snapshot.getTrickValueList()).stream().mapToInt(Cards::points).sum(),
                calls,
                calls.containsKey(seat),
                choices(ask),
                ask.getExchange().getSlotsList().stream().map(Wire::slot).toList(),
                ask.getChooseSeat().getSeatsList(),
                why(ask.getChooseSeat().getWhy()));
    }

    private static String kind(Ask ask) {
        return switch (ask.getKindCase()) {
            case ACT -> "act";
            case BOMB -> "bomb";
            case CALL -> "call";
            case EXCHANGE -> "exchange";
            case CHOOSE_SEAT -> "choose_seat";
            case KIND_NOT_SET -> "unknown";
        };
    }

    private static List<Integer> othersInTurnOrder(int seat, Snapshot snapshot) {
        List<Integer> order = snapshot.getTurnOrderList();
        if (order.isEmpty())
            order = IntStream.range(0, snapshot.getHandCountsCount()).boxed().toList();
        int at = order.indexOf(seat) + 1;
        List<Integer> others = new ArrayList<>(order.subList(at, order.size()));
        others.addAll(order.subList(0, Math.max(0, at - 1)));
        return others;
    }

    /** Where there are no teams everybody plays alone. */
    private static boolean areTeam(List<Integer> teams, int seat, int other) {
        return Math.max(seat, other) < teams.size() && teams.get(seat).equals(teams.get(other));
    }

    /** The cards of a hand, ascending; none where the snapshot does not have it. */
    static List<Integer> hand(int seat, Snapshot snapshot) {
        for (Gift hand : snapshot.getHandsList())
            if (hand.getSeat() == seat) return cards(hand.getCardsValueList());
        return List.of();
    }

    private static List<Integer> cards(List<Integer> numbers) {
        return numbers.stream().filter(Cards::isCard).sorted().toList();
    }

    private static List<View.Play> plays(Ask ask) {
        var plays = ask.hasBomb() ? ask.getBomb().getPlaysList() : ask.getAct().getPlaysList();
        return plays.stream().map(Wire::play).toList();
    }

    private static View.Play play(tichu.referee.v1.Match.Play play) {
        String kind = play.getKind() == PlayKind.UNRECOGNIZED
                ? "unknown"
                : lower(play.getKind().name().substring(PLAY_PREFIX.length()));
        return new View.Play(cards(play.getCardsValueList()), kind, play.getRankHalves());
    }

    private static View.Slot slot(ExchangeSlot slot) {
        boolean forced = slot.getForcedBest() || slot.getForcedWorst();
        return new View.Slot(slot.getToSeat(), slot.getCount(), forced);
    }

    /** The highest bet of each seat. */
    private static Map<Integer, String> calls(Snapshot snapshot) {
        Map<Integer, String> calls = new HashMap<>();
        for (CallMade made : snapshot.getCallsList()) {
            String call = callText(made.getCall()).orElse("");
            if (BETS.indexOf(call) > BETS.indexOf(calls.getOrDefault(made.getSeat(), "")))
                calls.put(made.getSeat(), call);
        }
        return calls;
    }

    private static List<String> choices(Ask ask) {
        List<CallKind> choices = ask.getCall().getChoicesList();
        return choices.stream().map(Wire::callText).flatMap(Optional::stream).toList();
    }

    private static Optional<String> callText(CallKind call) {
        boolean known = call != CallKind.UNRECOGNIZED && call != CallKind.CALL_KIND_UNSPECIFIED;
        if (!known) return Optional.empty();
        return Optional.of(lower(call.name().substring(CALL_PREFIX.length())));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static String why(ChooseSeatReason why) {
        return switch (why) {
            case CHOOSE_SEAT_REASON_DRAGON -> "dragon";
            case CHOOSE_SEAT_REASON_DOG -> "dog";
            default -> null;
        };
    }

    /** The message for an answer to an ask of a match. */
    static Referee.Answer message(int match, Ask ask, Answer answer) {
        var message = Referee.Answer.newBuilder().setMatch(match).setAskId(ask.getAskId());
        if (answer instanceof Answer.Index play && ask.hasBomb()) message.setBomb(bomb(play));
        else if (answer instanceof Answer.Index play) message.setAct(act(play));
        else if (answer instanceof Answer.Pass) message.setAct(PASS);
        else if (answer instanceof Answer.Decline) message.setBomb(DECLINE);
        else if (answer instanceof Answer.Choice choice) message.setCall(call(choice));
        else if (answer instanceof Answer.Gifts gifts) message.setExchange(exchange(ask, gifts));
        else if (answer instanceof Answer.Seat seat)
            message.setChooseSeat(ChooseSeatAnswer.newBuilder().setSeat(seat.seat()));
        else message.setDefaultAction(DefaultAction.getDefaultInstance());
        return message.build();
    }

    /** Asks for the referee's substitute action. */
    static Referee.Answer substitute(int match, int askId) {
        return Referee.Answer.newBuilder()
                .setMatch(match)
                .setAskId(askId)
                .setDefaultAction(DefaultAction.getDefaultInstance())
                .build();
    }

    private static ActAnswer act(Answer.Index play) {
        var act = ActAnswer.newBuilder().setIndex(play.index()).setTichu(play.tichu());
        if (play.wish() != null) act.setWish(play.wish());
        return act.build();
    }

    private static BombAnswer bomb(Answer.Index play) {
        return BombAnswer.newBuilder().setIndex(play.index()).build();
    }

    private static CallAnswer call(Answer.Choice choice) {
        String name = CALL_PREFIX + choice.choice().toUpperCase(Locale.ROOT);
        return CallAnswer.newBuilder().setChoice(CallKind.valueOf(name)).build();
    }

    private static ExchangeAnswer exchange(Ask ask, Answer.Gifts gifts) {
        var exchange = ExchangeAnswer.newBuilder();
        for (int place = 0; place < gifts.cards().size(); place++) {
            int recipient = ask.getExchange().getSlots(place).getToSeat();
            List<Integer> cards = gifts.cards().get(place);
            exchange.addGifts(Gift.newBuilder().setSeat(recipient).addAllCardsValue(cards));
        }
        return exchange.build();
    }
}
