/** Procedures for tests of the processes that run them: some behave, most do what none should. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { countsOfRow } from '../../src/fleet/run-outputs.ts';
import { ProcedureInputError } from '../../src/workloads/procedures/errors.ts';
import { type Procedure, procedure } from '../../src/workloads/procedures/procedure.ts';
import type { ProcedureContext } from '../../src/workloads/procedures/procedure-context.ts';

type Input = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: results that break the contract are what is tested.
type Run = (input: Input, context: ProcedureContext) => any;

/** Both qubits read the same. */
const BELL: Circuit = {
  numQubits: 2,
  numBits: 2,
  operations: [
    { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] },
    { kind: 'gate', gate: 'X', controls: [0], targets: [1], angles: [] },
    { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
  ],
};

/** Kraus matrices of an amplitude damping channel with γ = 0.36. */
const DECAY = [
  Float64Array.of(1, 0, 0, 0, 0, 0, 0.8, 0),
  Float64Array.of(0, 0, 0.6, 0, 0, 0, 0, 0),
];

/** Reads 1 with probability sin²(θ/2). */
function turnBy(numBits: number): Circuit {
  return {
    numQubits: 1,
    numBits,
    operations: [
      { kind: 'gate', gate: 'RY', controls: [], targets: [0], angles: [0] },
      { kind: 'measure', qubits: [0], bits: [0] },
    ],
  };
}

function attempted(action: () => unknown): string {
  try {
    action();
    return 'done';
  } catch (error) {
    if (!(error instanceof Error)) return 'thrown';
    return 'code' in error ? String(error.code) : error.name;
  }
}

const never = new Promise<never>(() => {});

const behaving: Readonly<Record<string, Run>> = {
  echo: async (input, { seed }) => ({ input, seed, pid: process.pid }),
  units: async (_, { countUnits }) => {
    for (const units of [3, 4, Number.NaN, -1]) countUnits(units);
    return {};
  },
  preloaded: async () => ({ is_preloaded: isPreloaded }),
  'optional-field': async () => ({ there: 1, missing: undefined }),
  report: async (_, { progress }) => {
    for (let i = 0; i <= 1000; i++) progress(i / 1000, `Step ${i}`);
    progress(0.2);
    return {};
  },
  'report-for-ever': async (_, { progress }) => {
    progress(0.25, 'A quarter');
    for (;;) progress(0.5, 'Half');
  },
  'wrong-input': async () => {
    throw new ProcedureInputError([{ path: 'circuit[3].qubit', message: 'There is no qubit 9.' }]);
  },
  'wait-for-signal': async (_, { signal, progress }) => {
    progress(0.1, String(process.pid));
    signal.throwIfAborted();
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  },
  bell: async ({ shots }, { circuits, seed }) => {
    const run = await circuits.run(BELL, { shots: Number(shots), seed });
    const counts = countsOfRow(run, 0, BELL.numBits);
    return { outcomes: [...counts.outcomes], occurrences: [...counts.occurrences] };
  },
  noisy: async ({ numQubits }, { circuits }) => {
    const [h, cx, measure] = BELL.operations;
    const channel = { kind: 'kraus', numQubits: 1, matrices: DECAY } as const;
    const noise = { kind: 'noise', qubits: [0], channel } as const;
    const misread = { kind: 'misread', bits: [1], p1Given0: 0.25, p0Given1: 0 } as const;
    const { probabilities = [] } = await circuits.run(
      { ...BELL, numQubits: Number(numQubits), operations: [h!, cx!, noise, measure!, misread] },
      { probabilities: true, method: 'density_matrix' },
    );
    return { probabilities: [...probabilities], max: circuits.maxNoisyQubits };
  },
  'max-qubits': async (_, { circuits }) => ({ max_qubits: circuits.maxQubits }),
  'too-wide': async (_, { circuits }) => {
    await circuits.run({ numQubits: 30, numBits: 0, operations: [] }, {});
  },
  long: async (_, { circuits }) => {
    const flip = { kind: 'gate', gate: 'X', controls: [], targets: [0], angles: [] } as const;
    const operations = [...new Array(600).fill(flip), ...BELL.operations];
    const { probabilities = [] } = await circuits.run(
      { ...BELL, operations },
      { probabilities: true },
    );
    return { probabilities: [...probabilities] };
  },
  rows: async ({ numCircuits, numShapes, times }, { circuits }) => {
    const shapes = Array.from({ length: Number(numShapes) }, (_, i) => turnBy(1 + (i % 3)));
    const angles = Float64Array.from({ length: Number(numCircuits) }, (_, i) => i / 10);
    const z = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 } as const] }];
    const request = { numCircuits: angles.length, angles, observables: [z] };
    let last: Float64Array | undefined;
    for (let i = 0; i < Number(times); i++) {
      for (const shape of shapes) last = (await circuits.run(shape, request)).expectations;
    }
    return { last: [...(last ?? [])] };
  },
  flood: async ({ numCircuits }, { circuits }) => {
    const all = Array.from({ length: Number(numCircuits) }, (_, seed) =>
      circuits.run(BELL, { shots: 1, seed }),
    );
    return { through: (await Promise.all(all)).length };
  },
  'catch-circuit': async (_, { circuits }) => {
    const failure = await circuits.run(BELL, { shots: 1 }).catch((error: unknown) => error);
    return { message: failure instanceof Error ? failure.message : '' };
  },
  'leave-circuits': async (_, { circuits }) => {
    void circuits.run(BELL, { shots: 1 }).catch(() => {});
    await turn();
    return {};
  },
  surroundings: async () => ({
    environment: Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL')),
    read: attempted(() => readFileSync('/etc/hostname')),
    write: attempted(() => writeFileSync(`/tmp/procedure-wrote-${process.pid}`, '')),
    start: attempted(() => spawnSync('true')),
    thread: attempted(() => new Worker('0', { eval: true })),
    evaluate: attempted(() => new Function('return 1')()),
    signal: attempted(() => process.kill(process.ppid, 0)),
    network: typeof fetch,
    builtin: typeof process.getBuiltinModule,
  }),
  intrinsics: async () => ({
    polluted: 'polluted' in {},
    mapped: [1, 2].map((x) => 2 * x),
    text: String({}),
    parsed: JSON.parse('{"a":1}'),
  }),
};

const hostile: Readonly<Record<string, Run>> = {
  spin: async (_, { progress }) => {
    progress(0.5, 'Spinning');
    for (;;);
  },
  'circuit-and-spin': async (_, { circuits }) => {
    // It is written before this returns, so nobody sees the process idle while its circuit waits.
    void circuits.run(BELL, { shots: 1 }).catch(() => {});
    for (;;);
  },
  'spin-named': async (_, { progress }) => {
    progress(0.5, String(process.pid));
    for (;;);
  },
  complain: async () => {
    process.stderr.write('There is no file /secret/place.\n', () => process.exit(7));
    await never;
  },
  'never-settle': async () => await never,
  'hog-heap': async () => {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => `${kept.length} ${i}`));
  },
  'hog-arrays': async () => {
    const kept: Float64Array[] = [];
    for (;;) kept.push(new Float64Array(2 ** 20).fill(1));
  },
  'hog-arrays-between': async () => {
    const kept: Float64Array[] = [];
    for (;;) {
      kept.push(new Float64Array(2 ** 20).fill(1));
      await turn();
    }
  },
  'one-huge-array': async () => ({ length: new Float64Array(2 ** 32).fill(1).length }),
  exit: async () => process.exit(0),
  'reject-unheard': async () => {
    void Promise.reject(new Error('Nobody heard of it.'));
    await never;
  },
  'throw-in-timer': async () => {
    setTimeout(() => {
      throw new Error('From a timer.');
    });
    await never;
  },
  'throw-text': async () => {
    throw 'a text';
  },
  'throw-nothing': async () => {
    throw undefined;
  },
  'throw-trap': async () => {
    throw new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        getPrototypeOf: () => {
          throw new Error('trap');
        },
      },
    );
  },
  bug: async () => {
    const nothing: { readonly field: { readonly deep: number } } = JSON.parse('{}');
    return { deep: nothing.field.deep };
  },
  poison: async () => {
    const tried = [
      () => Object.assign(Object.prototype, { polluted: true }),
      () => Object.defineProperty(Array.prototype, 'map', { value: () => 'poisoned' }),
      () => Object.assign(Object.prototype, { toString: () => 'poisoned' }),
      () => Object.assign(JSON, { parse: () => 'poisoned' }),
      () => Object.assign(globalThis, { JSON: {} }),
      () => Object.setPrototypeOf(Array.prototype, { polluted: true }),
      () =>
        Object.assign(
          Object.getPrototypeOf(async () => {}),
          { polluted: true },
        ),
    ];
    return { tried: tried.map(attempted) };
  },
};

const results: Readonly<Record<string, Run>> = {
  'no-result': async () => undefined,
  large: async ({ length }) => ({ text: 'é'.repeat(Number(length)) }),
};

let isPreloaded = false;

/** Preparation that a process awaits before it is ready. */
export async function preload(): Promise<void> {
  await turn();
  isPreloaded = true;
}

/** As the service's own catalog. */
export function findProcedure(owner: string, name: string): Procedure | undefined {
  const run = owner === 'test' ? { ...behaving, ...hostile, ...results }[name] : undefined;
  if (run === undefined) return undefined;
  return procedure({
    name,
    description: name,
    input: z.looseObject({}),
    limits: { deadline_ms: 10_000 },
    example: {},
    run,
  });
}
