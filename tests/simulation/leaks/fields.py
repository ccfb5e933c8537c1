"""What each field of a frame to a bot may tell. A field that is not named here fails the scan."""

import enum
from collections.abc import Mapping
from types import MappingProxyType


class Meaning(enum.Enum):
    """What a field is about."""

    PART = enum.auto()  # a message that is looked into
    PLAIN = enum.auto()  # numbers, words of a closed set: no card, and no mask of cards
    TEXT = enum.auto()  # words for people: no card but one that the bot itself has named
    SECRET = enum.auto()  # bytes or text that mean nothing: no seed of the deal
    OWN = enum.auto()  # cards that the seat holds now
    GIFTS = enum.auto()  # cards that the seat gave, got, or would give
    DEALT = enum.auto()  # cards that the seat is dealt with this very event
    SHOWN = enum.auto()  # cards that everybody has seen, with this very event at the latest
    CARDS = enum.auto()  # the cards of any of these


_BY_MESSAGE: Mapping[str, Mapping[Meaning, str]] = {
    "PlayResponse": {Meaning.PART: "welcome redirect moved closing ping updates refused"},
    "Welcome": {
        Meaning.SECRET: "session_token",
        Meaning.TEXT: "server",
        Meaning.PLAIN: "protocol_version grace_ms max_frame_bytes resumed",
    },
    "Redirect": {Meaning.TEXT: "address"},
    "Moved": {Meaning.TEXT: "address"},
    "Closing": {Meaning.TEXT: "text", Meaning.PLAIN: "code retry"},
    "Ping": {Meaning.PLAIN: "number"},
    "Update": {
        Meaning.PLAIN: "match",
        Meaning.PART: "seating events asks cancelled acks refused snapshot",
    },
    "Seating": {
        Meaning.TEXT: "match_id names",
        Meaning.SECRET: "bot_seed",
        Meaning.PART: "options",
        Meaning.PLAIN: "seat teams pace window_ms base_ms bank_ms objective call_ms exchange_ms "
        "act_ms choose_seat_ms lag_cap_ms lag_quota_ms player_seats",
    },
    "Option": {Meaning.TEXT: "name value"},
    "Event": {
        Meaning.PLAIN: "number",
        Meaning.PART: "round_started cards_dealt call_made cards_exchanged played passed "
        "trick_taken dragon_given lead_handed went_out round_ended match_ended bids_shown "
        "hand_shown",
    },
    "RoundStarted": {
        Meaning.SECRET: "commitment",
        Meaning.PLAIN: "round dealer totals turn_order teams ranks",
    },
    "CardsDealt": {Meaning.DEALT: "hands", Meaning.PLAIN: "complete counts"},
    "BidsShown": {Meaning.PART: "bids"},
    "Bid": {Meaning.PLAIN: "seat bid"},
    "HandShown": {Meaning.PLAIN: "seat", Meaning.SHOWN: "cards"},
    "Gift": {Meaning.PLAIN: "seat", Meaning.CARDS: "cards"},
    "CallMade": {Meaning.PLAIN: "seat call"},
    "CardsExchanged": {Meaning.PART: "hands"},
    "HandExchanged": {Meaning.PLAIN: "seat", Meaning.GIFTS: "gave received"},
    "Played": {Meaning.PLAIN: "seat wish cards_left", Meaning.SHOWN: "play"},
    "Play": {
        Meaning.CARDS: "cards",
        Meaning.PLAIN: "phoenix_rank kind rank_halves second_phoenix_rank",
    },
    "Passed": {Meaning.PLAIN: "seat"},
    "TrickTaken": {Meaning.PLAIN: "seat points"},
    "DragonGiven": {Meaning.PLAIN: "seat to_seat points"},
    "LeadHanded": {Meaning.PLAIN: "seat to_seat"},
    "WentOut": {Meaning.PLAIN: "seat place"},
    "RoundEnded": {
        Meaning.PART: "calls",
        Meaning.PLAIN: "round points card_points double_victory totals ranks refused_seat",
    },
    "CallResult": {Meaning.PLAIN: "seat call won points"},
    "MatchEnded": {
        Meaning.PLAIN: "ending seat blame totals winner rounds failed_seats awarded",
    },
    "Ask": {
        Meaning.PLAIN: "ask_id for_seat time_left_ms bank_left_ms provisional",
        Meaning.PART: "call exchange act bomb choose_seat",
    },
    "CallAsk": {Meaning.PLAIN: "choices of_seat"},
    "ExchangeAsk": {
        Meaning.PART: "slots",
        Meaning.GIFTS: "standing",
        Meaning.PLAIN: "may_call_tichu",
    },
    "ExchangeSlot": {Meaning.PLAIN: "to_seat count forced_best forced_worst"},
    "ActAsk": {
        Meaning.OWN: "plays",
        Meaning.PLAIN: "may_pass leading wish may_call_tichu wish_required",
    },
    "BombAsk": {Meaning.OWN: "plays"},
    "ChooseSeatAsk": {Meaning.PLAIN: "why seats"},
    "AskCancelled": {Meaning.PLAIN: "ask_id reason"},
    "Acknowledgement": {
        Meaning.PLAIN: "ask_id request_id status used_ms charged_ms network_ms bank_left_ms",
    },
    "Refused": {
        Meaning.TEXT: "clause text",
        Meaning.PLAIN: "ask_id request_id code resends_left",
    },
    "Snapshot": {
        Meaning.OWN: "hands",
        Meaning.SHOWN: "table trick",
        Meaning.PART: "calls events bids",
        Meaning.PLAIN: "round phase dealer hand_counts owner turn wish out won_points totals "
        "stood_down last_event turn_order teams ranks judged",
    },
}

FIELDS: Mapping[str, Meaning] = MappingProxyType(
    {
        f"{message}.{field}": meaning
        for message, meanings in _BY_MESSAGE.items()
        for meaning, fields in meanings.items()
        for field in fields.split()
    }
)
