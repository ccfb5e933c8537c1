"""What stands after rulings: who plays, who counts, with which version."""

import msgspec
import pytest

from referee.ladder.rulings import annulled_by, decide, version_of
from referee.ladder.values import Player, RulingKind
from referee.rules.errors import ConfigError
from tests.unit.ladder.legs import ruling, side


@pytest.mark.parametrize(
    ("kind", "plays", "out"),
    [
        (RulingKind.WITHDRAW, False, False),
        (RulingKind.QUARANTINE, False, False),
        (RulingKind.DISQUALIFY, False, True),
        (RulingKind.REPLACE, True, False),
    ],
)
def test_what_a_ruling_does_to_an_entry(kind: RulingKind, plays: bool, out: bool) -> None:
    decided = decide([ruling(kind, "zoe", version="v1")])
    assert (decided.plays("zoe"), decided.is_out("zoe")) == (plays, out)
    assert decided.plays("adam")
    assert not decided.is_out("adam")


def test_in_a_frozen_ladder_nobody_plays_and_nobody_is_out() -> None:
    decided = decide([ruling(RulingKind.FREEZE)])
    assert decided.frozen
    assert not decided.plays("zoe")
    assert not decided.is_out("zoe")


@pytest.mark.parametrize("kind", [RulingKind.WITHDRAW, RulingKind.QUARANTINE])
def test_a_replaced_entry_plays_on(kind: RulingKind) -> None:
    again = ruling(RulingKind.REPLACE, "zoe", number=2, version="v2")
    assert decide([again, ruling(kind, "zoe", number=1)]).plays("zoe")
    assert not decide([again, ruling(kind, "zoe", number=3)]).plays("zoe")


@pytest.mark.parametrize("kind", [RulingKind.REPLACE, RulingKind.WITHDRAW])
def test_a_disqualification_is_final(kind: RulingKind) -> None:
    rulings = [
        ruling(RulingKind.DISQUALIFY, "zoe", number=1),
        ruling(kind, "zoe", number=2, version="v2"),
    ]
    assert decide(rulings).is_out("zoe")


def test_the_version_of_a_pair_names_both_bots() -> None:
    pair = msgspec.structs.replace(
        side("zoe"), players=(Player(bot="a", version="v1"), Player(bot="b", version="v2"))
    )
    assert version_of(side("zoe")) == "v1"
    assert version_of(pair) == "v1+v2"
    assert decide([ruling(RulingKind.REPLACE, "zoe", version="v1+v2")]).is_current(pair)
    assert not decide([ruling(RulingKind.REPLACE, "zoe", version="v2")]).is_current(pair)


@pytest.mark.parametrize(
    "subject", ["", "/", "a~b/", "a~b/x", "a~b/0", "a~b/1/0", "a~b/1/2/3", "/1", "a~b/-1", "a~b/²"]
)
def test_an_annulment_of_nothing_is_refused(subject: str) -> None:
    with pytest.raises(ConfigError, match="give a match id, PAIRING/BOARD"):
        annulled_by(subject)
