package tichubot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RouteTest {
    @Test
    void pausesGrowFrom100MsTo2SecondsAndStartAgainAfterAWelcome() {
        Route route = new Route(List.of("a"));
        List<Long> pauses = new ArrayList<>();
        for (int dial = 0; dial < 7; dial++) {
            assertEquals("a", route.next());
            pauses.add(route.failed());
        }
        assertEquals(List.of(100L, 200L, 400L, 800L, 1600L, 2000L, 2000L), pauses);
        route.welcomed(route.next());
        assertEquals(100L, route.failed());
    }

    @Test
    void allAddressesAreTriedWithoutAPauseTheLastGoodOneFirst() {
        Route route = new Route(List.of("a", "b"));
        assertEquals("a", route.next());
        assertEquals(0, route.failed());
        assertEquals("b", route.next());
        assertTrue(route.redirected("c"));
        assertEquals("c", route.next());
        route.welcomed("c");
        assertEquals(100L, route.failed());
        List<String> dialled = new ArrayList<>();
        for (int dial = 0; dial < 4; dial++) dialled.add(route.next());
        assertEquals(List.of("c", "a", "b", "c"), dialled);
    }

    @Test
    void theSixthRedirectInARowIsOneTooMany() {
        Route route = new Route(List.of("a"));
        for (int round = 0; round < 2; round++) {
            for (int hop = 0; hop < 5; hop++) assertTrue(route.redirected("b"));
            route.welcomed(route.next());
        }
        for (int hop = 0; hop < 5; hop++) assertTrue(route.redirected("b"));
        assertFalse(route.redirected("b"));
    }
}
