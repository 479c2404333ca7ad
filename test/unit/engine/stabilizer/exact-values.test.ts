/** Exact values look for a cancel between the parts of their work, however long it takes. */
import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { pauliChannel } from '../../../../src/circuit/noise/named-channels.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { compileStabilizer } from '../../../../src/compiler/clifford/compile-stabilizer.ts';
import type { StabilizerProgram } from '../../../../src/compiler/program.ts';
import { distributionOf, variancesOf } from '../../../../src/engine/stabilizer/exact-outputs.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const NUM_BITS = 14;
const SIZE = 2 ** NUM_BITS;
const QUBITS = Array.from({ length: NUM_BITS }, (_, q) => q);

/** A slicer that writes down the work between two looks at the signal. */
class Watched extends TimeSlicer {
  readonly looks: number[] = [];

  constructor() {
    super(NEVER, () => {});
  }

  override spend(units: number): boolean {
    this.looks.push(units);
    return super.spend(units);
  }
}

function programOf(operations: readonly DynamicOperation[]): StabilizerProgram {
  const circuit: DynamicCircuit = { numQubits: NUM_BITS, numBits: NUM_BITS, operations };
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.operation);
  return program;
}

const measure: DynamicOperation = { kind: 'measure', qubits: QUBITS, bits: QUBITS };

test('a distribution counts each pass over its values: random bits, errors, the transform and misreadings', async () => {
  const channel = pauliChannel(1, [{ flips: 1, signs: 0, probability: 0.1 }]);
  if (channel === undefined) throw new Error('unreachable: a channel with an error');
  const noise = QUBITS.map((q): DynamicOperation => ({ kind: 'noise', channel, qubits: [q] }));
  const misread: DynamicOperation = { kind: 'misread', bits: QUBITS, p1Given0: 0.1, p0Given1: 0.2 };
  const random = QUBITS.map((q) => gate('H', [q]));
  const passesOf = async (operations: readonly DynamicOperation[]) => {
    const slicer = new Watched();
    await distributionOf(programOf(operations), new Uint32Array(1), slicer);
    expect(slicer.looks.every((units) => units <= SIZE)).toBe(true);
    return slicer.looks.filter((units) => units === SIZE).length;
  };
  const transform = await passesOf([measure]);
  expect(transform).toBe(NUM_BITS + 1);
  expect(await passesOf([...random, measure])).toBe(transform + NUM_BITS);
  expect(await passesOf([...noise, measure])).toBe(transform + NUM_BITS);
  expect(await passesOf([measure, misread])).toBe(transform + NUM_BITS);
});

test('a variance counts the products of its strings', async () => {
  const slicer = new Watched();
  const strings: PauliSum = QUBITS.map((qubit) => ({
    coefficient: 1,
    factors: [{ pauli: 'Z', qubit }],
  }));
  const [variance] = await variancesOf(programOf([]), [strings], [NUM_BITS], slicer);
  expect(variance).toBe(0);
  expect(slicer.looks.length).toBeGreaterThanOrEqual((NUM_BITS * (NUM_BITS - 1)) / 2);
});
