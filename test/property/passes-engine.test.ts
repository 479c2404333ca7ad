/** Programs compiled with all passes give the results of their circuits on every target. */
import { describe, expect } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import { DEFAULT_COSTS } from '../../src/compiler/cost-model.ts';
import type { TargetProfile } from '../../src/compiler/program.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { profile, TINY_TILE } from '../support/profiles.ts';
import { randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';

const engine = openReferenceEngine({ maxQubits: 8 });
const NUM_QUBITS = 4;
const SEEDS = seeds(5);
const TARGETS: readonly [string, TargetProfile][] = [
  ['a tile of three qubits', TINY_TILE],
  ['a tile larger than the circuit', profile()],
  ['an engine that rotates pairs', { ...TINY_TILE, costs: { ...DEFAULT_COSTS, pair: 2 } }],
];

function circuitOf(seed: number): Circuit {
  const stream = new RandomStream(3400 + seed);
  const gates =
    seed % 2 === 0
      ? randomGates(stream, NUM_QUBITS, 30, 2)
      : redundantGates(stream, NUM_QUBITS, 40);
  const measured = stream.distinct(1 + stream.below(NUM_QUBITS), NUM_QUBITS);
  const bits = measured.map((_, i) => i);
  const measurement: Operation = { kind: 'measure', qubits: measured, bits };
  return { numQubits: NUM_QUBITS, numBits: bits.length, operations: [...gates, measurement] };
}

describe.each(TARGETS)('for %s', (_, target) => {
  testSeeds('random circuits keep their states', SEEDS, async (seed) => {
    const circuit = circuitOf(seed);
    const { program } = compile(circuit, target);
    const { statevector } = await runProgram(engine, program, { statevector: true });
    expect(worstAmplitude(statevector!, finalAmplitudes(circuit))).toBeLessThan(1e-12);
  });

  testSeeds('random circuits keep their distributions for counts alone', SEEDS, async (seed) => {
    const circuit = circuitOf(seed);
    const { program } = compile(circuit, target, { keepState: false });
    const { probabilities } = await runProgram(engine, program, { probabilities: true });
    const exact = exactOutcomes(circuit);
    for (const [value, probability] of probabilities!.entries()) {
      const label = value.toString(2).padStart(circuit.numBits, '0');
      expect(Math.abs(probability - (exact.get(label) ?? 0))).toBeLessThan(1e-12);
    }
  });
});

testSeeds('random circuits give a seed the same counts on every target', SEEDS, async (seed) => {
  const circuit = randomDynamicCircuit(new RandomStream(3500 + seed), 4, 4, 25);
  const countsOn = async (target: TargetProfile) => {
    const { program } = compile(circuit, target, { keepState: false });
    return countsByLabel((await runProgram(engine, program, { shots: 200, seed })).counts);
  };
  const [first, ...others] = await Promise.all(TARGETS.map(([, target]) => countsOn(target)));
  for (const other of others) expect(other).toEqual(first);
});
