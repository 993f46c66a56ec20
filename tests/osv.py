"""The parts of the OSV schema, version 1.7, that an advisory can break.

https://ossf.github.io/osv-schema/
"""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
TIME: dict[str, Any] = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$",
}
EVENT: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "properties": dict.fromkeys(("introduced", "fixed", "last_affected", "limit"), TEXT),
    "additionalProperties": False,
}
RANGE: dict[str, Any] = {
    "type": "object",
    "required": ["type", "events"],
    "properties": {
        "type": {"enum": ["GIT", "SEMVER", "ECOSYSTEM"]},
        "repo": TEXT,
        "events": {
            "type": "array",
            "minItems": 1,
            "items": EVENT,
            "contains": {"required": ["introduced"]},
        },
        "database_specific": {"type": "object"},
    },
    "additionalProperties": False,
    "not": {
        "properties": {
            "events": {
                "allOf": [
                    {"contains": {"required": ["fixed"]}},
                    {"contains": {"required": ["last_affected"]}},
                ]
            }
        }
    },
    "if": {"properties": {"type": {"const": "GIT"}}},
    "then": {"required": ["repo"]},
}
PACKAGE: dict[str, Any] = {
    "type": "object",
    "required": ["ecosystem", "name"],
    "properties": {"ecosystem": TEXT, "name": TEXT, "purl": {"type": "string", "pattern": "^pkg:"}},
    "additionalProperties": False,
}
AFFECTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "package": PACKAGE,
        "severity": {"type": "array"},
        "ranges": {"type": "array", "items": RANGE},
        "versions": {"type": "array", "items": TEXT},
        "ecosystem_specific": {"type": "object"},
        "database_specific": {"type": "object"},
    },
    "additionalProperties": False,
}
KINDS = (
    "ADVISORY", "ARTICLE", "DETECTION", "DISCUSSION", "REPORT", "FIX", "INTRODUCED", "GIT",
    "PACKAGE", "EVIDENCE", "WEB",
)  # fmt: skip
REFERENCE: dict[str, Any] = {
    "type": "object",
    "required": ["type", "url"],
    "properties": {
        "type": {"enum": list(KINDS)},
        "url": {"type": "string", "pattern": "^https?://"},
    },
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "modified"],
    "properties": {
        "schema_version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "id": {"type": "string", "pattern": "^[A-Za-z_]+-"},
        **dict.fromkeys(("modified", "published", "withdrawn"), TIME),
        **{key: {"type": "array", "items": TEXT} for key in ("aliases", "related", "upstream")},
        **dict.fromkeys(("summary", "details"), TEXT),
        "severity": {"type": "array"},
        "affected": {"type": "array", "items": AFFECTED},
        "references": {"type": "array", "items": REFERENCE},
        "credits": {"type": "array"},
        "database_specific": {"type": "object"},
    },
    "additionalProperties": False,
}
