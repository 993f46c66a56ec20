"""What is known about a run. Public: rules import `core` and `facts`, and nothing else.

May import `core`, `files`, `machine` and `asking`.
"""

from trl_doctor.facts.facts import Facts
from trl_doctor.machine.environment import Environment

__all__ = ["Environment", "Facts"]
