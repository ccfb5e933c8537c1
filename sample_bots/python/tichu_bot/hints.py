"""What a failed attempt to reach the referee most likely means."""

from tichu_bot.settings import Settings

_NO_ANSWER = "it listens and answers nothing: is a referee there?"
_BY_DETAIL = (  # words of gRPC, the most telling first
    ("not in peer certificate", "the certificate is for another host: dial a name that it holds"),
    ("Hostname Verification", "the certificate is for another host: dial a name that it holds"),
    ("CERTIFICATE_VERIFY_FAILED", "TICHU_CA_FILE did not sign the referee's certificate"),
    ("WRONG_VERSION_NUMBER", "the referee speaks no TLS: unset TICHU_CA_FILE"),
    ("Connection refused", "nobody listens there: is the referee up, and the port right?"),
    ("No such file", "no such socket: is the referee up?"),
    ("resolving", "the host has no address: check TICHU_SERVER"),
)
_CLOSED = ("Socket closed", "Connection reset", "Broken pipe", "Connection dropped")


def hint(details: str, settings: Settings, address: str) -> str:
    """Return what to do about a stream that ended with `details` before the referee answered."""
    for words, cure in _BY_DETAIL:
        if words in details:
            return cure
    if not any(words in details for words in _CLOSED):
        return "" if details else _NO_ANSWER
    if settings.ca is None and not address.startswith("unix:"):
        return "a referee with TLS hangs up so: set TICHU_CA_FILE"
    return "what listens there is no referee"
