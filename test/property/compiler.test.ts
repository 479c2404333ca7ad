/** Whatever the target, a compiled program means its circuit and keeps the target's limits. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { Program, TargetProfile } from '../../src/compiler/program.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { circuitAmplitudes } from '../support/kronecker-oracle.ts';
import { profile, TINY_TILE } from '../support/profiles.ts';
import { randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';

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
const SEEDS = Array.from({ length: 10 }, (_, i) => i);

/** Breaches of the promises that engines build on. */
function breaches(program: Program, target: TargetProfile): readonly string[] {
  const found: string[] = [];
  const lowest = Math.min(target.contiguousQubits, program.numQubits);
  const claim = (holds: boolean, text: string) => holds || found.push(text);
  for (const step of program.steps) {
    if (step.kind !== 'sweep') continue;
    const { resident, kernels } = step;
    claim(kernels.length > 0, 'an empty sweep');
    claim(resident.length <= target.tileQubits, 'more resident qubits than a tile has');
    claim(
      resident.every((q, i) => i === 0 || q > resident[i - 1]!),
      'not ascending',
    );
    for (let q = 0; q < lowest; q++) claim(resident.includes(q), `${q} not resident`);
    for (const { kind, targets, controls, offset } of kernels) {
      const size = kind === 'dense' ? 4 ** targets.length : 2 ** targets.length;
      claim(2 * (offset + size) <= program.matrices.length, 'entries outside the pool');
      claim(!controls.some((q) => targets.includes(q)), 'a target that is its own control');
      if (kind === 'diagonal') continue;
      claim(targets.length <= target.maxDenseQubits, 'a kernel too wide');
      claim(
        targets.every((q) => resident.includes(q)),
        'a target not resident',
      );
    }
  }
  const places = [...program.finalLayout].sort((a, b) => a - b);
  claim(
    places.every((place, i) => place === i),
    'a layout that is no permutation',
  );
  return found;
}

describe.each(TARGETS)('compiled for %s', (_, target) => {
  test.each(SEEDS)('random circuit %i keeps its final state', async (seed) => {
    const numQubits = 2 + (seed % 4);
    const operations = randomGates(new RandomStream(2000 + seed), numQubits, 25, 2);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const { program } = compile(circuit, target, { optimize: false });
    expect(breaches(program, target)).toEqual([]);
    const { statevector } = await runProgram(engine, program, { statevector: true });
    expect(worstAmplitude(statevector!, circuitAmplitudes(circuit))).toBeLessThan(1e-12);
  });

  test.each(SEEDS)('random circuit %i with measurements keeps its counts', async (seed) => {
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
