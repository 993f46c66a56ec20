"""The classification head of a checkpoint: whether it exists, and how many scores it gives."""

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts.model.checkpoint import Weights
from trl_doctor.files.document import Document

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
SCORES = "ForSequenceClassification"
HEADS = ("score.weight", "classifier.weight", "classifier.out_proj.weight")


def headless(architecture: str, stored: Weights | None) -> str:
    """Why a checkpoint has no classification head; "" if it has one, or if this is not known."""
    if stored and stored.complete:
        if not all(lacks(stored, name) for name in HEADS):
            return ""
        if not lacks(stored, "v_head.summary.weight"):
            return "was saved with a value head (v_head), which is not read: it has no head `score`"
        if architecture.endswith((*GENERATES, SCORES)):
            return "has no head `score`"
    if architecture.endswith(GENERATES):
        return f"is a {architecture} and has no head `score`"
    return ""


def lacks(stored: Weights | None, ending: str) -> bool:
    """Whether no tensor has this name, under any prefix; False if this is not known."""
    if stored is None or not stored.complete:
        return False
    return not any(name == ending or name.endswith(f".{ending}") for name in stored.tensors)


def label_count(config: Document, stored: Weights | None) -> int:
    """The number of labels of the stored head, else of config.json, where 2 is the default."""
    head = stored.tensors.get("score.weight") if stored else None
    if head and head.shape:
        return head.shape[0]
    number, names = config.get("num_labels"), config.get("id2label")
    if isinstance(names, dict):
        return len(names)
    return number if isinstance(number, int) else 2


def labels_place(config: Document) -> Place:
    """The place where config.json states the number of labels."""
    keys = [key for key in ("id2label", "num_labels") if config.get(key) is not None]
    return Place(config.path, pointer(*keys[:1]))
