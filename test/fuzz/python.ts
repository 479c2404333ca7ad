/** Oracles and clients in Python: one process that answers a line of JSON with a line of JSON. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('oracles.py', import.meta.url));
const CLIENTS = fileURLToPath(new URL('../../clients/python/src', import.meta.url));

// The service refuses settings that it does not know.
const { QCS_FUZZ_PYTHON: python } = process.env;
delete process.env['QCS_FUZZ_PYTHON'];

type Reply = { readonly value?: unknown; readonly error?: string };
let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
const waiting: ((reply: Reply) => void)[] = [];
const told = new Set<string>();

/** Whether a Python is named. Where none is, says once what does not run. */
export function hasPython(what: string): boolean {
  if (python) return true;
  if (!told.has(what)) process.stderr.write(`SKIPPED ${what}: QCS_FUZZ_PYTHON names no Python.\n`);
  told.add(what);
  return false;
}

/** Asks the Python process. @throws with what Python raised. */
export async function askPython(task: string, input: object): Promise<unknown> {
  if (child === undefined) {
    const path = [CLIENTS, process.env['PYTHONPATH']].filter(Boolean).join(delimiter);
    const env = { ...process.env, PYTHONPATH: path, PYTHONWARNINGS: 'ignore' };
    child = spawn(python ?? 'python3', [SCRIPT], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      waiting.shift()?.(JSON.parse(line) as Reply);
    });
    child.once('exit', () => {
      for (const each of waiting.splice(0)) each({ error: 'Python ended' });
    });
  }
  child.stdin.write(`${JSON.stringify({ task, ...input })}\n`);
  const reply = await new Promise<Reply>((resolve) => waiting.push(resolve));
  if (reply.error !== undefined) throw new Error(reply.error);
  return reply.value;
}

/** Versions of the oracles; null without Python. */
export async function pythonVersions(): Promise<unknown> {
  return hasPython('oracles in Python') ? askPython('versions', {}) : null;
}

/** Ends the process. */
export function closePython(): void {
  child?.stdin.end();
}
