"""Scripts that name layers by their numbers get small models with all layers."""

from pathlib import Path

import pytest

from trl_doctor.probes.rehearsal.models.numbered_layers import names_layers
from trl_doctor.probes.small_model.depth import kept_layers, shallow, whole_depth

LLAMA = {"num_hidden_layers": 12, "layer_types": ["full"] * 12}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('p.requires_grad = "layers.11." in name', True),
        ("last = [f'layers.{n}.' for n in (10, 11)]", True),
        ("pattern = re.compile(r'model\\.layers\\.(0|1)\\.')", True),
        ("number = int(name.split('layers.')[1].split('.')[0])", True),
        ("for layer in model.model.layers[-4:]:", True),
        ("model.transformer.h[0].requires_grad_(False)", True),
        ("LoraConfig(layers_to_transform=[10, 11])", True),
        ("h = [1]; first = h[0]", False),
        ("for layer in model.layers: layer.train()", False),
        ("from keras import layers", False),
    ],
)
def test_code_that_names_layers(code: str, names: bool, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(code)
    assert names_layers(str(tmp_path / "train.py")) is names


def test_all_layers_are_kept_where_they_are_wanted() -> None:
    for wanted, layers in ((False, 2), (True, 12)):
        with whole_depth(wanted):
            numbers = kept_layers(LLAMA)
            assert len(numbers) == layers
            assert shallow("num_hidden_layers", 12, 12, numbers) == layers
            assert len(shallow("layer_types", LLAMA["layer_types"], 12, numbers)) == layers
    with whole_depth(True):
        assert len(kept_layers({"num_hidden_layers": 100})) == 2
