"""The programs of the README and the notebook run as they are printed."""

from __future__ import annotations

import ast
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
    "Stim": r"\(1000, 120\) \(1000, 1\)\n0\.0\d+",
    "asyncio": r"\[\{'0': 100\}, \{'1': 100\}\]",
    "Without a framework": r"\{'00': \d+, '11': \d+\}\n\(100, 1\) \(100, 1, 1\)",
}


@pytest.fixture
def environment(service, monkeypatch):
    monkeypatch.setenv("QCS_URL", service.url)
    monkeypatch.setenv("QCS_API_KEY", service.key)


@pytest.mark.parametrize("heading", SAYS)
def test_each_program_of_the_readme_prints_what_it_says(heading, environment):
    if heading in ("Qiskit", "PennyLane", "Cirq", "Stim"):
        pytest.importorskip(heading.lower())
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(BLOCKS[heading], heading, "exec"), {})
    assert re.fullmatch(SAYS[heading], printed.getvalue().strip())


def outputs_of(name, replaced=()):
    """Outputs of the cells of a notebook, which is stored without any, with other texts in its cells."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(REPOSITORY / "examples" / name, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs for cell in cells)
    for old, new in replaced:
        assert any(old in cell.source for cell in cells)
        for cell in cells:
            cell.source = cell.source.replace(old, new)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [str(output) for cell in cells for output in cell.outputs]


def test_the_notebook_runs(environment):
    outputs = outputs_of("python-client.ipynb")
    assert any("image/png" in output for output in outputs)
    assert any("-1.13" in output for output in outputs)


def test_the_notebook_of_the_threshold_runs_with_fewer_shots(environment):
    pytest.importorskip("sinter")
    rates = "print({(s.json_metadata['d'], s.json_metadata['p']): s.errors / s.shots for s in stats})"
    outputs = outputs_of(
        "threshold.ipynb",
        [
            ("200_000", "20_000"),
            ("(0.003, 0.005, 0.006, 0.007, 0.008, 0.01)", "(0.003, 0.02)"),
            ("axes.legend();", f"axes.legend()\n{rates}"),
        ],
    )
    assert any("image/png" in output for output in outputs)
    # Below the threshold the larger code has fewer errors, above it more.
    printed = re.search(r"\{\(.*?\}", "".join(outputs))
    found = ast.literal_eval(printed.group())
    assert found[7, 0.003] < found[3, 0.003]
    assert found[7, 0.02] > found[3, 0.02]
