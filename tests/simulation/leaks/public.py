"""What those who only watch a match may be told: nothing that was told to one seat alone."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from google.protobuf.message import Message

from referee._gen.tichu.referee.v1 import matches_pb2
from tests.simulation.leaks.fields import FIELDS, Meaning
from tests.simulation.leaks.scan import Round, faults_of_text, fields_in, secrets_of

# Fields of messages that no bot is sent; those of the events in them are as in frames.
WATCHED: Mapping[str, Meaning] = MappingProxyType(
    {
        "WatchMatchResponse.match": Meaning.PART,
        "WatchMatchResponse.delay_tricks": Meaning.PLAIN,
        "WatchMatchResponse.events": Meaning.PART,
        "MatchInfo.match_id": Meaning.TEXT,
        "MatchInfo.state": Meaning.PLAIN,
        "MatchInfo.names": Meaning.TEXT,
        "MatchInfo.ending": Meaning.PLAIN,
        "MatchInfo.totals": Meaning.PLAIN,
        "MatchInfo.rounds": Meaning.PLAIN,
    }
)
_OF_ONE_SEAT = (Meaning.OWN, Meaning.GIFTS, Meaning.DEALT)
_COMMITMENT = "RoundStarted.commitment"


def faults_of_watched(messages: Sequence[bytes], rounds: Sequence[Round]) -> list[str]:
    """Return what these messages of a watch tell that nobody may know who only watches."""
    secrets = secrets_of(rounds)
    found = []
    for data in messages:
        found += [f"a seed in {data[:20]!r}" for secret in secrets if secret in data]
        found += _faults(matches_pb2.WatchMatchResponse.FromString(data))
    return found


def _faults(message: Message) -> list[str]:
    found: list[str] = []
    for name, _, value in fields_in(message):
        meaning = WATCHED.get(name) or FIELDS[name]  # one that is in neither stops the scan
        if meaning in _OF_ONE_SEAT:
            found.append(f"{name} is for one seat")
        elif meaning is Meaning.SECRET and name != _COMMITMENT:
            found.append(f"{name} is for one bot")
        if isinstance(value, Message):
            found += _faults(value)
        elif meaning is Meaning.TEXT:
            found += faults_of_text(str(value))
    return found
