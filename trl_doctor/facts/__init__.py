"""What is known about a run. Public: rules import `core`, `facts` and `probes.answers`.

May import `core`, `files`, `machine`, `asking` and `probes`.
"""

from trl_doctor.facts.facts import Facts
from trl_doctor.machine.environment import Environment

__all__ = ["Environment", "Facts"]
