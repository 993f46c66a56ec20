"""What the probes answer: one file a probe, with the frozen dataclass that it builds and returns.

Written for Python 3.9 with the standard library alone, for the probes run in the target
interpreter. What passes between the processes is JSON: text, numbers, booleans, None, tuples and
mappings from text. The doctor converts an answer once (`core.question`), and facts and rules use
its attributes. May import nothing of this project.
"""
