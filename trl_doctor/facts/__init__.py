"""What is known about a run. Public: rules import `core`, `facts` and `probes.answers`.

May import `core`, `files`, `machine`, `asking` and `probes`. The folders:

- `arguments`: the keys of a run file;  `training`: what they amount to: batches, steps, schedule
- `script` and `functions`: what a script makes and passes, read from its source
- `rows`, `chat_template`, `tokenizer`, `special_tokens`, `rewards`, `model`, `vllm`, `launch`
- `library`: what the installed TRL and its neighbours accept;  `forecast`: memory and time
- `measured`: what the real libraries do with this run
"""

from trl_doctor.facts.facts import Facts
from trl_doctor.machine.environment import Environment

__all__ = ["Environment", "Facts"]
