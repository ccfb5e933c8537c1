"""Pure numbers of a ladder: boards, ratings, stopping, pairing, standings. No I/O, no clock."""
