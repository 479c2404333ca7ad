"""The service's side: answers.ts, one process for as long as it answers in time."""

import json
import select
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from program import Skipped

ANSWERS = Path(__file__).with_name("answers.ts")


class Refused(Exception):
    """The service's message to whoever sent the program."""


class Crashed(Exception):
    """The service's process ended on a program, which none may make it do."""


class Service:
    def __init__(self, node, seconds):
        self.node, self.seconds, self.process = node, seconds, None
        self.folder = tempfile.TemporaryDirectory()
        self.amplitudes = Path(self.folder.name) / "amplitudes"

    def answer(self, program, wants, **more):
        """What the service makes of a program; raises Refused, Skipped or Crashed."""
        if self.process is None:
            self.process = subprocess.Popen(
                [self.node, str(ANSWERS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        question = {"qasm": program.text, "wants": wants, **more}
        if program.inputs:
            question["inputs"] = program.inputs
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        # An answer is written at once, so that what can be read is soon a whole line.
        if not select.select([self.process.stdout], [], [], self.seconds)[0]:
            self.close()
            raise Skipped(f"the service takes more than {self.seconds} s")
        line = self.process.stdout.readline()
        if not line:
            told = self.process.stderr.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise Crashed(next((text for text in told if "Error" in text), "no reason"))
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def state(self, program):
        self.answer(program, "state", into=str(self.amplitudes))
        return np.fromfile(self.amplitudes, dtype=np.complex128)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
