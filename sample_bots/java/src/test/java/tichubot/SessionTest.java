package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import tichu.referee.v1.CardOuterClass.Card;
import tichu.referee.v1.Match.AckStatus;
import tichu.referee.v1.Match.Acknowledgement;
import tichu.referee.v1.Match.ActAsk;
import tichu.referee.v1.Match.Ask;
import tichu.referee.v1.Match.AskCancelled;
import tichu.referee.v1.Match.BombAsk;
import tichu.referee.v1.Match.CallAsk;
import tichu.referee.v1.Match.CallKind;
import tichu.referee.v1.Match.CallMade;
import tichu.referee.v1.Match.ChooseSeatAsk;
import tichu.referee.v1.Match.Event;
import tichu.referee.v1.Match.ExchangeAsk;
import tichu.referee.v1.Match.ExchangeSlot;
import tichu.referee.v1.Match.Gift;
import tichu.referee.v1.Match.Pace;
import tichu.referee.v1.Match.Phase;
import tichu.referee.v1.Match.Play;
import tichu.referee.v1.Match.PlayKind;
import tichu.referee.v1.Match.Refused;
import tichu.referee.v1.Match.Seating;
import tichu.referee.v1.Match.Snapshot;
import tichu.referee.v1.Match.Update;
import tichu.referee.v1.Referee.PlayRequest;
import tichu.referee.v1.Referee.PlayResponse;
import tichu.referee.v1.Referee.Welcome;

class SessionTest {
    private final Session session = new Session("test", 4, Strategy::decide);

    private PlayRequest reply(Update.Builder... updates) {
        PlayResponse.Builder frame = PlayResponse.newBuilder();
        for (Update.Builder update : updates) frame.addUpdates(update);
        return session.reply(frame.build());
    }

    private static Update.Builder update(int match, Ask.Builder... asks) {
        Update.Builder update = Update.newBuilder().setMatch(match);
        for (Ask.Builder ask : asks) update.addAsks(ask);
        return update;
    }

    private static Ask.Builder turn(int askId) {
        Play.Builder six = Play.newBuilder().addCards(Card.CARD_STAR_6).setRankHalves(12);
        return Ask.newBuilder()
                .setAskId(askId)
                .setAct(ActAsk.newBuilder().addPlays(six.setKind(PlayKind.PLAY_KIND_SINGLE)));
    }

    private static Ask.Builder window(int askId, int hand) {
        BombAsk bomb = BombAsk.getDefaultInstance();
        return Ask.newBuilder().setAskId(askId).setForSeat(hand).setBomb(bomb);
    }

    private static Snapshot.Builder snapshot(int round, int hand, String cards) {
        return Snapshot.newBuilder()
                .setRound(round)
                .setPhase(Phase.PHASE_PLAY)
                .addHands(Gift.newBuilder().setSeat(hand).addAllCardsValue(Cards.parse(cards)))
                .addAllHandCounts(List.of(14, 14, 14, 14));
    }

    private static List<String> decisions(PlayRequest frame) {
        return frame.getAnswersList().stream()
                .map(each -> each.getMatch() + "/" + each.getAskId() + " " + each.getDecisionCase())
                .toList();
    }

    private static List<Integer> standDowns(PlayRequest frame) {
        return frame.getStandDownsList().stream().map(each -> each.getForSeat()).toList();
    }

    @Test
    void oneFrameAnswersAllAsksOfAFrameOverAllMatches() {
        ExchangeAsk.Builder exchange = ExchangeAsk.newBuilder();
        for (int to : new int[] {3, 0, 1})
            exchange.addSlots(ExchangeSlot.newBuilder().setToSeat(to).setCount(1));
        CallAsk.Builder grand = CallAsk.newBuilder()
                .addChoices(CallKind.CALL_KIND_GRAND)
                .addChoices(CallKind.CALL_KIND_NO_GRAND);
        ChooseSeatAsk.Builder dragon = ChooseSeatAsk.newBuilder().addSeats(1).addSeats(3);
        PlayRequest frame = reply(
                update(1, Ask.newBuilder().setAskId(1).setCall(grand)),
                update(2, Ask.newBuilder().setAskId(4).setForSeat(2).setExchange(exchange))
                        .setSnapshot(
                                snapshot(1, 2, "Dr 2j 3j Aj").addAllTeams(List.of(0, 1, 0, 1))),
                update(3, turn(9)),
                update(4, Ask.newBuilder().setAskId(2).setChooseSeat(dragon))
                        .setSnapshot(Snapshot.newBuilder().addAllHandCounts(List.of(0, 2, 0, 5))),
                update(5, turn(1), turn(2))
                        .addCancelled(AskCancelled.newBuilder().setAskId(1)));
        assertEquals(
                List.of("1/1 CALL", "2/4 EXCHANGE", "3/9 ACT", "4/2 CHOOSE_SEAT", "5/2 ACT"),
                decisions(frame));
        assertEquals(CallKind.CALL_KIND_NO_GRAND, frame.getAnswers(0).getCall().getChoice());
        List<Gift> gifts = frame.getAnswers(1).getExchange().getGiftsList();
        assertEquals(List.of(3, 0, 1), gifts.stream().map(Gift::getSeat).toList());
        assertEquals(
                List.of(Card.CARD_JADE_2, Card.CARD_JADE_ACE, Card.CARD_JADE_3),
                gifts.stream().map(gift -> gift.getCards(0)).toList());
        assertEquals(3, frame.getAnswers(3).getChooseSeat().getSeat());
    }

    @Test
    void theViewNamesPartnersAndOpponentsInTurnOrder() {
        Snapshot snapshot = snapshot(1, 0, "2j")
                .addAllTurnOrder(List.of(3, 0, 2, 1))
                .setOwner(3)
                .addTrick(Card.CARD_JADE_10)
                .addTrick(Card.CARD_PHOENIX)
                .addCalls(CallMade.newBuilder().setSeat(3).setCall(CallKind.CALL_KIND_NO_GRAND))
                .addCalls(CallMade.newBuilder().setSeat(1).setCall(CallKind.CALL_KIND_GREAT_GRAND))
                .addCalls(CallMade.newBuilder().setSeat(1).setCall(CallKind.CALL_KIND_TICHU))
                .build();
        Ask ask = turn(1).build();
        View alone = Wire.view(ask, snapshot, List.of());
        assertEquals(List.of(), alone.partners());
        assertEquals(List.of(2, 1, 3), alone.opponents());
        assertEquals(-15, alone.trickPoints());
        assertEquals("{1=great_grand}", alone.calls().toString());
        View ofSeating = Wire.view(ask, snapshot, List.of(0, 1, 0, 1));
        assertEquals(List.of(2), ofSeating.partners());
        assertEquals(List.of(1, 3), ofSeating.opponents());
        Snapshot own = snapshot.toBuilder().addAllTeams(List.of(0, 0, 1, 1)).build();
        assertEquals(List.of(1), Wire.view(ask, own, List.of(0, 1, 0, 1)).partners());
    }

    @Test
    void aRefusedAnswerIsFollowedByTheSubstituteActionOnce() {
        reply(update(1, turn(5), turn(6)));
        Refused.Builder refused = Refused.newBuilder().setAskId(5);
        Acknowledgement.Builder ack =
                Acknowledgement.newBuilder().setAskId(5).setStatus(AckStatus.ACK_STATUS_REFUSED);
        assertEquals(
                List.of("1/5 DEFAULT_ACTION"),
                decisions(reply(update(1).addRefused(refused).addAcks(ack))));
        assertNull(reply(update(1).addRefused(refused)), "once");
        PlayRequest byAck = reply(update(1).addAcks(ack.setAskId(6)));
        assertEquals(List.of("1/6 DEFAULT_ACTION"), decisions(byAck), "one of the two is enough");
        assertNull(reply(update(1).addRefused(refused.setAskId(7))), "an ask that it never had");
    }

    @Test
    void aRefusedAnswerToAnAskThatIsOverIsLeftAlone() {
        reply(update(1, turn(5), turn(6)));
        Refused.Builder refused = Refused.newBuilder().setAskId(5);
        assertNull(reply(update(1)
                .addRefused(refused)
                .addCancelled(AskCancelled.newBuilder().setAskId(5))));
        Acknowledgement.Builder ack =
                Acknowledgement.newBuilder().setAskId(6).setStatus(AckStatus.ACK_STATUS_APPLIED);
        reply(update(1).addAcks(ack));
        assertNull(reply(update(1).addRefused(refused.setAskId(6))));
    }

    @Test
    void aStrategyThatFailsLeavesTheAskToTheReferee() {
        Function<View, Answer> failing = view -> {
            if (view.plays().isEmpty()) throw new IllegalStateException("no idea");
            return Strategy.decide(view);
        };
        Session careless = new Session("test", 1, failing);
        PlayResponse frame = PlayResponse.newBuilder()
                .addUpdates(update(1, window(1, 0), turn(2)))
                .build();
        assertEquals(List.of("1/1 DEFAULT_ACTION", "1/2 ACT"), decisions(careless.reply(frame)));
    }

    /** The hands that stand down at an ask for a hand. */
    private List<Integer> standDowns(int askId, int hand, Snapshot.Builder snapshot) {
        return standDowns(reply(update(1, window(askId, hand)).setSnapshot(snapshot)));
    }

    @Test
    void aHandWithoutABombStandsDownOnceARoundInPaceFair() {
        Seating.Builder seating = Seating.newBuilder().setSeat(3).setPace(Pace.PACE_FAIR);
        String harmless = "2j 2s 2p 4j";
        Snapshot.Builder exchange = snapshot(1, 3, harmless).setPhase(Phase.PHASE_EXCHANGE);
        reply(update(1).setSeating(seating));
        assertEquals(List.of(), standDowns(1, 3, exchange), "too early");
        assertEquals(List.of(3), standDowns(2, 3, snapshot(1, 3, harmless)));
        assertEquals(List.of(), standDowns(3, 3, snapshot(1, 3, harmless)), "once");
        assertEquals(List.of(2), standDowns(4, 2, snapshot(1, 2, harmless)), "each for itself");
        assertEquals(List.of(3), standDowns(5, 3, snapshot(2, 3, harmless)), "a new round");
        assertEquals(List.of(), standDowns(6, 3, snapshot(3, 3, "2j 2s 2p 2r")), "a bomb");
        assertEquals(List.of(), standDowns(7, 3, snapshot(4, 0, harmless)), "an unknown hand");
    }

    @Test
    void itStandsDownNeitherInPaceFastNorAgainAfterALostLink() {
        reply(update(1).setSeating(Seating.newBuilder().setPace(Pace.PACE_FAST)));
        assertEquals(List.of(), standDowns(1, 0, snapshot(1, 0, "2j")));
        reply(update(1).setSeating(Seating.newBuilder().setPace(Pace.PACE_FAIR)));
        assertEquals(List.of(), standDowns(2, 0, snapshot(1, 0, "2j").addStoodDown(0)));
        assertEquals(List.of(0), standDowns(3, 0, snapshot(1, 0, "2j")));
    }

    @Test
    void whatALostStreamLeftPendingIsForgotten() {
        session.welcome(Welcome.newBuilder().setSessionToken("one").build());
        reply(update(1, turn(5)));
        session.welcome(Welcome.newBuilder().setSessionToken("two").build());
        assertEquals("two", session.hello().getHello().getSessionToken());
        assertNull(reply(update(1).addRefused(Refused.newBuilder().setAskId(5))));
        assertEquals(List.of("1/5 ACT"), decisions(reply(update(1, turn(5)))));
    }

    @Test
    void fieldsKindsAndNumbersOfALaterProtocolDoNoHarm() throws InvalidProtocolBufferException {
        UnknownFieldSet.Field nothing =
                UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build();
        UnknownFieldSet later = UnknownFieldSet.newBuilder().addField(127, nothing).build();
        Ask.Builder unknownKind = Ask.newBuilder().setAskId(1).setUnknownFields(later);
        Play.Builder play = Play.newBuilder().addCardsValue(127).addCards(Card.CARD_JADE_JACK);
        Ask.Builder act = Ask.newBuilder()
                .setAskId(2)
                .setAct(ActAsk.newBuilder().addPlays(play.setKindValue(99)));
        CallAsk.Builder choices = CallAsk.newBuilder()
                .addChoicesValue(99)
                .addChoices(CallKind.CALL_KIND_NO_GREAT_GRAND);
        Ask.Builder call = Ask.newBuilder().setAskId(3).setCall(choices);
        Snapshot.Builder snapshot = snapshot(1, 0, "Jj")
                .setPhaseValue(99)
                .addCalls(CallMade.newBuilder().setSeat(1).setCallValue(99));
        snapshot.getHandsBuilder(0).addCardsValue(127);
        Update.Builder update = update(1, unknownKind, act, call)
                .setSeating(Seating.newBuilder().setPaceValue(99))
                .setSnapshot(snapshot)
                .addEvents(Event.newBuilder().setNumber(1).setUnknownFields(later))
                .addAcks(Acknowledgement.newBuilder().setStatusValue(99))
                .addRefused(Refused.newBuilder().setCodeValue(99));
        byte[] bytes = PlayResponse.newBuilder()
                .addUpdates(update)
                .setUnknownFields(later)
                .build()
                .toByteArray();
        PlayRequest frame = session.reply(PlayResponse.parseFrom(bytes));
        List<String> expected = List.of("1/1 DEFAULT_ACTION", "1/2 ACT", "1/3 DEFAULT_ACTION");
        assertEquals(expected, decisions(frame));
    }

    @Test
    void nothingIsSentWhereNothingIsDue() {
        assertNull(session.reply(PlayResponse.getDefaultInstance()));
        assertNull(reply(update(1).addEvents(Event.getDefaultInstance())));
    }
}
