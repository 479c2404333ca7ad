import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { compileActive } from '../../../../src/compiler/clifford/compile-active.ts';
import { Mutex } from '../../../../src/engine/mutex.ts';
import { ActiveStates, activeRoom } from '../../../../src/engine/stabilizer/active-states.ts';
import { openPlainKernels } from '../../../../src/engine/stabilizer/plain-kernels.ts';
import { stabilizerExecutable } from '../../../../src/engine/stabilizer/run-stabilizer.ts';
import { countsByLabel, NEVER } from '../../../support/engine-runs.ts';
import { gate } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const compiled = (circuit: DynamicCircuit, maxActiveQubits = 12) => {
  const program = compileActive(circuit, { maxActiveQubits });
  if ('kind' in program) throw new Error(`Not compiled: ${program.kind}`);
  return program;
};

/** Layers of T gates on all qubits, of which all are then measured. */
function layers(numQubits: number): DynamicCircuit {
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const operations: DynamicOperation[] = all.map((qubit) => gate('H', [qubit]));
  for (let layer = 0; layer < 3; layer++) {
    for (const qubit of all) operations.push(gate('T', [qubit]));
    for (const qubit of all.slice(1)) operations.push(gate('X', [qubit], [qubit - 1]));
    for (const qubit of all) operations.push(gate('H', [qubit]));
  }
  operations.push({ kind: 'measure', qubits: all, bits: all });
  return { numQubits, numBits: numQubits, operations };
}

test('states whose amplitudes were forgotten are computed again', () => {
  const { active } = compiled(layers(4));
  /** Outcomes of two blocks, in which some shots rotate by minus the angle. */
  const outcomes = (numSlots: number) => {
    const room = activeRoom(active, 64);
    const slots = room.slots.map(() => numSlots);
    const states = new ActiveStates(openPlainKernels(), active, 64, { ...room, slots });
    const stream = new RandomStream(1);
    const draws = {
      uniform: () => stream.uniform(),
      bits: (probability: number) =>
        Array.from({ length: 32 }, () => (stream.uniform() < probability ? 1 : 0)).reduce<number>(
          (bits, bit) => (bits << 1) | bit,
          0,
        ),
    };
    const rows: Int32Array[] = [];
    for (let block = 0; block < 2; block++) {
      states.begin();
      for (const [index, { stabilizer }] of active.rotations.entries()) {
        const minus = Int32Array.from(
          { length: 2 },
          () => stream.below(2 ** 31) & stream.below(2 ** 31),
        );
        drain(states.rotate(index, stabilizer === undefined ? { minus } : {}));
      }
      for (const index of active.collapses.keys()) {
        const ones = new Int32Array(2);
        drain(states.collapse(index, draws, ones));
        rows.push(ones);
      }
    }
    return rows;
  };
  expect(outcomes(4)).toEqual(outcomes(100));
});

function drain(steps: Generator<number>): void {
  for (const _ of steps);
}

test('a measured qubit is active no more, so that many gates need few amplitudes', async () => {
  // T states of one qubit after the other, each teleported onto a register of its own.
  const operations: DynamicOperation[] = [];
  for (let i = 0; i < 40; i++) {
    operations.push(gate('H', [0]), gate('T', [0]), gate('H', [0]));
    operations.push({ kind: 'measure', qubits: [0], bits: [i] }, { kind: 'reset', qubits: [0] });
  }
  const program = compiled({ numQubits: 1, numBits: 40, operations }, 1);
  expect(program.active.width).toBe(1);
  const executable = stabilizerExecutable(program, openPlainKernels(), new Mutex(), 'plain');
  const { counts } = await executable.run({ shots: 2000, seed: 1 }, NEVER);
  let ones = 0;
  for (const [label, count] of countsByLabel(counts)) {
    ones += count * [...label].filter((bit) => bit === '1').length;
  }
  const probability = Math.sin(Math.PI / 8) ** 2;
  const deviation = Math.sqrt((probability * (1 - probability)) / 80_000);
  expect(Math.abs(ones / 80_000 - probability)).toBeLessThan(5 * deviation);
});

test('what such a program cannot have is named', () => {
  const reason = (...operations: DynamicOperation[]) =>
    compileActive(
      { numQubits: 2, numBits: 1, operations: [gate('H', [0]), gate('T', [0]), ...operations] },
      { maxActiveQubits: 1 },
    );
  const condition = { bits: [0], value: 1 };
  expect(reason({ kind: 'reset', qubits: [0], condition })).toEqual({
    kind: 'unsupported',
    what: 'resets under conditions',
  });
  expect(reason({ kind: 'while', condition, body: [] })).toEqual({
    kind: 'unsupported',
    what: 'loops',
  });
  expect(reason(gate('H', [1]), gate('T', [1]))).toEqual({ kind: 'wide' });
});
