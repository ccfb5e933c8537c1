"""Views made by hand: ten that any sensible bot answers alike, and the edges of every rule.

The lists of plays are short ones: only what the case is about.
"""

from typing import Any  # noqa: TID251 - plain values on their way to JSON

from tichu_bot.cards import Kind, parse, readings, show

Json = dict[str, Any]

FOUR: Json = {"seat": 0, "partners": [2], "opponents": [1, 3]}
BIDS = ["bid_0", "bid_1", "bid_2", "bid_3"]


def play(text: str, rank_halves: int | None = None) -> Json:
    """A play by its cards, in its highest reading; a Phoenix alone needs its height said."""
    reading = readings(parse(text))[0]
    return {
        "cards": show(reading.cards),
        "kind": Kind(reading.kind).name.lower(),
        "rank_halves": reading.rank_halves if rank_halves is None else rank_halves,
    }


def view(ask: str, hand: str, counts: str = "5 3 9", *plays: str | Json, **more: object) -> Json:
    """A view of seat 0 of four; `counts` are those of the others, as a text."""
    listed = [play(one) if isinstance(one, str) else one for one in plays]
    return {
        **FOUR,
        "ask": ask,
        "hand": show(sorted(parse(hand))),
        "counts": [len(hand.split()), *map(int, counts.split())],
        **({"plays": listed} if listed else {}),
        **more,
    }


def lead(hand: str, counts: str, *plays: str | Json, **more: object) -> Json:
    """Seat 0 leads."""
    return view("act", hand, counts, *plays, leading=True, **more)


def follow(
    hand: str, counts: str, on: str | Json, owner: int, *plays: str | Json, **more: object
) -> Json:
    """Seat 0 may play on what `owner` played, or pass."""
    table = play(on) if isinstance(on, str) else on
    return view("act", hand, counts, *plays, may_pass=True, table=table, owner=owner, **more)


def window(hand: str, counts: str, on: str, owner: int, *bombs: str, **more: object) -> Json:
    """Seat 0 may bomb what `owner` played."""
    return view("bomb", hand, counts, *bombs, table=play(on), owner=owner, **more)


def gifts(hand: str, *slots: tuple[int, int]) -> Json:
    """Seat 0 owes cards: (recipient, how many)."""
    owed = [{"to_seat": to, "count": count} for to, count in slots]
    return view("exchange", hand, "9 9 9", slots=owed)


BY_RANK = {"to_seat": 0, "count": 2, "forced": True}
ALONE = {**view("exchange", "2j 5s Kr Dr", "4 4 4 4"), "partners": [], "opponents": [0, 1, 2, 3]}

FORCED: tuple[tuple[str, Json, Json], ...] = (
    ("the last card is led", lead("2j", "5 3 9", "2j"), {"index": 0}),
    (
        "the wish leaves one play, and no pass",
        view("act", "3j 8s Ar", "5 3 9", "8s", table=play("Mj"), owner=3),
        {"index": 0},
    ),
    ("nothing beats the table", follow("3j 8s", "5 3 9", "Dr", 1, trick_points=25), {"pass": True}),
    ("no play is listed to lead with", lead("3j 8s", "5 3 9"), {"default": True}),
    ("one of two plays goes out", lead("6j 6s", "5 3 9", "6j", "6j 6s"), {"index": 1}),
    (
        "a bomb window without a bomb",
        window("6j 6s 7r 8p", "5 3 1", "Ar", 3, trick_points=30),
        {"decline": True},
    ),
    (
        "a bomb out of turn goes out",
        window("8j 8s 8p 8r", "9 3 9", "5r", 2, "8j 8s 8p 8r", trick_points=5),
        {"index": 0},
    ),
    (
        "forced cards are left to the referee",
        {**ALONE, "seat": 4, "slots": [BY_RANK]},
        {"default": True},
    ),
    (
        "one seat may be chosen",
        view("choose_seat", "2j", "0 3 9", seats=[3], table=play("Dr"), owner=0, why="dragon"),
        {"seat": 3},
    ),
    ("an ask of a kind that is not known", view("unknown", "2j 3j"), {"default": True}),
)

CALLS: tuple[tuple[str, Json], ...] = (
    ("Grand on 12", view("call", "Ph Dr 2j 3s Aj As", choices=["grand", "no_grand"])),
    ("no Grand on 10", view("call", "Dr 2j 3s Aj As Ap", choices=["grand", "no_grand"])),
    ("the highest bid on 12", view("call", "Ph Dr 2j 3s Aj As", choices=BIDS)),
    ("the lowest bid on 8", view("call", "Ph Dr 2j 3s Kj Ks", choices=BIDS)),
    ("two packs", view("call", "Ph Dr' Ph' 2j 3s 4j", choices=["grand", "no_grand"])),
    ("choices of a later protocol", view("call", "Ph Dr Aj As", choices=["unknown"])),
)

EXCHANGES: tuple[tuple[str, Json], ...] = (
    ("the whole hand is owed", gifts("2j 9s Ar", (1, 1), (2, 1), (3, 1))),
    ("more than the hand is owed", gifts("2j Ar", (1, 1), (2, 1), (3, 1))),
    ("the Mah Jong is no gift for a partner", gifts("Mj 2j 3j Kr", (2, 1))),
    ("of equal aces the highest number", gifts("2j 3j As Ar", (1, 1), (2, 1))),
    ("special cards from the lowest up", gifts("Mj Ph Dr", (1, 2))),
    ("no ranked card for a partner", gifts("Mj Ph Dr", (2, 1), (1, 1))),
    ("the Dog is the lowest", gifts("Dg 2j Mj Kr Ph", (1, 1), (3, 2))),
    ("partner and Dog alone", gifts("Dg Mj Ph Dr", (2, 1))),
    ("two for a partner", gifts("2j 3j 4s 5r Kp Ph", (2, 2), (3, 2))),
)

SEATS: tuple[tuple[str, Json], ...] = (
    ("of equal ones the first", view("choose_seat", "2j 3j", "4 3 4", seats=[1, 3], why="dragon")),
    ("the later one has more", view("choose_seat", "2j 3j", "4 3 5", seats=[1, 3], why="dragon")),
    ("a seat that is out may get it", view("choose_seat", "2j", "0 3 0", seats=[1, 3])),
    ("no seat may be chosen", view("choose_seat", "2j 3j", "4 3 4")),
)

EIGHTS = "8j 8s 8p 8r"
RUN = "3j 4j 5j 6j 7j"

WINDOWS: tuple[tuple[str, Json], ...] = (
    ("20 points", window(f"{EIGHTS} 9j", "9 9 9", "Ar", 1, EIGHTS, trick_points=20)),
    ("15 points", window(f"{EIGHTS} 9j", "9 9 9", "Ar", 1, EIGHTS, trick_points=15)),
    ("the owner has two cards", window(f"{EIGHTS} 9j", "9 9 2", "Ar", 3, EIGHTS)),
    ("the owner has three cards", window(f"{EIGHTS} 9j", "9 9 3", "Ar", 3, EIGHTS)),
    (
        "the owner called and has six",
        window(f"{EIGHTS} 9j", "9 9 6", "Ar", 3, EIGHTS, calls={"3": "tichu"}),
    ),
    (
        "the owner called and has seven",
        window(f"{EIGHTS} 9j", "9 9 7", "Ar", 3, EIGHTS, calls={"3": "grand"}),
    ),
    (
        "another one called",
        window(f"{EIGHTS} 9j", "9 9 6", "Ar", 3, EIGHTS, calls={"1": "great_grand"}),
    ),
    ("a partner's trick", window(f"{EIGHTS} 9j", "9 2 9", "Ar", 2, EIGHTS, trick_points=30)),
    (
        "the first of two bombs",
        window(f"{EIGHTS} {RUN}", "9 9 9", "Ar", 1, EIGHTS, RUN, trick_points=25),
    ),
)

LEADS: tuple[tuple[str, Json], ...] = (
    ("the Dog for a partner", lead("Dg 3j 4s 9p", "5 4 6", "Dg", "3j", "4s", "9p")),
    ("the partner is out", lead("Dg 3j 4s 9p", "5 0 6", "Dg", "3j", "4s", "9p")),
    (
        "whoever called keeps the lead",
        lead("Dg 3j 4s 9p", "5 4 6", "Dg", "3j", "4s", "9p", called=True, calls={"0": "tichu"}),
    ),
    ("nothing but bombs", lead(f"{EIGHTS} 2j 3s", "5 4 6", EIGHTS)),
    ("the cheaper of two bombs", lead(f"{RUN} {EIGHTS}", "5 4 6", EIGHTS, RUN)),
    ("a Dog at 40 is first of equals", lead("Dg Tj Ts Tp Tj' Ts'", "5 0 6", "Dg", "Tj")),
    ("a queen at 39 is cheaper than a Dog", lead("Dg Qj Qs Qp Qr", "5 0 6", "Dg", "Qj")),
    ("the Phoenix alone is dear", lead("Ph Ar Kr 2j", "5 0 6", play("Ph", 3), "Ar")),
    ("the Dragon alone is dear", lead("Dr Ar Kr 2j", "5 0 6", "Ar", "Dr")),
    ("the Phoenix in a pair at 22", lead("Ph 2j Js 5r", "5 4 6", "Js", "2j Ph")),
    ("a pair at 22 before a single at 23", lead("Ph Dr 2j 9s 9p 5r", "5 4 6", "9s", "2j Ph")),
    ("a pair at 4 after a single at 4", lead("2j 5s 5p 9r", "5 4 6", "2j", "5s 5p")),
    ("a pair at 8 before a single at 9", lead("2j 2s 7s 7p 9r", "5 4 6", "2j", "7s 7p")),
    ("an opponent has one card", lead("3j 9s Ar 4p 4r", "1 4 6", "3j", "9s", "Ar")),
    ("a partner has one card", lead("3j 9s Ar 4p 4r", "5 1 6", "3j", "9s", "Ar")),
    ("one card left: an ace at 32 ties", lead("Ph 7j Ar 3s", "5 4 1", "Ar", "7j Ph")),
    ("one card left: a pair at 31", lead("Ph 4j 4s Ar 3s", "5 4 1", "Ar", "4j Ph")),
    ("one card left: the Dragon stays dear", lead("Dr 2j 2s 9r 9s 9p", "5 4 1", "Dr", "2j")),
    ("the Mah Jong and its wish", lead("Mj 3j 5s Ar Ks", "5 4 6", "Mj", "3j", "5s")),
    (
        "no rank is left to wish for",
        lead(
            "Mj 2j 3s 4j 5s 6p 7r 8j 9s Tp Jr Qj Ks Ap",
            "9 9 9",
            "Mj",
            "2j",
            "Mj 2j 3s 4j 5s 6p 7r 8j 9s Tp Jr Qj Ks Ap",
        ),
    ),
    ("the wish of a straight", lead("Mj 2j 3s 4j 5s Ap Kp", "9 9 9", "Mj 2j 3s 4j 5s")),
    (
        "a play of a kind that is not known",
        lead("3j 4s 9p", "5 4 6", {**play("3j"), "kind": "unknown"}, "4s"),
    ),
)

LONG = "2j 3s 5r 7s 9r"  # five cards that play no part
SHORT = "2j 3s 5r 7s"
ACE_ON_KING = f"{LONG} As Ks"

FOLLOWS: tuple[tuple[str, Json], ...] = (
    ("a partner's eight", follow(f"{LONG} Jj", "9 9 9", "8s", 2, "9r", "Jj")),
    ("a partner's eight and a jack", follow(f"{SHORT} Jj", "9 9 9", "8s", 2, "Jj")),
    ("a partner's eight and a queen", follow(f"{SHORT} Qj", "9 9 9", "8s", 2, "Qj")),
    ("a partner's Phoenix on eight", follow(f"{SHORT} 9r", "9 9 9", play("Ph", 17), 2, "9r")),
    ("a partner's nine", follow(f"{SHORT} Tr", "9 9 9", "9s", 2, "Tr")),
    ("a partner's two and the Phoenix", follow(f"{SHORT} Ph", "9 9 9", "2s", 2, play("Ph", 5))),
    ("a partner's two and danger", follow(f"{SHORT} 9r", "9 9 2", "2s", 2, "9r")),
    ("a partner's two, three cards left", follow(f"{SHORT} 9r", "9 9 3", "2s", 2, "9r")),
    ("an ace waits", follow(ACE_ON_KING, "9 9 9", "Ks", 1, "As", trick_points=5)),
    ("an ace for ten points", follow(ACE_ON_KING, "9 9 9", "Kj", 1, "As", trick_points=10)),
    ("an ace of a short hand", follow(f"{LONG} As", "9 9 9", "Kj", 1, "As")),
    ("an ace against danger", follow(ACE_ON_KING, "1 9 9", "Kj", 1, "As")),
    (
        "an ace of a caller",
        follow(ACE_ON_KING, "9 9 9", "Kj", 1, "As", called=True, calls={"0": "tichu"}),
    ),
    (
        "an ace that must be played",
        {**follow(ACE_ON_KING, "9 9 9", "Kj", 1, "As"), "may_pass": False},
    ),
    ("a king does not wait", follow(f"{LONG} Ks Jp", "9 9 9", "Qj", 1, "Ks")),
    ("a low Phoenix waits", follow(f"{LONG} Ph Jp", "9 9 9", "4s", 1, play("Ph", 9))),
    ("a pair with the Phoenix waits", follow(f"{LONG} Ph 7p", "9 9 9", "2s 2p", 1, "3s Ph")),
    (
        "pairs at 26 and 26",
        follow(f"{SHORT} Ph Kj Ks", "9 9 9", "2s 2p", 1, "3s Ph", "Kj Ks", trick_points=10),
    ),
    (
        "pairs at 32 and 31",
        follow("2j 6s Ph Kj Ks Kp 8r", "9 9 9", "2s 2p", 1, "6s Ph", "Kj Ks", trick_points=20),
    ),
    ("the one of three threes at 16", follow("3j 3s 3p 8r 9s", "9 9 9", "2s", 1, "3j", "8r")),
    ("a seven for one of three threes", follow("3j 3s 3p 7r 9s", "9 9 9", "2s", 1, "3j", "7r")),
    ("the one of three twos", follow("2j 2s 2p 5r 9s", "9 9 9", "Mj", 1, "2j", "5r")),
    (
        "the Dragon before one of three aces",
        follow("Aj As Ap Dr 3j", "9 9 9", "Kj", 1, "Aj", "Dr", trick_points=20),
    ),
    (
        "a bomb before a low card",
        follow(f"{EIGHTS} 9j Ts", "9 9 9", "7s", 1, "9j", EIGHTS, trick_points=25),
    ),
    (
        "no bomb before an ace",
        follow(f"{EIGHTS} As Ts", "9 9 9", "Ks", 1, "As", EIGHTS, trick_points=25),
    ),
    (
        "a bomb before the Phoenix",
        follow(f"{EIGHTS} Ph Ts", "9 9 9", "Ks", 1, play("Ph", 27), EIGHTS, trick_points=25),
    ),
    ("a bomb is not worth it", follow(f"{EIGHTS} 9j Ts", "9 9 9", "7s", 1, "9j", EIGHTS)),
    (
        "a bomb that need not be",
        {
            **follow(f"{EIGHTS} 9j Ts", "9 9 9", "7s", 1, "9j", EIGHTS, trick_points=25),
            "may_pass": False,
        },
    ),
    (
        "only a bomb, and worth it",
        follow(f"{EIGHTS} 9j", "9 9 9", "As", 1, EIGHTS, trick_points=20),
    ),
    ("only a bomb, not worth it", follow(f"{EIGHTS} 9j", "9 9 9", "As", 1, EIGHTS)),
    (
        "only a bomb, and no pass",
        {**follow(f"{EIGHTS} 9j", "9 9 9", "As", 1, EIGHTS), "may_pass": False},
    ),
    ("the last cards are a bomb", follow(EIGHTS, "9 9 9", "7s", 2, "8j", EIGHTS)),
)


def tichu(hand: str, **more: object) -> Json:
    """Seat 0 leads its first card, the last of `hand`."""
    return lead(hand, "9 9 9", hand.rsplit(maxsplit=1)[-1], may_call_tichu=True, **more)


TICHUS: tuple[tuple[str, Json], ...] = (
    ("Tichu on 11", tichu("Ph Dr Aj As 2j")),
    ("no Tichu on 10", tichu("Ph Dr Aj As 2j 9s")),
    ("a lonely ten costs nothing", tichu("Ph Dr Aj As 2j Ts")),
    ("a pair is not lonely", tichu("Ph Dr Aj As 3p 3s 2j")),
    ("four of a rank", tichu(f"Ph Dr {EIGHTS} 2j")),
    ("four of a rank and two lonely cards", tichu(f"Ph Dr {EIGHTS} 2j 3s")),
    ("four twos", tichu("Ph Dr 3s 2s 2p 2r 2j")),
    ("four aces", tichu("Aj As Ap Ar 2j")),
    ("five of a rank of two packs", tichu(f"Ph Dr {EIGHTS} 8j' 2j")),
    ("called before", tichu("Ph Dr Aj As 2j", called=True, calls={"0": "grand"})),
    ("a partner called", tichu("Ph Dr Aj As 2j", calls={"2": "tichu"})),
    ("an opponent called", tichu("Ph Dr Aj As 2j", calls={"1": "tichu"})),
    ("too late", {**tichu("Ph Dr Aj As 2j"), "may_call_tichu": False}),
    (
        "no Tichu with a pass",
        follow("Ph Dr Aj As Ap Tj Ts", "9 9 9", "Kr", 2, "Aj", may_call_tichu=True),
    ),
    ("Tichu with the Mah Jong", lead("Mj Ph Dr Aj As 2j", "9 9 9", "Mj", may_call_tichu=True)),
)

RARE = (*CALLS, *EXCHANGES, *SEATS, *WINDOWS, *LEADS, *FOLLOWS, *TICHUS)
