"""What the tests of repairs share: the command, and what a folder holds."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from trl_doctor.commands.cli import main

FIXTURES = Path(__file__).parents[3] / "fixtures"

VLLM = ("broken-vllm.yaml", "--select", "vllm-stop-ids-not-passed")

COPY = ("broken-vllm.yaml", "--select", "vllm-tokenizer-lacks-tokens", "--unsafe-fixes")

GENERATION = Path("models/healthy/generation_config.json")


def doctor(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def check(*arguments: str) -> Result:
    return doctor("check", *arguments)


def files(folder: Path = Path()) -> dict[str, bytes | str]:
    """Every file's bytes and every link's target, the records of repairs left out."""
    return {
        str(path): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if ".trl-doctor" not in path.parts and (path.is_symlink() or path.is_file())
    }


def stamps() -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in Path().rglob("*")
    }
