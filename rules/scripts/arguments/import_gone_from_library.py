"""The script uses a name that an installed library lacks.

The script fails when it imports or reads the name: "cannot import name …", or "module … has no
attribute …". Functions and classes are removed from transformers, peft, accelerate and datasets, or
move to another module, and a script that was written for an older release still has the old name.

Remedy: use the replacement that the finding names, or install a release that has the name.

Versions: the installed sources are read. Names inside `try` or under a condition are not examined.
It is a warning if the script installs packages itself.

Seen: reproduced with `from transformers import AdamW` and `AutoModelForVision2Seq` with
transformers 5.23.0, `from datasets import load_metric` with datasets 5.2.0 and `from peft import
prepare_model_for_int8_training` with peft 0.21.2: "ImportError: cannot import name".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import listed
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import surface
from trl_doctor.facts.library.found_again import instead
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    uses, environment = facts.run.script.library_names, facts.environment
    if not uses:
        raise NotConcerned("the script uses no names of the libraries around TRL")
    sources = surface.installed_sources(environment)
    packages = {use.name.partition(".")[0] for use in uses}
    reported = set[surface.Lack]()
    for use in uses:
        lack = surface.lacking(sources, use.name)
        if lack is None or lack in reported:
            continue
        reported.add(lack)
        package = lack.module.partition(".")[0]
        where = f" in {lack.module}" if lack.module != package else ""
        installed = bool(environment.own) and package not in environment.stated
        yield Finding(
            use.place,
            f"{package} {environment.version(package)} has no {lack.name}{where}",
            remedy=instead(sources, lack),
            severity="warning" if installed else None,
        )
    if not reported and (unread := sorted(packages - set(sources.packages))):
        raise Unavailable(f"{listed(unread)}: not installed here, or another release is stated")


RUN = "from trl import SFTTrainer\nSFTTrainer('org/m')\n"


def _installed(init: str, **modules: str) -> dict[str, str]:
    """A small peft: what its `__init__` says, and its modules."""
    folder = "site-packages"
    files = {f"{folder}/peft/{name}.py": text for name, text in modules.items()}
    return {
        f"{folder}/peft-0.21.2.dist-info/METADATA": "Name: peft\nVersion: 0.21.2\n",
        f"{folder}/peft/__init__.py": init,
        **files,
    }


PEFT = _installed(
    "from .tuners import LoraConfig\nfrom .other import *\n",
    tuners="class LoraConfig: pass\n",
    other="def prepare_model_for_kbit_training(model): pass\n",
)
OLD = "from peft import prepare_model_for_int8_training\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="cannot import name|module '.*' has no attribute",
    examples=(
        Bad(
            {**PEFT, "train.py": OLD + RUN},
            "train.py",
            says="peft 0.21.2 has no prepare_model_for_int8_training",
        ),
        Bad(
            {**PEFT, "train.py": f"import peft\n{RUN}peft.tuners.LoraKonfig(r=8)\n"},
            "train.py",
            says="peft 0.21.2 has no LoraKonfig in peft.tuners",
        ),
        Bad(
            {**PEFT, "train.py": "from peft.utils.other import fsdp_auto_wrap_policy\n" + RUN},
            "train.py",
            says="peft 0.21.2 has no utils",
        ),
        Good(
            {**PEFT, "train.py": f"try:\n    {OLD}except ImportError:\n    pass\n{RUN}"}, "train.py"
        ),
        Good({**PEFT, "train.py": "from peft import LoraConfig, tuners\n" + RUN}, "train.py"),
        Good(
            {
                **PEFT,
                "train.py": f"import peft\npeft.prepare_model_for_int8_training = len\n{OLD}{RUN}",
            },
            "train.py",
        ),
        Good(
            {**_installed("def __getattr__(name): return 1\n"), "train.py": OLD + RUN}, "train.py"
        ),
        Good({"train.py": OLD + RUN}, "train.py", skipped="peft: not installed here"),
    ),
)
