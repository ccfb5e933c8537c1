"""A copy of a round, which is written out attribute by attribute."""

from referee.rules.cards import Seat, pack
from referee.rules.options import DEFAULT_OPTIONS
from referee.rules.round import Round
from referee.rules.round_state import RoundState


def test_a_copy_holds_everything_and_shares_no_list() -> None:
    round_ = Round.deal(pack(DEFAULT_OPTIONS), dealer=Seat(1), options=DEFAULT_OPTIONS)
    twin = round_.copy()
    assert twin.state() == round_.state()
    for name in RoundState.__slots__:
        value = getattr(round_, name)
        assert not isinstance(value, list) or getattr(twin, name) is not value, name
