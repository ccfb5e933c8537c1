package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class CardsTest {
    private static List<Integer> numbers(JsonElement list) {
        return list.getAsJsonArray().asList().stream().map(JsonElement::getAsInt).toList();
    }

    @Test
    void cardsAreReadAndShownAsTheVectorsSay() throws IOException {
        List<JsonObject> lines = Vectors.read("cards.jsonl");
        assertFalse(lines.isEmpty());
        for (JsonObject line : lines) {
            String text = line.get("text").getAsString();
            if (line.has("error")) {
                assertThrows(IllegalArgumentException.class, () -> Cards.parse(text), text);
                continue;
            }
            List<Integer> cards = Cards.parse(text);
            assertEquals(numbers(line.get("cards")), cards, text);
            assertEquals(text, Cards.show(cards));
            List<Integer> ranks = cards.stream().map(Cards::rank).toList();
            assertEquals(numbers(line.get("ranks")), ranks, text);
            int points = cards.stream().mapToInt(Cards::points).sum();
            assertEquals(line.get("points").getAsInt(), points, text);
            assertEquals(line.get("bomb").getAsBoolean(), Cards.holdsBomb(cards), text);
            assertTrue(cards.stream().allMatch(Cards::isCard), text);
        }
    }

    @Test
    void aSeedDealsAndCommitsAsTheVectorsSay() throws IOException {
        int shuffles = 0;
        int commitments = 0;
        for (JsonObject line : Vectors.read("shuffle.jsonl")) {
            if (line.has("order")) {
                byte[] seed = HexFormat.of().parseHex(line.get("seed").getAsString());
                List<Integer> order = Cards.shuffle(seed, numbers(line.get("cards")));
                assertEquals(numbers(line.get("order")), order);
                shuffles++;
            } else {
                byte[] seed = HexFormat.of().parseHex(line.get("deal_seed").getAsString());
                byte[] commitment = Cards.commitment(line.get("match_id").getAsString(), seed);
                String hex = HexFormat.of().formatHex(commitment);
                assertEquals(line.get("commit").getAsString(), hex);
                commitments++;
            }
        }
        assertTrue(shuffles > 0 && commitments > 0, "vectors of both kinds");
    }

    @Test
    void numbersBetweenAndBeyondTheCardsAreNoCards() {
        for (int number : new int[] {-1, 0, 5, 7, 60, 64, 69, 71, 124, 128, 129})
            assertFalse(Cards.isCard(number), "" + number);
    }
}
