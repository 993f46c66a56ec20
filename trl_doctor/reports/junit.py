"""JUnit XML: a suite a target, a case a check; what was not examined is an error, not a pass."""

from __future__ import annotations

from xml.etree import ElementTree as Tree

from trl_doctor.checkup.report import Check, Entry, Report, TargetReport
from trl_doctor.core.plain import plain
from trl_doctor.reports.naming import name_of

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def render(report: Report) -> str:
    """All targets as `testsuites`."""
    suites = Tree.Element("testsuites", name="trl-doctor")
    for target in report.targets:
        suites.append(_suite(target, report))
    if report.problems:
        suite = Tree.SubElement(suites, "testsuite", name="trl-doctor")
        for problem in report.problems:
            case = _case(suite, "trl-doctor", "the command")
            Tree.SubElement(case, "error", message=plain(problem))
        _count(suite)
    _count(suites)
    Tree.indent(suites)
    return HEAD + Tree.tostring(suites, encoding="unicode")


def _suite(target: TargetReport, report: Report) -> Tree.Element:
    name = name_of(target, report)
    suite = Tree.Element("testsuite", name=name)
    for check in target.checks:
        if check.state != "not concerned":
            _checked(_case(suite, name, check.rule), check, report.page(check.rule))
    case = _case(suite, name, "everything that matters was examined")
    if target.verdict.lacking:
        kind = "error" if report.exit_code else "skipped"
        text = "\n".join(map(plain, target.verdict.lacking))
        Tree.SubElement(case, kind, message=plain(target.verdict.lacking[0])).text = text
    _count(suite)
    return suite


def _case(suite: Tree.Element, target: str, name: str) -> Tree.Element:
    return Tree.SubElement(suite, "testcase", classname=plain(target), name=plain(name))


def _checked(case: Tree.Element, check: Check, page: str) -> None:
    roots = [entry for entry in check.entries if entry.cause is None]
    errors = [entry for entry in roots if entry.severity == "error"]
    milder = [entry for entry in roots if entry.severity != "error"]
    if check.state == "crashed":
        Tree.SubElement(case, "error", message=plain(check.reason))
    elif check.state == "skipped":
        Tree.SubElement(case, "skipped", message=plain(check.reason))
    elif errors:
        failure = Tree.SubElement(case, "failure", type="error", message=plain(errors[0].message))
        failure.text = "\n\n".join(_text(entry, page) for entry in errors)
    if milder:
        Tree.SubElement(case, "system-out").text = "\n\n".join(
            _text(entry, page) for entry in milder
        )


def _text(entry: Entry, page: str) -> str:
    at = entry.at
    place = at.file if at.line is None else f"{at.file}:{at.line}:{at.column}"
    lines = [f"{entry.severity}: {entry.message}", f"at: {place}"]
    lines += [f"seen: {line}" for line in entry.evidence]
    lines.append(f"fix: {entry.fix.message}" if entry.fix else f"remedy: {entry.remedy}")
    lines += [f"page: {page}"] if page else []
    return "\n".join(map(plain, lines))


def _count(element: Tree.Element) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, child in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(child) is not None for case in cases)))
