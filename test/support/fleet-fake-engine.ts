/**
 * An engine that does as the circuit says, or the shape of a batch: the name of its first gate is the
 * instruction. A batch's expectations are its angles.
 *
 * A circuit's matrix may lie in shared memory, by which a test steers a run under way. The self-test
 * circuits are answered from their known state, with a wrong phase where told so or where the first
 * number that a BREAK circuit left here is not zero.
 */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Circuit, DynamicCircuit } from '../../src/circuit/circuit.ts';
import type { Program } from '../../src/compiler/program.ts';
import type { BatchExecutable } from '../../src/engine/batch-request.ts';
import type { BatchEngine, Engine, RunRequest, RunResult } from '../../src/engine/engine.ts';
import {
  DeviceLostError,
  GpuFaultError,
  HelperLostError,
  ProgramTooWideError,
  StateMemoryError,
} from '../../src/engine/errors.ts';
import type { Precision } from '../../src/fleet/schedule/lane.ts';
import { expectedCounts, SELF_TEST_CIRCUITS } from '../../src/fleet/self-test.ts';
import { type Compiler, KEPT_ON_CPU } from '../../src/fleet/workers/prepared-circuits.ts';
import { serveEngine } from '../../src/fleet/workers/serve-engine.ts';
import type { GpuWorkerSetup, SpreadWorkerSetup } from '../../src/fleet/workers/worker-messages.ts';
import { parentOfProcess, parentOfThread } from '../../src/processes/parent-port.ts';

let isWrong = false;
let numOpened = 0;
/** The state that WIDE gave away. */
let wide = new Float64Array(1);
let breakSwitch: Float64Array = new Float64Array(1);

const target = {
  maxQubits: 10,
  tileQubits: 10,
  contiguousQubits: 0,
  maxDenseQubits: 6,
  chunkQubits: 10,
  precision: 'f64',
} as const;

function compile(circuit: DynamicCircuit) {
  const [first, second] = circuit.operations;
  const program = {
    hash: first?.kind === 'gate' ? first.gate : '',
    numQubits: circuit.numQubits,
    numBits: circuit.numBits,
    steps: [],
    matrices: second?.kind === 'unitary' ? second.matrix : new Float64Array(1),
    finalLayout: [],
  };
  const report = {
    gatesBefore: 1,
    gatesAfter: 1,
    depthBefore: 1,
    depthAfter: 1,
    twoQubitGates: { before: 0, after: 0 },
    widerGates: { before: 0, after: 0 },
    passes: [],
    kernels: 1,
    fusedBlocks: 0,
    sweeps: 1,
    bytesMoved: 128,
  };
  return { program, report };
}

const COMPILER: Compiler = {
  compile,
  compileGradient: () => {
    throw new Error('unreachable: no test asks this engine for gradients');
  },
  compileShape: (circuit) => {
    const { program, report } = compile(circuit);
    return { report, bind: () => program };
  },
};

function answer(numBits: number, outcomes: readonly number[], occurrences: readonly number[]) {
  return {
    counts: {
      numBits,
      wordsPerOutcome: 1,
      outcomes: Uint32Array.from(outcomes),
      occurrences: Uint32Array.from(occurrences),
    },
    statePasses: 1,
    timing: { evolutionMs: 1, samplingMs: 2 },
  };
}

function selfTestAnswer(numQubits: number): RunResult {
  const { small } = SELF_TEST_CIRCUITS;
  const each = 2 ** (numQubits - small.numQubits);
  const statevector = new Float64Array(2 * 2 ** numQubits);
  const parts: readonly (readonly [number, number])[] = [
    [11, 0],
    [123, 1],
    [139, 0],
    [251, 1],
  ];
  for (const [index, part] of parts) {
    const sign = part === 1 && (isWrong || breakSwitch[0] !== 0) ? -1 : 1;
    const value = sign * Math.sqrt((index < 128 ? 1 / 8 : 3 / 8) / each);
    for (let i = 0; i < each; i++) statevector[2 * (index * each + i) + part] = value;
  }
  const counts = [...expectedCounts()].sort(([a], [b]) => a - b);
  return {
    ...answer(
      8,
      counts.map(([outcome]) => outcome),
      counts.map(([, times]) => times),
    ),
    statevector,
  };
}

async function follow(
  { hash, matrices: shared, numQubits }: Program,
  precision: Precision,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  // What is for an adapter alone is nothing to a thread.
  switch (hash.includes('@') ? 'ECHO' : hash) {
    case 'ECHO':
      return answer(1, [request.seed], [request.shots]);
    case 'PRECISION':
      return answer(1, [precision === 'f32' ? 32 : 64], [1]);
    case 'NUM_OPENED':
      return answer(1, [numOpened], [1]);
    case 'LOSE_HELPER_ONCE':
      if (shared[0]!++ === 0) throw new HelperLostError();
      return answer(1, [0], [1]);
    case 'LOSE_HELPER':
      throw new HelperLostError();
    case 'LOSE_DEVICE':
      throw new DeviceLostError('injected');
    case 'GPU_FAULT':
      throw new GpuFaultError('injected');
    case 'NO_STATE_MEMORY':
      throw new StateMemoryError(2 ** 30);
    case 'NO_ENGINE_MEMORY':
      throw new RangeError('WebAssembly.Memory(): could not allocate memory');
    case 'WIDE':
      wide = new Float64Array(2 ** 17);
      return { ...answer(1, [0], [1]), statevector: wide, probabilities: wide };
    case 'WHAT_IS_LEFT':
      return answer(1, [wide.length], [1]);
    case 'BREAK':
      breakSwitch = shared;
      return answer(1, [0], [1]);
    case 'WAIT':
      shared[1] = 1;
      while (shared[0] === 0) {
        request.onProgress?.(0.5);
        await setImmediate();
        signal.throwIfAborted();
      }
      shared[2] = 1;
      return answer(1, [0], [1]);
    case 'SPIN':
      shared[1] = 1;
      // Never yields, so no message is seen.
      while (shared[0] !== -1) shared[2]!++;
      return answer(1, [0], [1]);
    case 'EXIT':
      return exitOnceHeard();
    case 'EXIT_WHEN_TOLD':
      setInterval(() => shared[0] === 1 && process.exit(3), 1);
      return answer(1, [0], [1]);
    case 'EXIT_ONCE':
      if (shared[0]!++ === 0) process.exit(3);
      return answer(1, [0], [1]);
    case 'EXIT_HALFWAY_ONCE': {
      // Reports until a message with the attempt's number says that it was heard.
      const attempt = ++shared[1]!;
      while (shared[0] !== attempt) {
        request.onProgress?.(attempt === 1 ? 0.75 : 0.5);
        await setImmediate();
      }
      if (attempt === 1) process.exit(3);
      return answer(1, [0], [1]);
    }
    case 'THROW_LATE':
      globalThis.setImmediate(() => {
        throw new Error('thrown from nowhere');
      });
      return new Promise(() => {});
    case 'EXHAUST_MEMORY':
      throw new RangeError('Array buffer allocation failed');
    case 'CODED':
      throw new ProgramTooWideError(11, 10, 'fake');
    case 'BUG':
      throw new TypeError('x is not a function');
    default:
      return selfTestAnswer(numQubits);
  }
}

/** Follows the program once, whatever the number of circuits. */
function fakeBatch(program: Program, precision: Precision): BatchExecutable {
  return {
    numAngles: 0,
    run: async ({ angles, shots = 0, seed = 0 }, signal) => {
      const { counts } = await follow(program, precision, { shots, seed }, signal);
      return { counts: counts.outcomes, expectations: Float64Array.from(angles) };
    },
    async [Symbol.asyncDispose]() {},
  };
}

function openEngine(precision: Precision): BatchEngine {
  numOpened++;
  return {
    name: 'reference',
    target,
    prepare: {
      statevector: async (program) => ({
        run: (request, signal) => follow(program, precision, request, signal),
        async [Symbol.asyncDispose]() {},
      }),
      // Whatever the circuit with noise says.
      trajectories: async () => ({
        run: async ({ seed, shots }) => answer(1, [seed], [shots]),
        async [Symbol.asyncDispose]() {},
      }),
      batch: async (shape) => fakeBatch(compile(shape).program, precision),
    },
    async close() {},
  };
}

/** Suffix of the name of an adapter that answers wrongly while there is a file of this path. */
const WRONG_WHILE = /wrong while (.+)$/;

/**
 * Serves the pool as the process of an adapter, which `process.argv[2]` describes. An instruction
 * `EXIT@a` is for the adapter named `a` alone; any other does it as if it was a plain one.
 */
export function serveFakeAdapter(): void {
  const setup: GpuWorkerSetup | SpreadWorkerSetup = JSON.parse(process.argv[2] ?? '');
  const members = 'members' in setup ? setup.members : [setup];
  const name = members.map(({ adapter }) => adapter.name).join(' + ');
  const memoryBytes = members.length * Math.min(...members.map((member) => member.memoryBytes));
  if (name.includes('stillborn')) process.exit(7);
  const maxQubits = Math.floor(Math.log2(memoryBytes / 8));
  const [, file] = WRONG_WHILE.exec(name) ?? [];
  const open = (precision: Precision): Engine => {
    const engine = openEngine(precision);
    const forHere = (program: Program): Program => {
      const [what = '', where = name] = program.hash.split('@');
      return { ...program, hash: name.startsWith(where) ? what : 'ECHO' };
    };
    return {
      ...engine,
      prepare: {
        // Several adapters together have neither noise nor batches, as of the real ones.
        ...(members.length === 1 && {
          ...engine.prepare,
          batch: async (shape: Circuit) => fakeBatch(forHere(compile(shape).program), precision),
        }),
        statevector: async (program) => {
          isWrong = file !== undefined && existsSync(file);
          return await engine.prepare.statevector(forHere(program));
        },
      },
    };
  };
  const report = { target: { ...target, maxQubits, precision: 'f32' }, openMs: 1 } as const;
  serveEngine(parentOfProcess(), { open, compiler: COMPILER, kept: KEPT_ON_CPU, report });
}

/** Serves the pool from this thread. */
export function serveFakeEngine(options: { readonly isWrong: boolean }): void {
  isWrong = options.isWrong;
  serveEngine(parentOfThread(), { open: openEngine, compiler: COMPILER, kept: KEPT_ON_CPU });
}

/** Ends the worker when what it has said is on its way: a process would take the rest along. */
function exitOnceHeard(): Promise<never> {
  if (process.send === undefined) process.exit(3);
  const nothing = { kind: 'progress', id: -1, fraction: 0 };
  process.send(nothing, undefined, undefined, () => process.exit(3));
  return new Promise(() => {});
}
