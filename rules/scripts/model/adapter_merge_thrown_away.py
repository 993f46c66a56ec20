"""An adapter is merged and the result is lost.

`merge_and_unload()` returns the merged model. The object that it is called on stays a PeftModel,
and its `save_pretrained` writes the adapter alone: the folder has no config.json and no
model.safetensors, and servers cannot load it. If the merged model gets a name that nothing reads,
the model that is saved has the old weights. No error is raised.

Remedy: `model = model.merge_and_unload()`, and save that.

Versions: every release of PEFT. Reported are models that the script saves after that. The model
that the adapter was put on is merged, too: a script that saves it is right.

Seen: reproduced with peft 0.21.2: after `model.merge_and_unload()` and `model.save_pretrained` the
folder has adapter_model.safetensors only.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import discarded_merges, merges_never_read

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for call in facts[discarded_merges]:
        yield Finding(
            facts[code].place(call.node),
            f"the merged model is lost: {call.name}.merge_and_unload() returns it, and {call.name} "
            "still saves the adapter alone",
            remedy=f"write {call.name} = {call.name}.merge_and_unload()",
        )
    for name, call in facts[merges_never_read]:
        yield Finding(
            facts[code].place(call.node),
            f"nothing in the script uses {name}, the merged model: the model that it saves is "
            "another one",
            remedy=f"save {name}",
        )


def files(line: str) -> dict[str, str]:
    text = script("SFT", "model='org/m'")["train.py"].replace("SFTTrainer(a", "t = SFTTrainer(a")
    return {"train.py": f"{text}t.train()\n{line}\n"}


LOADED = "PeftModel.from_pretrained(base, 'out')"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files("t.model.merge_and_unload()\nt.model.save_pretrained('merged')"),
            "train.py",
            says="the merged model is lost: t.model.merge_and_unload() returns it",
        ),
        Bad(
            files("m = t.model.merge_and_unload()\nn = load()\nn.save_pretrained('merged')"),
            "train.py",
            says="nothing in the script uses m, the merged model",
        ),
        Good(files("t.model.save_pretrained('a')\nt.model.merge_and_unload()"), "train.py"),
        Good(files(f"{LOADED}.merge_and_unload()\nbase.save_pretrained('merged')"), "train.py"),
        Good(files(f"m = {LOADED}.merge_and_unload()\nbase.save_pretrained('merged')"), "train.py"),
        Good(files("m = t.model.merge_and_unload()\nm.save_pretrained('merged')"), "train.py"),
    ),
)
