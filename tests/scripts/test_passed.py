"""What a script hands to the trainer's class."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.run import Run
from trl_doctor.facts.script.passed import adapted_by, count, passed, plain_container
from trl_doctor.facts.totals import rows as counted
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment

HEAD = """from datasets import Dataset, load_dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
base = AutoModelForCausalLM.from_pretrained("m")
"""


def opened(folder: Path, text: str) -> Run:
    """The run of a script with these lines."""
    (folder / "train.py").write_text(HEAD + text)
    world = Environment(Path("python"), (), {"trl": Version("1.16.0")})
    return open_run(target(str(folder / "train.py"), offline=True), world, Options(offline=True))


def test_what_is_given_by_position_by_name_and_as_none(tmp_path: Path) -> None:
    text = "SFTTrainer(base, args=SFTConfig('o'), eval_dataset=None)\n"
    run = opened(tmp_path, text).script.passed
    assert run is not None
    assert (run.has("model"), run.has("eval_dataset"), run.has("peft_config")) == (
        True,
        False,
        False,
    )


def test_what_more_may_be_given_is_not_known(tmp_path: Path) -> None:
    run = opened(tmp_path, "SFTTrainer(base, **more())\n").script.passed
    assert run is not None and run.has("model")
    with pytest.raises(Unavailable, match="whether eval_dataset is given is not known"):
        run.has("eval_dataset")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("get_peft_model(base, LoraConfig())", "get_peft_model"),
        ("PeftModel.from_pretrained(base, 'a')", "from_pretrained"),
        ("base", None),
    ],
)
def test_the_call_that_puts_an_adapter_on(model: str, name: str | None, tmp_path: Path) -> None:
    run = opened(tmp_path, f"SFTTrainer({model})\n").script.passed
    assert run is not None
    call = adapted_by(run.given("model"))
    assert (call.short if call else None) == name


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ("{'text': []}", "dict"),
        ("[{'text': 'a'}]", "list"),
        ("load_dataset('json', data_files='a.jsonl')", "DatasetDict"),
        ("load_dataset('json', data_files='a.jsonl', split='train')", ""),
        ("load_dataset('org/rows')", "DatasetDict"),
    ],
)
def test_what_is_no_data_set(rows: str, kind: str, tmp_path: Path) -> None:
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={rows})\n").script.passed
    assert run is not None and plain_container(run.given("train_dataset")) == kind
    assert count(None) is None


@pytest.mark.parametrize(
    "files", ["'rows.jsonl'", "['rows.jsonl', 'b.jsonl']", "{'train': 'rows.jsonl'}"]
)
def test_the_rows_that_a_script_loads(files: str, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    loaded = f"load_dataset('json', data_files={files}, split='train')"
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={loaded})\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    assert facts[own_rows] == [{"text": "a"}]


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ("'rows.jsonl'", True),
        ("['rows.jsonl'], split='train', num_proc=2", True),
        ("path_or_paths='rows.jsonl'", True),
        ("'rows.jsonl', field='rows'", False),
        ("'rows.jsonl', **more()", False),
    ],
)
def test_the_rows_of_a_file_that_a_class_loads(given: str, known: bool, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset=Dataset.from_json({given}))\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    if known:
        assert facts[own_rows] == [{"text": "a"}]
    else:
        with pytest.raises(Unavailable, match=r"Dataset\.from_json"):
            facts[own_rows]


@pytest.mark.parametrize(
    "loaded",
    [
        "load_dataset('json', data_files=FILES)['validation']",
        "load_dataset('json', data_files=FILES, split='validation')",
        "load_dataset('json', data_files=FILES, split='validation[:2]')",
        "load_dataset('./folder', split='validation')",
        "load_dataset('./folder')['validation'].shuffle(seed=1)",
        "load_dataset('./folder')['validation'].train_test_split(0.1)['train']",
    ],
)
def test_the_rows_are_those_of_the_split_that_is_named(loaded: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, text in (("train", "a"), ("dev", "b")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"text": "{text}"}}\n')
        (tmp_path / f"folder/{name}.jsonl").write_text(f'{{"text": "{text}"}}\n')
    files = "{'train': 'train.jsonl', 'validation': 'dev.jsonl'}"
    call = loaded.replace("FILES", files)
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={call})\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    assert facts[own_rows] == [{"text": "b"}]


@pytest.mark.parametrize(
    ("files", "rows"), [("['a.jsonl', 'b.jsonl']", 5), ("{'train': ['b.jsonl']}", 3)]
)
def test_the_rows_of_all_files_are_counted(files: str, rows: int, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n' * 2)
    (tmp_path / "b.jsonl").write_text('{"text": "b"}\n' * 3)
    loaded = f"load_dataset('json', data_files={files}, split='train')"
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={loaded})\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    assert facts[counted] == rows
    (tmp_path / "b.jsonl").unlink()
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    with pytest.raises(Unavailable, match="not here to be counted"):
        facts[counted]


def test_rows_that_the_script_changes_are_not_known(tmp_path: Path) -> None:
    loaded = "load_dataset('json', data_files='rows.jsonl', split='train').map(str)"
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={loaded})\n")
    with pytest.raises(Unavailable, match="changes it after loading"):
        Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))[own_rows]


@pytest.mark.parametrize(
    ("steps", "row"),
    [
        (".shuffle(seed=1).sort('b')", {"a": 1, "b": 2, "c": 3}),
        (".rename_column('a', 'x')", {"x": 1, "b": 2, "c": 3}),
        (".rename_columns({'a': 'b', 'b': 'a'}).remove_columns('c')", {"b": 1, "a": 2}),
        (".remove_columns(['a']).rename_column('b', 'a')", {"a": 2, "c": 3}),
        (".select_columns(['c', 'a']).train_test_split(0.5)['train']", {"a": 1, "c": 3}),
        (".remove_columns(names)", None),
        (".rename_column('a', name)", None),
        (".filter(bool)", None),
    ],
)
def test_rows_have_the_columns_that_the_script_leaves(
    steps: str, row: dict[str, int] | None, tmp_path: Path
) -> None:
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "b": 2, "c": 3}\n')
    loaded = f"load_dataset('json', data_files='rows.jsonl', split='train'){steps}"
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={loaded})\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    assert facts.get(own_rows) == ([row] if row else None)
    if row:
        assert sorted(dataset.columns(facts)) == sorted(row)


@pytest.mark.parametrize(("name", "known"), [("./data", True), ("data", False)])
def test_the_columns_of_a_folder_that_surely_is_one(name: str, known: bool, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text('{"a": 1, "b": 2}\n')
    loaded = f"load_dataset('{name}', split='train').rename_column('a', 'x')"
    run = opened(tmp_path, f"SFTTrainer(base, train_dataset={loaded})\n")
    facts = Facts(run, Environment(Path("python"), (), {}), NoOracle("none"))
    assert facts.get(own_rows) == ([{"x": 1, "b": 2}] if known else None)


def test_a_run_file_hands_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"trainer": "sft"}')
    world = Environment(Path("python"), (), {"trl": Version("1.16.0")})
    run = open_run(target(str(tmp_path / "run.json"), offline=True), world, Options(offline=True))
    with pytest.raises(NotConcerned):
        passed(Facts(run, world, NoOracle("none")))
