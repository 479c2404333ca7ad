"""The package is typed."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY


def test_mypy_finds_nothing(monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.chdir(REPOSITORY / "clients/python")
    printed, complaints, status = api.run(["--config-file", "pyproject.toml", "--cache-dir", ".mypy_cache"])
    assert status == 0, printed + complaints
