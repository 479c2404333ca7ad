"""The package is typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import qcs_client

PACKAGE = REPOSITORY / "clients/python"


def pyright(*arguments):
    """pyright, which fetches its program when it runs first."""
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", "pyright", *arguments]
    return subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True)


def test_mypy_finds_nothing(monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.chdir(PACKAGE)
    printed, complaints, status = api.run(["--config-file", "pyproject.toml", "--cache-dir", ".mypy_cache"])
    assert status == 0, printed + complaints


def test_pyright_finds_nothing():
    pytest.importorskip("pyright")
    version = pyright("--version")
    if version.returncode != 0 and os.environ.get("QCS_TEST_REQUIRE_PYTHON_CLIENTS") != "1":
        pytest.skip(f"pyright cannot be had: {version.stderr.strip()[-200:]}")
    found = pyright("--pythonpath", sys.executable)
    assert found.returncode == 0, found.stdout + found.stderr


def test_programs_that_use_the_package_see_its_types():
    assert (Path(qcs_client.__file__).parent / "py.typed").exists()
