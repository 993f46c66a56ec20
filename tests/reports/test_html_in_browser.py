"""The HTML report in a real browser, headless: no console message, light and dark."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_formats import ROOT, example_report

from trl_doctor.reports.formats import renderer
from trl_doctor.reports.style import Style

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SCHEMES = {"light": "1", "dark": "0"}
"""What Blink calls the colour schemes that a person prefers."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser() -> str:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not path:
        pytest.skip("no Chromium is installed")
    return path


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)
    (tmp_path / "report.html").write_text(renderer("html", Style())(example_report()))
    return tmp_path / "report.html"


def console(browser: str, page: Path, scheme: str) -> tuple[list[str], bytes]:
    """The lines of the browser's console for a page, and a picture of the page."""
    picture = page.with_suffix(f".{scheme}.png")
    command = [
        browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        f"--user-data-dir={page.parent / 'profile'}", "--window-size=420,1200",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", f"--screenshot={picture}",
        page.as_uri(),
    ]  # fmt: skip
    process = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"}
    )
    assert picture.exists(), process.stderr
    return [
        line for line in process.stderr.splitlines() if ":CONSOLE" in line
    ], picture.read_bytes()


def test_the_report_opens_without_a_message_in_both_schemes(browser: str, page: Path) -> None:
    light, dark = (console(browser, page, scheme) for scheme in SCHEMES)
    assert (light[0], dark[0]) == ([], [])
    assert light[1] != dark[1]


def test_a_page_that_loads_something_is_noticed(browser: str, page: Path) -> None:
    page.write_text(page.read_text().replace("</main>", "<script>alert(1)</script></main>"))
    assert "Content Security Policy" in " ".join(console(browser, page, "light")[0])
