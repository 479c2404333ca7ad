/**
 * Known = measured: a program whose values are in its text and the same program with these values measured end with
 * the same values, which are those of an oracle that shares no code with the service.
 */
import { expect } from 'vitest';
import type { DynamicOperation } from '../../src/circuit/circuit.ts';
import { OpenQasmError } from '../../src/circuit/errors.ts';
import { readOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { assign, conditionHolds } from '../../src/engine/classical-bits.ts';
import { ClassicalValueError } from '../../src/engine/errors.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { NUM_QUBITS, valueProgram } from '../support/value-programs.ts';

const limits = { maxQubits: NUM_QUBITS, maxGates: 100_000 };

/** Bits of the outcome of a circuit that only flips and measures qubits; undefined where a value does not exist. */
function ended(text: string): readonly boolean[] | undefined {
  try {
    const { circuit } = readOpenQasm(text, limits);
    const words = new Uint32Array(2 ** 11);
    const qubits = new Uint8Array(NUM_QUBITS);
    run(circuit.operations, words, qubits);
    return Array.from({ length: circuit.numBits }, (_, bit) => read(words, bit));
  } catch (error) {
    if (error instanceof OpenQasmError || error instanceof ClassicalValueError) return undefined;
    throw error;
  }
}

const read = (words: Uint32Array, bit: number) => ((words[bit >> 5]! >> (bit & 31)) & 1) === 1;

function run(
  operations: readonly DynamicOperation[],
  words: Uint32Array,
  qubits: Uint8Array,
): void {
  for (const operation of operations) {
    switch (operation.kind) {
      case 'assign':
        assign(operation, words);
        break;
      case 'gate':
        if (operation.gate !== 'X') throw new Error(`unreachable: ${operation.gate}`);
        if (conditionHolds(operation.condition, words)) qubits[operation.targets[0]!]! ^= 1;
        break;
      case 'measure':
        for (const [i, bit] of operation.bits.entries()) {
          words[bit >> 5]! &= ~(1 << (bit & 31));
          words[bit >> 5]! |= qubits[operation.qubits[i]!]! << (bit & 31);
        }
        break;
      default:
        throw new Error(`unreachable: ${operation.kind}`);
    }
  }
}

testSeeds('values are the same known, measured and by the specification', seeds(300), (seed) => {
  const { known, measured, outcome, mayBeRefused } = valueProgram(new RandomStream(seed));
  const [whenKnown, whenMeasured] = [ended(known), ended(measured)];
  if (outcome === undefined) {
    expect(whenKnown, known).toBeUndefined();
    return;
  }
  if (whenKnown !== undefined || !mayBeRefused) expect(whenKnown, known).toEqual(outcome);
  if (whenMeasured !== undefined || !mayBeRefused) expect(whenMeasured, measured).toEqual(outcome);
});
