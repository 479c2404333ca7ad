/** Runs with noise whose shots are divided among engines: when, and how the ranges act as one run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../src/circuit/circuit.ts';
import type { CompilationReport } from '../../../src/compiler/compile.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { RunResult } from '../../../src/engine/engine.ts';
import { Fleet } from '../../../src/fleet/fleet.ts';
import type { CircuitResult, CircuitRun, RunHooks } from '../../../src/fleet/processor.ts';
import { outputsOf } from '../../../src/fleet/run-outputs.ts';
import type { CircuitWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { runShotRanges, shotRangesOf } from '../../../src/fleet/shot-ranges.ts';
import { never } from '../../support/fleet-fixtures.ts';
import { runTrajectories } from '../../support/noise-runs.ts';
import { NOISY_CIRCUITS, noisyCircuit } from '../../support/noisy-circuits.ts';
import { runOf } from '../../support/run-of.ts';
import { channelOf, depolarizing } from '../../support/textbook-channels.ts';

/** A hundred sites of noise, where one of 15 errors happens. */
function odds(probability: number) {
  const sites = [{ numSites: 100, numErrors: 15, odds: probability }];
  return { sites, needsNorms: false, numFaults: 1, widestChannel: 1 };
}

const WORK: CircuitWork = {
  numQubits: 12,
  numOperations: 400,
  gateCost: 3000,
  isBranching: false,
  noise: odds(0.005),
};

describe('shotRangesOf', () => {
  test('divides all shots evenly among the engines where each has enough work', () => {
    const ranges = shotRangesOf(WORK, { shots: 100_001, seed: 1 }, 3);
    expect(ranges).toEqual([
      { from: 0, to: 33_333 },
      { from: 33_333, to: 66_667 },
      { from: 66_667, to: 100_001 },
    ]);
  });

  test('leaves a run whole that is short, exact or without noise', () => {
    const { noise: _, ...quiet } = WORK;
    const whole = (shots: number) => [{ from: 0, to: shots }];
    expect(shotRangesOf(WORK, { shots: 10, seed: 1 }, 4)).toEqual(whole(10));
    expect(shotRangesOf(WORK, { shots: 1e5, seed: 1 }, 1)).toEqual(whole(1e5));
    expect(shotRangesOf(quiet, { shots: 1e6, seed: 1 }, 4)).toEqual(whole(1e6));
    const exact = { shots: 1e5, seed: 1, method: 'density_matrix' } as const;
    expect(shotRangesOf(WORK, exact, 4)).toEqual(whole(1e5));
    const shotRange = { from: 3, to: 90_000 };
    expect(shotRangesOf(WORK, { shots: 1e5, seed: 1, shotRange }, 4)).toEqual([shotRange]);
  });

  test('divides the counts of stabilizers by the time of their shots', () => {
    const figures = { bytes: 1e6, ms: 10, msPerShot: 0.01 };
    const request = { shots: 40_000, seed: 1, method: 'stabilizer', figures } as const;
    expect(shotRangesOf(WORK, request, 2)).toEqual([
      { from: 0, to: 20_000 },
      { from: 20_000, to: 40_000 },
    ]);
    // Mostly work that each range repeats.
    const slow = { ...request, figures: { ...figures, ms: 1000 } };
    expect(shotRangesOf(WORK, slow, 2)).toEqual([{ from: 0, to: 40_000 }]);
    const values = { ...request, observables: [] };
    expect(shotRangesOf(WORK, values, 2)).toEqual([{ from: 0, to: 40_000 }]);
  });

  test('leaves a run whole whose shots mostly share one state', () => {
    const rare = { ...WORK, numQubits: 17, noise: odds(1e-8) };
    expect(shotRangesOf(rare, { shots: 1000, seed: 1 }, 4)).toHaveLength(1);
    expect(shotRangesOf({ ...rare, noise: odds(0.001) }, { shots: 1000, seed: 1 }, 4)).toHaveLength(
      4,
    );
  });
});

const RUN: CircuitRun = {
  id: 'job-1',
  circuit: { numQubits: 1, numBits: 1, operations: [] },
  request: { shots: 40, seed: 3 },
  priority: 'normal',
  keyId: 'key-1',
  tier: 'standard',
};
const RANGES = [
  { from: 0, to: 30 },
  { from: 30, to: 40 },
];

function resultOf({ request }: CircuitRun, device: string, queueMs: number): CircuitResult {
  const { from, to } = request.shotRange!;
  const outcomes = Uint32Array.of(0);
  const run: RunResult = {
    counts: { numBits: 1, wordsPerOutcome: 1, outcomes, occurrences: Uint32Array.of(to - from) },
    trajectories: 2,
    statePasses: 1,
    timing: { evolutionMs: 1, samplingMs: 1 },
  };
  return {
    outputs: outputsOf(run),
    compilation: {} as CompilationReport,
    reused: 'nothing',
    backend: {
      engine: 'cpu',
      execution: 'cpu',
      precision: 'f64',
      hardware: 'a CPU',
      devices: [device],
    },
    timing: { queueMs, compileMs: 0, executionMs: 1 },
  };
}

describe('ranges of shots', () => {
  test('are parts of the run, the first in its place, and answer as one run', async () => {
    const parts: CircuitRun[] = [];
    const result = await runShotRanges(RUN, RANGES, {}, never(), async (part) => {
      parts.push(part);
      return resultOf(part, `device-${parts.length}`, 10 * parts.length);
    });
    expect(parts.map(({ id, partOf }) => [id, partOf])).toEqual([
      ['job-1', undefined],
      ['job-1/shots-1', 'job-1'],
    ]);
    expect([...runOf(result).counts.occurrences]).toEqual([40]);
    expect(runOf(result).trajectories).toBe(4);
    expect(result.backend.devices).toEqual(['device-1', 'device-2']);
    expect(result.timing.queueMs).toBe(10);
  });

  test('tell their start once and their progress by their shots', async () => {
    const told: (number | string)[] = [];
    const hooks: RunHooks = {
      onStarted: () => told.push('started'),
      onProgress: (fraction) => told.push(fraction),
      onStartedOver: () => told.push('started over'),
    };
    await runShotRanges(RUN, RANGES, hooks, never(), async (part, partHooks) => {
      partHooks.onStarted?.();
      partHooks.onProgress?.(0.5);
      if (part.partOf !== undefined) partHooks.onStartedOver?.();
      return resultOf(part, 'device', 0);
    });
    expect(told).toEqual(['started', 0.375, 0.5, 'started over', 0.375]);
  });

  test('stop together when one fails, with its error', async () => {
    const failure = new Error('lost');
    let stoppedFor: unknown;
    const running = runShotRanges(RUN, RANGES, {}, never(), (part, _, signal) => {
      if (part.partOf !== undefined) return Promise.reject(failure);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stoppedFor = signal.reason;
          reject(signal.reason);
        });
      });
    });
    await expect(running).rejects.toBe(failure);
    expect(stoppedFor).toBe(failure);
  });

  test('stop together when the run is cancelled', async () => {
    const controller = new AbortController();
    let numStopped = 0;
    const running = runShotRanges(RUN, RANGES, {}, controller.signal, (_part, _hooks, signal) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          numStopped++;
          reject(signal.reason);
        });
      });
    });
    controller.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    expect(numStopped).toBe(2);
  });
});

describe('a fleet', () => {
  let fleet: Fleet;
  const shots = 1_000_000;

  beforeAll(async () => {
    fleet = new Fleet({
      machine: { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 30 },
      engine: 'cpu',
      numThreads: 2,
      memoryBytes: 2 ** 26,
      maxShots: 1_000_000,
      maxGates: 1000,
      queueLimit: 100,
      now: () => 1_700_000_000_000,
      discover: async () => ({ adapters: [], reason: 'No GPU driver was found.' }),
    });
    await fleet.start();
  });
  afterAll(() => fleet.close());

  const circuits: readonly (readonly [string, DynamicCircuit])[] = [
    ['depolarizing noise', noisyCircuit(channelOf(depolarizing(0.01, 2)), 3, 6, 1)],
    ...NOISY_CIRCUITS.filter(([name]) => name.startsWith('bits that are misread')),
  ];

  test.each(circuits)('gives the counts of one engine with %s', async (_, circuit) => {
    const processor = fleet.get('gpu-fleet')!;
    const request = { shots, seed: 7 };
    const run: CircuitRun = { ...RUN, circuit, request };
    const result = await processor.run(run, {}, never());
    const { backend } = result;
    const divided = runOf(result);
    // Each had a thread, and so a device, of its own.
    expect(backend.devices).toHaveLength(2);
    const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
    const whole = await runTrajectories(engine, circuit, request);
    await engine.close();
    expect(divided.counts).toEqual(whole.counts);
    expect(divided.trajectories).toBeGreaterThan(0);
  });
});
