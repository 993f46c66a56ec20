"""The model that the trainer saves cannot be loaded.

After two steps the trainer saved its model as the job will, and the model was loaded again. That
failed, or gave other weights: the job would train to its end and leave nothing to use.

Remedy: correct what the error names and rehearse again. transformers checks `generation_config`
when it is saved, not when it is created. With FSDP set `state_dict_type` to FULL_STATE_DICT before
the model is saved; with ZeRO-3 set `stage3_gather_16bit_weights_on_model_save`.

Versions: any; transformers from 4.39 on refuses to save a generation config whose values contradict
each other.

Seen: reproduced with `model.generation_config.temperature = 0.7` with `do_sample = False` under
transformers 5.23.0: training succeeds, and `save_model` raises. With FSDP2 and SHARDED_STATE_DICT
in two processes, `save_model` wrote no model. LlamaFactory#3400: a model with a value head and tied
weights, trl 0.15.2. Not examined: a class without a config that saves its weights alone.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rehearsal import FILES, TRL, rehearsed, saved


def check(facts: Facts) -> Iterator[Finding]:
    saved = facts[rehearsal].saved
    if saved is None:
        raise Unavailable("the rehearsal did not save a model")
    place = facts.run.place()
    if not saved.loads:
        error, translation = " ".join(saved.error.split()), known(saved.error)
        yield Finding(
            place,
            f"the trained model cannot be saved: {excerpt(error, 300)}",
            (f"cause: {translation.cause}",) if translation else (),
            remedy=translation.remedy if translation else "",
            follows=("zero3-saves-no-weights",),
        )
    elif saved.lacking or saved.differing:
        tensors = [*saved.lacking, *saved.differing]
        yield Finding(
            place,
            f"the saved model differs after loading: {len(tensors)} weights",
            (f"differing: {', '.join(tensors)}",),
            severity="warning",
        )


REFUSED = (
    "ValueError: GenerationConfig is invalid: \n- `temperature`: `do_sample` is not set to `True`"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=saved(loads=False, error=REFUSED),
            says="the trained model cannot be saved: ValueError: GenerationConfig is invalid",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=saved(loads=False, error="RuntimeError: \n    Some tensors share memory"),
            says="the trained model cannot be saved: RuntimeError: Some tensors share memory",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=saved(loads=True, lacking=("lm_head.weight",)),
            says="the saved model differs after loading: 1 weights",
            severity="warning",
        ),
        Good(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=saved(loads=True),
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed(), skipped="did not save"),
        Good(FILES, versions=TRL, answers=rehearsed()),
    ),
)
