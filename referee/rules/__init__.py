"""Pure Tichu: cards, combinations, legality, the round as a value, notation and the shuffle.

Nothing here reads a clock, a file or a random source. Comments cite clauses of the rules (`E5`).
"""
