package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializationContext;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrategyTest {
    private static final Type NUMBERS = new TypeToken<List<Integer>>() {}.getType();

    /** Views as JSON: names with underscores, cards as text, seats as lists. */
    private static final Gson JSON = new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .registerTypeAdapter(NUMBERS, (JsonDeserializer<List<Integer>>) StrategyTest::numbers)
            .create();

    private static List<Integer> numbers(
            JsonElement json, Type type, JsonDeserializationContext context) {
        if (json.isJsonPrimitive()) return Cards.parse(json.getAsString());
        return json.getAsJsonArray().asList().stream().map(JsonElement::getAsInt).toList();
    }

    private static JsonObject json(Answer answer) {
        JsonObject json = new JsonObject();
        if (answer instanceof Answer.Index play) {
            json.addProperty("index", play.index());
            if (play.wish() != null) json.addProperty("wish", play.wish());
            if (play.tichu()) json.addProperty("tichu", true);
        } else if (answer instanceof Answer.Pass) json.addProperty("pass", true);
        else if (answer instanceof Answer.Decline) json.addProperty("decline", true);
        else if (answer instanceof Answer.Choice call) json.addProperty("choice", call.choice());
        else if (answer instanceof Answer.Gifts gifts)
            json.add("gifts", JSON.toJsonTree(gifts.cards().stream().map(Cards::show).toList()));
        else if (answer instanceof Answer.Seat seat) json.addProperty("seat", seat.seat());
        else json.addProperty("default", true);
        return json;
    }

    @Test
    void everyViewOfTheVectorsGetsItsAnswer() throws IOException {
        List<JsonObject> lines = Vectors.read("views.jsonl");
        List<String> wrong = new ArrayList<>();
        for (JsonObject line : lines) {
            View view = JSON.fromJson(line.get("view"), View.class);
            JsonObject answer = json(Strategy.decide(view));
            if (!answer.equals(line.get("answer")))
                wrong.add(line.get("id") + " " + line.get("title") + ": " + answer
                        + ", not " + line.get("answer"));
        }
        assertEquals(List.of(), wrong);
        assertTrue(lines.size() >= 310, "the forced views and those of real games");
    }
}
