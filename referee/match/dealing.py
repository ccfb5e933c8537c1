"""The round that a deal begins: from the seed or the cards, and from who sits where."""

from referee.match.facts import Dealt
from referee.rules.cards import pack
from referee.rules.options import RuleOptions
from referee.rules.round import Round
from referee.rules.shuffle import shuffle


def dealt_round(dealt: Dealt, rules: RuleOptions) -> Round:
    """Return the round of a deal at its first decision, all cards in their hands.

    Raises `RefereeBug` for a dealer or a turn order that the rules do not know.
    """
    return Round.deal(
        dealt.cards or shuffle(bytes.fromhex(dealt.seed), pack(rules)),
        dealer=dealt.dealer,
        options=rules,
        turn_order=dealt.order or None,
        ranks=dealt.ranks,
    )
