"""Writes `trl_doctor/data/vllm_windows.json`: the architectures that vLLM dropped, and when.

    python history/vllm_windows.py ENVIRONMENT/bin/python

Reads the registry of the vLLM that is installed there; nothing is imported. The newer that vLLM
is, the more of them it tells.
"""

import json
import sys
from pathlib import Path

from trl_doctor.facts.library.architectures import registry
from trl_doctor.facts.library.releases import DATA
from trl_doctor.machine.environment import environment


def main() -> None:
    here = environment(Path(sys.argv[1]))
    told = {
        "_about": f"Written by history/vllm_windows.py from vLLM {here.version('vllm')}.",
        "gone": dict(sorted(registry(here).removed.items())),
    }
    (DATA / "vllm_windows.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
