"""Lets the Design Agent shorten a circuit, and waits for the result of the task. Needs only Python 3.

    QCS_API_KEY=qcs_… python3 examples/agent_task.py

QCS_URL is the address of the service, by default http://127.0.0.1:8080. A task is answered at once with its id; its record
has the result once it is completed.
"""
import json
import os
import time
import urllib.request

SERVICE = os.environ.get("QCS_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("QCS_API_KEY", "")


def ask(path, body=None):
    """Data of the answer to a GET, or to a POST if there is a body."""
    request = urllib.request.Request(
        f"{SERVICE}/api/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-API-Key": KEY, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]


task = ask("/agents/design/execute", {
    "task": "shorten",
    "input": {
        "circuit": [
            {"gate": "H", "qubit": 0},
            {"gate": "CX", "control": 0, "target": 1},
            {"gate": "T", "qubit": 0},
            {"gate": "CX", "control": 0, "target": 1},
            {"gate": "TDG", "qubit": 0},
            {"gate": "H", "qubit": 0},
            {"gate": "X", "qubit": 1},
        ],
    },
})
while task["status"] in ("queued", "running"):
    time.sleep(0.1)
    task = ask(f"/tasks/{task['task_id']}")
if task["status"] != "completed":
    raise SystemExit(f"{task['status']}: {task.get('error')}")
print(json.dumps(task["result"]["circuit"]))
