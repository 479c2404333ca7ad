/** Schedules for any target are equivalent to their circuits and keep the target's limits. */
import { describe, expect, test } from 'vitest';
import type { Circuit, DynamicCircuit, Operation } from '../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../src/compiler/cost-model.ts';
import type { KernelCosts, Program, TargetProfile } from '../../src/compiler/program.ts';
import { hashProgram } from '../../src/compiler/program-hash.ts';
import { schedule } from '../../src/compiler/schedule.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { bellAmplitudes, onBellPairs } from '../support/bell-pairs.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { circuitUnitary } from '../support/kronecker-oracle.ts';
import { ALWAYS_FUSES, NEVER_FUSES, profile } from '../support/profiles.ts';
import { breaches } from '../support/program-promises.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomLoopCircuit,
} from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';

const engine = openReferenceEngine({ maxQubits: 10 });

const target = (
  tileQubits: number,
  contiguousQubits: number,
  maxDenseQubits: number,
  costs: KernelCosts = DEFAULT_COSTS,
) => profile({ tileQubits, contiguousQubits, maxDenseQubits, costs });

const TARGETS: readonly [string, TargetProfile][] = [
  ['tiles of 3 qubits, 1 contiguous', target(3, 1, 2)],
  ['tiles of 4 qubits, 2 contiguous', target(4, 2, 2)],
  ['tiles of 4 qubits, 1 contiguous, all fused', target(4, 1, 3, ALWAYS_FUSES)],
  ['tiles of 4 qubits, 1 contiguous, none fused', target(4, 1, 3, NEVER_FUSES)],
  ['tiles of 5 qubits, 2 contiguous', target(5, 2, 3)],
  ['tiles of 2 qubits, none contiguous', target(2, 0, 2)],
  ['tiles wider than the circuit', target(12, 6, 6)],
  ['tiles wider than the circuit, all fused', target(12, 6, 6, ALWAYS_FUSES)],
];
/** Chunks of 2^4 amplitudes; tiles hold as many chunk qubits as said. */
const chunked = (tileChunkQubits: number, contiguousQubits: number): TargetProfile => ({
  ...target(4, contiguousQubits, 2),
  chunkQubits: 4,
  tileChunkQubits,
});
const CHUNKED_TARGETS: readonly [string, TargetProfile][] = [
  ['chunks of 4 qubits, none of the others in a tile', chunked(0, 2)],
  ['chunks of 4 qubits, one of the others in a tile', chunked(1, 1)],
  ['chunks of 3 qubits', { ...target(3, 1, 2), chunkQubits: 3 }],
  ['two devices', { ...target(4, 2, 2), deviceQubits: 1 }],
  ['four devices, chunks of 4 qubits', { ...chunked(0, 1), deviceQubits: 2 }],
  ['eight devices, one chunk qubit in a tile', { ...chunked(1, 1), deviceQubits: 3 }],
];
const SEEDS = seeds(3);

function programOf(circuit: DynamicCircuit, forTarget: TargetProfile): Program {
  const { program: scheduled } = schedule(circuit, forTarget);
  return { hash: hashProgram(scheduled), ...scheduled };
}

describe.each([...TARGETS, ...CHUNKED_TARGETS])('for %s', (_, forTarget) => {
  const widest = forTarget.maxDenseQubits;

  testSeeds('random circuits keep their unitaries', SEEDS, async (seed) => {
    const numQubits = 3 + (seed % 2);
    const operations = randomGates(new RandomStream(5000 + seed), numQubits, 30, widest);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const program = programOf(onBellPairs(circuit), forTarget);
    expect(breaches(program, forTarget)).toEqual([]);
    const { statevector } = await runProgram(engine, program, { statevector: true });
    const expected = bellAmplitudes(circuitUnitary(circuit));
    expect(worstAmplitude(statevector!, expected)).toBeLessThan(1e-12);
  });

  testSeeds('random circuits with measurements keep every shot', SEEDS, async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(5100 + seed), 5, 4, 30);
    const program = programOf(circuit, forTarget);
    expect(breaches(program, forTarget)).toEqual([]);
    const ask = { shots: 300, seed };
    const { counts } = await runProgram(engine, program, ask);
    const whole = await runProgram(engine, programOf(circuit, engine.target), ask);
    expect(countsByLabel(counts)).toEqual(countsByLabel(whole.counts));
  });

  testSeeds('random loops find their qubits where they left them', SEEDS, async (seed) => {
    const circuit = randomLoopCircuit(new RandomStream(5150 + seed), 6);
    const program = programOf(circuit, forTarget);
    expect(breaches(program, forTarget)).toEqual([]);
    const ask = { shots: 300, seed };
    const { counts } = await runProgram(engine, program, ask);
    const whole = await runProgram(engine, programOf(circuit, engine.target), ask);
    expect(countsByLabel(counts)).toEqual(countsByLabel(whole.counts));
  });
});

describe('measurements between gates', () => {
  testSeeds('random circuits draw from their exact distributions', SEEDS, async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(5200 + seed), 4, 4, 30);
    const program = programOf(circuit, target(3, 1, 2));
    const { counts } = await runProgram(engine, program, { shots: 20_000, seed });
    const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
    expect(statistic).toBeLessThan(bound);
  });
});

describe('windows', () => {
  test('circuits longer than one window are scheduled completely', () => {
    const stream = new RandomStream(5300);
    const operations = Array.from({ length: 10_000 }, (): Operation => {
      const [q = 0, r = 0] = stream.distinct(2, 8);
      return stream.below(2) === 0 ? gate('RY', [q], [], [1]) : gate('RX', [q], [r], [1]);
    });
    const forTarget = target(4, 1, 2, NEVER_FUSES);
    const program = programOf({ numQubits: 8, numBits: 0, operations }, forTarget);
    expect(breaches(program, forTarget)).toEqual([]);
    const kernels = program.steps.flatMap((step) => (step.kind === 'sweep' ? step.kernels : []));
    expect(kernels).toHaveLength(10_000);
  });

  test('and give the same result as in program order', async () => {
    const stream = new RandomStream(5301);
    const part = randomGates(stream, 4, 40, 2).filter(({ kind }) => kind !== 'barrier');
    const operations = Array.from({ length: 150 }, () => part).flat();
    const long = programOf({ numQubits: 4, numBits: 0, operations }, target(3, 1, 2));
    const { statevector } = await runProgram(engine, long, { statevector: true });
    const expected = finalAmplitudes({ numQubits: 4, numBits: 0, operations });
    expect(worstAmplitude(statevector!, expected)).toBeLessThan(1e-10);
  });
});
