"""The programs of the README and the notebook run as they are printed."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from conftest import REPOSITORY

README = (REPOSITORY / "clients/python/README.md").read_text()
BLOCKS = dict(
    re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
)
SAYS = {
    "Qiskit": r"\{'(00|11)': \d+, '(00|11)': \d+\}",
    "PennyLane": r"0\.8775\d* -0\.4794\d*",
    "Cirq": r"Counter\(\{[03]: \d+, [03]: \d+\}\)",
    "asyncio": r"\[\{'0': 100\}, \{'1': 100\}\]",
    "Without a framework": r"\{'00': \d+, '11': \d+\}\n\(100, 1\) \(100, 1, 1\)",
}


@pytest.fixture
def environment(service, monkeypatch):
    monkeypatch.setenv("QCS_URL", service.url)
    monkeypatch.setenv("QCS_API_KEY", service.key)


@pytest.mark.parametrize("heading", SAYS)
def test_each_program_of_the_readme_prints_what_it_says(heading, environment):
    if heading in ("Qiskit", "PennyLane", "Cirq"):
        pytest.importorskip(heading.lower())
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(BLOCKS[heading], heading, "exec"), {})
    assert re.fullmatch(SAYS[heading], printed.getvalue().strip())


def test_the_notebook_runs(environment):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(REPOSITORY / "examples/python-client.ipynb", as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [str(output) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output for output in outputs)
    assert any("-1.13" in output for output in outputs)
