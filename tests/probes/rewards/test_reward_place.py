"""A guarded folder is not changed, in whichever way a function tries to."""

from __future__ import annotations

from pathlib import Path

from test_reward_probe import python


def test_a_guarded_folder_is_not_changed_though_the_work_lies_in_it(tmp_path: Path) -> None:
    root, work = tmp_path / "run", tmp_path / "run" / "kept"
    (root / "logs").mkdir(parents=True)
    work.mkdir()
    (root / "rows.txt").write_text("42")
    code = f"""
    import os, shutil
    from trl_doctor.probes.alone.place import Forbidden, guarded
    os.chdir({str(work)!r})
    rows = {str(root / "rows.txt")!r}
    open("mine.txt", "w").close()
    changes = (
        lambda: os.rename("mine.txt", rows),
        lambda: os.link("mine.txt", rows + "2"),
        lambda: os.link(rows, "rows.txt"),
        lambda: os.symlink("mine.txt", rows + "2"),
        lambda: os.chmod(rows, 0),
        lambda: os.utime(rows),
        lambda: shutil.rmtree({str(root / "logs")!r}),
        lambda: open("link.txt", "a"),
    )
    refused = 0
    with guarded([{str(root)!r}]):
        os.symlink(rows, "link.txt")
        for change in changes:
            try:
                change()
            except Forbidden:
                refused += 1
        os.remove("link.txt")
        os.rename("mine.txt", "moved.txt")
    print(refused, len(changes), os.listdir())
    open(rows, "a").close()
    """
    assert python(code) == "8 8 ['moved.txt']\n"
    assert (root / "rows.txt").read_text() == "42"
    assert {path.name for path in root.iterdir()} == {"logs", "rows.txt", "kept"}


def test_models_in_a_cache_are_guarded_and_the_cache_is_not(tmp_path: Path) -> None:
    model = tmp_path / ".cache" / "hub" / "model"
    model.mkdir(parents=True)
    code = f"""
    import os
    os.environ["HOME"] = {str(tmp_path)!r}
    from trl_doctor.probes.alone.place import Forbidden, guarded
    with guarded([{str(tmp_path)!r}, {str(model)!r}]):
        open({str(tmp_path / ".cache" / "compiled")!r}, "w").close()
        try:
            open({str(model / "new")!r}, "w")
        except Forbidden as error:
            print(error)
    """
    assert python(code) == f"a probe may not change {model / 'new'}\n"
