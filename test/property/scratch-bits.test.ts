/**
 * Scratch bits are no part of an outcome: by every method, and in every form in which a circuit crosses to a worker, a
 * circuit with scratch bits has the distribution that the same circuit has over its first bits where all are outcomes.
 */
import { afterAll, describe, expect } from 'vitest';
import type { DynamicCircuit, Operation } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { compile } from '../../src/compiler/compile.ts';
import { compileGradient } from '../../src/compiler/gradient/compile-gradient.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { RunResult } from '../../src/engine/engine.ts';
import { countsOfRow } from '../../src/fleet/run-outputs.ts';
import type { RunMethod } from '../../src/fleet/schedule/scheduled-run.ts';
import { KEPT_ON_CPU } from '../../src/fleet/workers/prepared-circuits.ts';
import { factsOfShape } from '../../src/fleet/workers/sent-batch.ts';
import { serializeCircuit, writeCircuit } from '../../src/fleet/workers/sent-circuit.ts';
import { ServedEngine } from '../../src/fleet/workers/served-engine.ts';
import type { SentCircuit } from '../../src/fleet/workers/worker-messages.ts';
import { randomClifford } from '../support/clifford-circuits.ts';
import { NEVER } from '../support/engine-runs.ts';
import { gate, randomUse } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { runOf } from '../support/run-of.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

const NUM_QUBITS = 4;
const NUM_BITS = 5;
const SHOTS = 2000;

const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);

afterAll(() => engine.close());

interface Kind {
  readonly method: RunMethod;
  readonly gates: 'any' | 'Clifford' | 'near-Clifford';
  /** Whether it measures and has conditions in between. */
  readonly isMidCircuit: boolean;
}

const KINDS: readonly (Kind & { readonly name: string })[] = [
  { name: 'a state vector', method: 'statevector', gates: 'any', isMidCircuit: false },
  { name: 'shots that branch', method: 'statevector', gates: 'any', isMidCircuit: true },
  { name: 'trajectories', method: 'trajectories', gates: 'any', isMidCircuit: true },
  { name: 'a density matrix', method: 'density_matrix', gates: 'any', isMidCircuit: true },
  { name: 'stabilizers', method: 'stabilizer', gates: 'Clifford', isMidCircuit: true },
  {
    name: 'a sum over stabilizers',
    method: 'stabilizer',
    gates: 'near-Clifford',
    isMidCircuit: false,
  },
  {
    name: 'a product of matrices',
    method: 'matrix_product_state',
    gates: 'any',
    isMidCircuit: true,
  },
];

/** A circuit all of whose bits are outcomes. */
function randomCircuit(stream: RandomStream, { gates, isMidCircuit }: Kind): DynamicCircuit {
  const measure = (): Operation => {
    const qubits = stream.distinct(1 + stream.below(NUM_QUBITS), NUM_QUBITS);
    return { kind: 'measure', qubits, bits: stream.distinct(qubits.length, NUM_BITS) };
  };
  const few = GATES.filter((g) => g.numControls + g.numTargets <= 2 && g.numTargets > 0);
  const someGate = (): Operation => {
    if (gates === 'any') return randomUse(stream, stream.pick(few), NUM_QUBITS);
    const isOther = gates === 'near-Clifford' && stream.below(4) === 0;
    if (!isOther) return randomClifford(stream, NUM_QUBITS);
    return gate('RZ', [stream.below(NUM_QUBITS)], [], [stream.angle()]);
  };
  const between = (): Operation => {
    const choice = stream.below(8);
    if (!isMidCircuit || choice > 1) return someGate();
    const condition = { bits: [stream.below(NUM_BITS)], value: 1 };
    return choice === 0 ? measure() : { ...gate('X', [stream.below(NUM_QUBITS)]), condition };
  };
  const operations = Array.from({ length: 12 }, between);
  const start = Array.from({ length: NUM_QUBITS }, (_, q) => gate('H', [q]));
  return {
    numQubits: NUM_QUBITS,
    numBits: NUM_BITS,
    operations: [...start, ...operations, measure(), measure()],
  };
}

/** Share of each value of the first `numBits` bits. */
function sharesOf({ outcomes, occurrences }: RunResult['counts'], numBits: number): Float64Array {
  const shares = new Float64Array(2 ** numBits);
  for (const [i, count] of occurrences.entries()) {
    shares[outcomes[i]! % 2 ** numBits]! += count / SHOTS;
  }
  return shares;
}

describe.each(KINDS)('on $name', ({ name: _, ...kind }) => {
  const { method } = kind;
  const run = async (circuit: SentCircuit, seed: number): Promise<RunResult> => {
    const sent = { id: 0, precision: 'f64', circuit } as const;
    const request = { shots: SHOTS, seed, method };
    return runOf(await served.run({ ...sent, request }, () => {}, NEVER));
  };

  testSeeds('scratch bits are left out of the counts', seeds(6), async (seed) => {
    const stream = new RandomStream(seed);
    const whole = randomCircuit(stream, kind);
    const numBits = stream.below(NUM_BITS);
    const control = { numScratchBits: NUM_BITS - numBits, maxRounds: 1 };
    const scratch: DynamicCircuit = { ...whole, numBits, control };
    const expected = sharesOf((await run(whole, seed)).counts, numBits);
    for (const form of [writeCircuit(scratch)!, serializeCircuit(scratch), scratch]) {
      const { counts } = await run(structuredClone(form), seed + 1000);
      expectShares(counts, numBits, expected);
    }
    const { sent: circuit } = factsOfShape(scratch);
    const request = {
      numCircuits: 2,
      angles: Float64Array.from([...anglesOf(whole), ...anglesOf(whole)]),
      shots: SHOTS,
      seed: seed + 2000,
      method,
    };
    const { outputs } = await served.run(
      { id: 0, precision: 'f64', circuit, request },
      () => {},
      NEVER,
    );
    for (const k of [0, 1]) expectShares(countsOfRow(outputs, k, numBits), numBits, expected);
  });
});

function expectShares(counts: RunResult['counts'], numBits: number, expected: Float64Array): void {
  expect(counts.numBits).toBe(numBits);
  for (const outcome of counts.outcomes) expect(outcome).toBeLessThan(2 ** numBits);
  const shares = sharesOf(counts, numBits);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  // Six standard deviations of a difference between two shares.
  for (const [value, share] of shares.entries()) {
    const error = Math.sqrt((2 * Math.max(expected[value]!, share, 1 / SHOTS)) / SHOTS);
    expect(Math.abs(share - expected[value]!)).toBeLessThan(6 * error);
  }
}
