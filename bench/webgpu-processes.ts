/** Measurements that need a process of their own: a cold start, and widths that may not fit. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Measurement, median } from './harness.ts';
import type { FirstResult } from './webgpu-first-result.ts';
import type { WideAttempt } from './webgpu-wide.ts';

const STARTS = 3;
const WIDE_FAMILIES = ['ghz', 'qft', 'rqc'] as const;
const WIDE_LIMIT_MS = 150_000;

async function answerOf(script: string, parameters: readonly string[], timeout = 0) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...parameters], {
    timeout,
    killSignal: 'SIGKILL',
  });
  return stdout;
}

/**
 * From a process that was not there to the first result of a 20-qubit circuit and to its repeat;
 * medians over several processes, the first of which may have found no cache of the driver's.
 */
export async function firstResults(): Promise<readonly Measurement[]> {
  const starts: FirstResult[] = [];
  for (let i = 0; i < STARTS; i++) {
    // Written by the script beside this one.
    starts.push(JSON.parse(await answerOf('webgpu-first-result.ts', [])) as FirstResult);
  }
  const of = (name: string, pick: (start: FirstResult) => number, goal?: number): Measurement => ({
    name,
    value: median(starts.map(pick)),
    unit: 'ms',
    spread: [Math.min(...starts.map(pick)), Math.max(...starts.map(pick))],
    ...(goal !== undefined && { goal }),
  });
  return [
    of('process start to an open engine', ({ openMs }) => openMs),
    of('new process to the first result, 20 qubits', (start) => start.openMs + start.firstMs),
    of('open idle engine to the first result of a new circuit', ({ firstMs }) => firstMs, 300),
    of('another new circuit', ({ secondMs }) => secondMs),
    of('the same circuit again', ({ repeatMs }) => repeatMs, 5),
  ];
}

/** The outcome of GHZ, QFT and RQC at a width, each in a process that may die of it. */
export async function* attemptWide(numQubits: number): AsyncGenerator<WideAttempt> {
  for (const circuit of WIDE_FAMILIES) {
    try {
      const answer = await answerOf('webgpu-wide.ts', [circuit, `${numQubits}`], WIDE_LIMIT_MS);
      // Written by the script beside this one.
      yield JSON.parse(answer) as WideAttempt;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      yield { circuit, numQubits, outcome: `the process ended: ${reason}` };
    }
  }
}
