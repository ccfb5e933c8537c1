"""The match machine: inputs in, facts and effects out. No I/O, and `now` is an argument.

The door is `referee.match.machine.Machine`. What crosses it lives in `values`, `inputs`,
`facts` and `step`.
"""
