package tichubot;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The vectors of all languages: in a copy of this folder `vectors`, else the repository's. */
final class Vectors {
    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."));

    private Vectors() {}

    static List<JsonObject> read(String file) throws IOException {
        Path own = FOLDER.resolve("vectors");
        Path folder = Files.isDirectory(own) ? own : FOLDER.resolve("../../tests/vectors");
        return Files.readAllLines(folder.resolve(file)).stream()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }
}
