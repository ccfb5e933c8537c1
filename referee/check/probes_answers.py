"""Level 1, every kind of ask in every game: a position in which it comes, judged by the machine."""

from collections.abc import Mapping

from referee.check.exam import Exam
from referee.check.opponents import Temper
from referee.check.probe import Probe, Register, demand, settings
from referee.formats.vector_parsing import parse_start
from referee.match.values import AskKind, Pace
from referee.rules.position import Position

probe = Register(level=1)
_ASKS = "asks-and-answers"
_GAMES = "the-other-games"
_BIDS = "bids-and-refused-calls"


class Case:
    """A position or deal, and the kind of ask that it is about."""

    def __init__(
        self,
        kind: AskKind,
        start: Mapping[str, object] | None = None,
        *,
        temper: Temper = Temper.QUIET,
        caller: int | None = None,
        times: int = 1,
        pace: Pace = Pace.FAST,
        **options: object,
    ) -> None:
        self.kind = kind
        self.settings = settings(options, pace=pace)
        self.position: Position | None = None
        if start is not None:
            self.position = parse_start(start, self.settings.rules)
        self.temper = temper
        self.caller = caller
        self.times = times

    async def __call__(self, exam: Exam) -> None:
        """Play the position until the ask came and was answered, then to the end."""
        stream = await exam.begin()
        table = exam.table(
            self.settings,
            position=self.position,
            temper=self.temper,
            caller=self.caller,
            seat=0,  # where the asks that are due are known to come
        )
        await exam.deal(stream, [table])
        await exam.go_on(
            stream, [table], until=lambda: table.answered[self.kind] >= self.times or table.over
        )
        got = table.answered[self.kind]
        demand(
            got >= self.times,
            f"it answered {got} {self.kind} asks, where {self.times} were due",
        )
        if table.defaults[self.kind]:
            exam.notes.append(f"it left the {self.kind} ask to the substitute action")
        await exam.go_on(stream, [table])


def _case(name: str, title: str, case: Case, *, place: str, demand: str, cure: str) -> None:
    probe.add(
        Probe(
            id=name,
            level=1,
            title=title,
            demand=demand,
            place=place,
            cure=cure,
            run=case,
            limit_s=60.0,
        )
    )


_INDEX = "answer with an index into the list of plays, or pass where may_pass is set"
_CHOICE = "answer a CallAsk with CallAnswer, its choice one of the ask's choices"
_SLOTS = "answer an ExchangeAsk with one Gift for each slot, of cards in the hand"
_SEATS = "answer a ChooseSeatAsk with ChooseSeatAnswer, its seat one of the ask's seats"
_BOMB = "answer a BombAsk with decline, or with an index into its list of bombs"

_case(
    "answers-grand",
    "answers the Grand decision",
    Case(AskKind.CALL),
    place=_ASKS,
    demand="a CallAsk on the first eight cards is answered with one of its choices",
    cure=_CHOICE,
)
_case(
    "answers-great-grand",
    "answers the Great Grand decision",
    Case(AskKind.CALL, great_grand=True, times=2),
    place=_ASKS,
    demand="a CallAsk before any card is answered with one of its choices",
    cure=_CHOICE + "; it comes before the first card",
)
_case(
    "answers-bid",
    "bids",
    Case(AskKind.CALL, chaos=True),
    place=_BIDS,
    demand="a CallAsk for a bid is answered with one of its choices",
    cure=_CHOICE,
)
_case(
    "answers-refusal",
    "says whether a call stands",
    Case(AskKind.CALL, refuse_call=True, temper=Temper.BOLD, times=2),
    place=_BIDS,
    demand="a CallAsk about an opponent's call is answered with ACCEPT or REFUSE",
    cure=_CHOICE + "; ACCEPT and REFUSE come with the option refuse_call",
)
_case(
    "answers-exchange",
    "gives cards in the exchange",
    Case(AskKind.EXCHANGE),
    place=_ASKS,
    demand="an ExchangeAsk is answered with a gift for each slot",
    cure=_SLOTS,
)
_case(
    "answers-exchange-again",
    "gives cards when asked again",
    Case(AskKind.EXCHANGE, caller=1, times=2),
    place="decisions-that-are-released-together",
    demand="an ExchangeAsk that comes again after a call is answered like the first",
    cure=_SLOTS + "; after a Tichu the exchange is asked again under a new number",
)
_case(
    "answers-exchange-forced",
    "gives its best cards where they are due",
    Case(
        AskKind.EXCHANGE,
        {
            "hands": ["Mj 3j Kj Ks Ar", "2s 3s 4s 5s 6s", "2p 3p 4p 5p 6p", "2r 3r 4r 5r 6r",
                      "7j 8j 9j Tj Qj"],
            "phase": "exchange",
            "ranks": [1, 2, 3, 4, 0],
        },
        variant="grand_seigneur",
        seats=5,
    ),
    place="ranks-and-gifts",
    demand="a slot with forced_best gets the best cards, or the ask gets DefaultAction",
    cure="give the best cards of the hand to a slot with forced_best, or answer default_action",
)  # fmt: skip
_case(
    "answers-lead",
    "leads",
    Case(
        AskKind.ACT,
        {"hands": ["2j 2s 5p 9r Kj", "3s 3p 7r 8r 8j", "4j 4p 6s 6p Ts", "5j 7j Qs Qp Ar"],
         "lead": 0},
        times=2,
    ),
    place=_ASKS,
    demand="a leader is asked to act and plays; it may not pass",
    cure=_INDEX + "; a leader must play",
)  # fmt: skip
_case(
    "answers-follow",
    "follows or passes",
    Case(
        AskKind.ACT,
        {"hands": ["2j 9s Tp Jr Kj", "3s 3p 7r 8r 8j", "4j 4p 6s 6p Ts", "5j 7j Qs Qp Ar"],
         "lead": 3},
        times=2,
    ),
    place=_ASKS,
    demand="an ActAsk over a table is answered with a listed play or a pass",
    cure=_INDEX,
)  # fmt: skip
_case(
    "answers-pass",
    "passes where it has nothing",
    Case(AskKind.ACT, {"hands": ["2j 3s", "3j 4s", "4j 5s", "Ar As"], "lead": 3}, pace=Pace.FAIR),
    place=_ASKS,
    demand="an ActAsk without plays is answered with a pass",
    cure="pass when the list of plays is empty: act.pass, not an index",
)
_case(
    "answers-phoenix",
    "plays with a Phoenix",
    Case(AskKind.ACT, {"hands": ["Ph 7s", "3j 4s", "4j 5s", "6r 6s"], "lead": 3}, times=1),
    place=_ASKS,
    demand="plays with the Phoenix are chosen like others",
    cure=_INDEX + "; a play by its cards may leave phoenix_rank out",
)
_case(
    "answers-wish",
    "fulfils a wish",
    Case(AskKind.ACT, {"hands": ["8j Ks Ap", "3j 4s", "4j 5s", "6r 7s"], "lead": 3, "wish": "8"}),
    place=_ASKS,
    demand="under an open wish a play from the list is answered, or a pass where allowed",
    cure="choose from the list: under a wish it holds what fulfils it",
)
_case(
    "names-wish",
    "names a wish where one is due",
    Case(
        AskKind.ACT,
        {"hands": ["Mj", "3j 4s 5s", "4j 5p", "6r 7s"], "lead": 0},
        wish_optional=False,
    ),
    place=_ASKS,
    demand="where wish_required is set, a play with the Mah Jong names a rank from 2 to 14",
    cure="set wish (2 to 14) in an answer whose play holds the Mah Jong (card 4), and in no other: "
    "a wish with another play is refused",
)
_case(
    "answers-bomb",
    "decides about its bomb",
    Case(
        AskKind.BOMB,
        {"hands": ["5j 5s 5p 5r Kj", "3s 9p 7r 8r", "4j 4p 6s 6p", "7j Qs Qp Ar"], "lead": 1},
    ),
    place="the-bomb-window",
    demand="a BombAsk with bombs is answered with one of them or a decline",
    cure=_BOMB,
)
_case(
    "answers-dragon",
    "gives a trick won with the Dragon",
    Case(AskKind.CHOOSE_SEAT, {"hands": ["Dr", "2j 3j 8s", "4j 5s", "6j 7s 9s"], "lead": 0}),
    place=_ASKS,
    demand="a ChooseSeatAsk for the Dragon's trick is answered with one of its seats",
    cure=_SEATS,
)
_case(
    "answers-dog",
    "hands the lead on with the Dog",
    Case(
        AskKind.CHOOSE_SEAT,
        {"hands": ["Dg", "3s 9s", "4p 9p", "5r 9r", "6j Tj", "7s Ts"], "lead": 0},
        variant="tientsin",
    ),
    place=_ASKS,
    demand="a ChooseSeatAsk for the Dog's lead is answered with one of its seats",
    cure=_SEATS,
)
_case(
    "answers-tisch",
    "plays two hands in Trichu",
    Case(
        AskKind.ACT,
        {"hands": ["2j 9s", "3s 3p", "4j 4p", "5j 7j"], "lead": 0},
        variant="trichu",
        rounds=3,
        times=2,
    ),
    place="seats-hands-and-teams",
    demand="asks for the Tisch's hand (for_seat 2) are answered like those for the own",
    cure="answer by the ask's own list and for_seat; never check a play against the own hand only",
)
_case(
    "answers-two-packs",
    "plays with two packs",
    Case(AskKind.ACT, variant="grand_seigneur", seats=8, times=5),
    place="ranks-and-gifts",
    demand="cards of the second pack (numbers over 64) are played like others",
    cure="treat a card's number modulo 64 as its rank and suit",
)
