"""What a rehearsal writes down of a model that a script makes of a config."""

from __future__ import annotations

import json
from pathlib import Path

from commands import ran
from laid import ROOT, Interpreter

MEASURE = """
import json, sys
from pathlib import Path
sys.path[:0] = [ROOT]
import torch
from transformers import (AutoTokenizer, DataCollatorForLanguageModeling, LlamaConfig,
                          LlamaForCausalLM, PretrainedConfig, PreTrainedModel)
from trl_doctor.probes.rehearsal.trainers.from_config import made_of_config

class Rolled(LlamaForCausalLM):
    pass

class Own(PreTrainedModel):
    config_class = PretrainedConfig

    def __init__(self, config):
        super().__init__(config)
        self.head = torch.nn.Linear(4, 4)

tokenizer = AutoTokenizer.from_pretrained(ROOT + "/fixtures/models/healthy")
config = LlamaConfig(vocab_size=320, hidden_size=16, intermediate_size=16, num_hidden_layers=1,
                     num_attention_heads=2)
collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
llama = LlamaForCausalLM(config)
given = {
    "plain": {"model": llama, "processing_class": tokenizer},
    "collated": {"model": llama, "data_collator": collator},
    "derived": {"model": Rolled(config), "processing_class": tokenizer},
    "unnamed": {"model": llama},
    "own": {"model": Own(PretrainedConfig()), "processing_class": tokenizer},
}
told = {}
for name, arguments in given.items():
    folder = made_of_config(arguments, None, Path(name + ".made"))
    made = folder and json.loads((Path(folder) / "config.json").read_text())["architectures"]
    told[name] = made and [*made, (Path(folder) / "tokenizer.json").is_file()]
print(json.dumps(told))
"""


def test_classes_and_tokenizers_of_models_of_configs(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    (tmp_path / "measure.py").write_text(MEASURE.replace("ROOT", repr(str(ROOT))))
    process = ran(interpreter("current"), "measure.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    llama = ["LlamaForCausalLM", True]
    assert json.loads(process.stdout.splitlines()[-1]) == {
        "plain": llama, "collated": llama, "derived": llama, "unnamed": None, "own": None,
    }  # fmt: skip
