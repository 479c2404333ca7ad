/** Compiled programs for any target are equivalent to their circuits and keep the target's limits. */
import { describe, expect } from 'vitest';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { TargetProfile } from '../../src/compiler/program.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { circuitAmplitudes } from '../support/kronecker-oracle.ts';
import { profile, TINY_TILE } from '../support/profiles.ts';
import { breaches } from '../support/program-promises.ts';
import { randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

const engine = openReferenceEngine({ maxQubits: 8 });

const TARGETS: readonly [string, TargetProfile][] = [
  ['a tile of three qubits, one contiguous', TINY_TILE],
  [
    'a tile of four, two contiguous',
    profile({ tileQubits: 4, contiguousQubits: 2, maxDenseQubits: 2 }),
  ],
  ['a tile of two, none contiguous', profile({ tileQubits: 2, maxDenseQubits: 2 })],
  ['a tile larger than the circuit', profile({ contiguousQubits: 6 })],
];
const SEEDS = seeds(3);

describe.each(TARGETS)('compiled for %s', (_, target) => {
  testSeeds('random circuits keep their final states', SEEDS, async (seed) => {
    const numQubits = 2 + (seed % 4);
    const operations = randomGates(new RandomStream(2000 + seed), numQubits, 25, 2);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const { program } = compile(circuit, target, { optimize: false });
    expect(breaches(program, target)).toEqual([]);
    const { statevector } = await runProgram(engine, program, { statevector: true });
    expect(worstAmplitude(statevector!, circuitAmplitudes(circuit))).toBeLessThan(1e-12);
  });

  testSeeds('random circuits with measurements keep their counts', SEEDS, async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(2100 + seed), 4, 4, 25);
    const { program } = compile(circuit, target, { optimize: false });
    expect(breaches(program, target)).toEqual([]);
    const ask = { shots: 200, seed };
    const { counts } = await runProgram(engine, program, ask);
    const whole = await runProgram(
      engine,
      compile(circuit, engine.target, { optimize: false }).program,
      ask,
    );
    expect(countsByLabel(counts)).toEqual(countsByLabel(whole.counts));
  });
});
