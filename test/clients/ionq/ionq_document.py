"""IonQ's OpenAPI document, from the source distribution of ionq-core, and the validation of answers against it.

The document is another vendor's, so it is fetched instead of being kept here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema

#: Faults of the document that ionq-core's own overlay mends, in its words: what the interface really answers.
OVERLAID = {"GetJobCostResponse": {"required": ["dry_run"]}}


@cache
def ionq_core_sources() -> Path:
    """Folder of the sources of the installed ionq-core: its document, and its own integration tests."""
    name = f"ionq_core-{version('ionq-core')}"
    folder = Path(sys.prefix) / "sources"
    if not (folder / name).is_dir():
        folder.mkdir(exist_ok=True)
        package = f"ionq-core=={version('ionq-core')}"
        # What reads its metadata need not be built, too.
        options = ["--no-deps", "--no-binary", "ionq-core", "--disable-pip-version-check", "-q", "-d", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, package], check=True)
        with tarfile.open(folder / f"{name}.tar.gz") as archive:
            # Debian 12's Python has no filters yet.
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(folder, **safely)
    return folder / name


@dataclass(frozen=True)
class Document:
    """IonQ's document as JSON Schema."""

    root: dict[str, Any]

    @staticmethod
    def read(path: Path) -> Document:
        root = json.loads(path.read_text())
        for name, mended in OVERLAID.items():
            root["components"]["schemas"][name].update(mended)
        return Document(_as_json_schema(root))

    def faults(self, method: str, url: str, status: int, text: str) -> list[str]:
        """Where an answer differs from the document; nothing for a path that it does not have."""
        path = urlsplit(url).path
        if not path.startswith("/v0.4/"):
            return []
        where = f"{method} {path} {status}"
        answer = json.loads(text)
        if status >= 400:
            return self._against(where, answer, {"$ref": "#/components/schemas/Error"})
        operation = self._operation(method, path.removeprefix("/v0.4"))
        if operation is None:
            return []
        response = self._resolved(operation["responses"].get(str(status)))
        if response is None:
            return [f"{where}: the status is not in the document"]
        schema = response["content"]["application/json"]["schema"]
        return self._against(where, _without_older(answer), schema)

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        for pattern in sorted(self.root["paths"], key=lambda each: each.count("{")):
            regular = re.sub(r"\{[^}]*\}", "[^/]+", pattern)
            if re.fullmatch(regular, path):
                return self.root["paths"][pattern].get(method.lower())
        return None

    def _resolved(self, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is None or "$ref" not in value:
            return value
        found = self.root
        for name in value["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return found

    def _against(self, where: str, answer: object, schema: dict[str, Any]) -> list[str]:
        validator = jsonschema.Draft202012Validator({**self.root, **schema})
        return [f"{where}: {error.json_path} {error.message[:300]}" for error in validator.iter_errors(answer)]


def _as_json_schema(value: Any) -> Any:
    """OpenAPI 3.0 says `nullable` where JSON Schema says that null is one of the types."""
    if isinstance(value, list):
        return [_as_json_schema(each) for each in value]
    if not isinstance(value, dict):
        return value
    converted = {name: _as_json_schema(each) for name, each in value.items() if name != "nullable"}
    return {"anyOf": [converted, {"type": "null"}]} if value.get("nullable") is True else converted


def _without_older(answer: Any) -> Any:
    """The answer without fields that older clients read; see ``docs/ionq.md``."""
    if not isinstance(answer, dict):
        return answer
    if "estimate_context" in answer:
        older = {"input_values", "estimated_cost", "cost_unit", "rate_information"}
        return {name: each for name, each in answer.items() if name not in older}
    if "results" in answer and "backend" in answer:
        results, failure = answer["results"], answer["failure"]
        return {
            **answer,
            "results": results and {k: {n: v for n, v in d.items() if n != "url"} for k, d in results.items()},
            "failure": failure and {n: v for n, v in failure.items() if n != "error"},
        }
    if "jobs" in answer:
        # cirq-ionq takes a null for another page, so its last page has no `next`.
        return {"next": None, **answer, "jobs": [_without_older(job) for job in answer["jobs"]]}
    return answer
