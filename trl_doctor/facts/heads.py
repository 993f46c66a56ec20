"""The head that a checkpoint scores with: whether it is there, and how many numbers it gives."""

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts.checkpoint import Weights
from trl_doctor.files.document import Document

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
SCORES = "ForSequenceClassification"
HEADS = ("score.weight", "classifier.weight", "classifier.out_proj.weight")


def headless(architecture: str, known: Weights | None) -> str:
    """Why a checkpoint has no head to score with; "" where it has one, or that is open."""
    if known and known.complete:
        if not all(lacks(known, name) for name in HEADS):
            return ""
        if not lacks(known, "v_head.summary.weight"):
            return "was saved with a value head (v_head), which is not read: it has no head `score`"
        if architecture.endswith((*GENERATES, SCORES)):
            return "has no head `score`"
    if architecture.endswith(GENERATES):
        return f"is a {architecture} and has no head `score`"
    return ""


def lacks(known: Weights | None, ending: str) -> bool:
    """Whether no tensor has this name, under any prefix; False where that is open."""
    if known is None or not known.complete:
        return False
    return not any(name == ending or name.endswith(f".{ending}") for name in known.tensors)


def labels(config: Document, known: Weights | None) -> int:
    """The labels of the head in the weights, or else of config.json, where 2 is the default."""
    head = known.tensors.get("score.weight") if known else None
    if head and head.shape:
        return head.shape[0]
    number, names = config.get("num_labels"), config.get("id2label")
    if isinstance(names, dict):
        return len(names)
    return number if isinstance(number, int) else 2


def labels_place(config: Document) -> Place:
    """Where config.json says how many labels there are."""
    keys = [key for key in ("id2label", "num_labels") if config.get(key) is not None]
    return Place(config.path, pointer(*keys[:1]))
