/** Decomposed gates are recovered in any order, and recovery keeps the unitary. */
import { describe, expect } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import { optimize } from '../../src/compiler/passes/pipeline.ts';
import { recoverControlledGates } from '../../src/compiler/passes/recover-controlled-gates.ts';
import { maxAbsDifference, monomialRows } from '../../src/math/complex-matrix.ts';
import { gate, randomDynamicCircuit, randomGates, randomUse } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { unitaryOf } from '../support/small-unitary.ts';
import { exactOutcomes } from '../support/state-oracle.ts';
import {
  disordered,
  relativePhaseToffoli,
  toffoli,
  toffoliInNativeGates,
  toffoliOfRoots,
  writtenOut,
  writtenOutCircuit,
} from '../support/written-out-gates.ts';

const NUM_QUBITS = 4;
const SEEDS = seeds(15);
const KEEPS_STATE = { keepState: true };

const circuitOf = (operations: readonly Operation[]): Circuit => ({
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations,
});

function circuitOfSeed(seed: number): Circuit {
  const stream = new RandomStream(4100 + seed);
  const gates = writtenOutCircuit(stream, NUM_QUBITS, 4);
  if (seed % 3 === 0) return circuitOf(gates);
  if (seed % 3 === 1) return circuitOf(disordered(stream, gates, NUM_QUBITS));
  const others = randomGates(stream, NUM_QUBITS, 4, 2);
  const at = stream.below(gates.length);
  return circuitOf([...gates.slice(0, at), ...others, ...gates.slice(at)]);
}

describe.each([
  ['the pass', (circuit: Circuit) => recoverControlledGates.run(circuit, KEEPS_STATE)],
  ['a second run', (circuit: Circuit) => twice(circuit)],
])('%s', (_, run) => {
  testSeeds('keeps the unitaries of circuits and adds nothing', SEEDS, (seed) => {
    const circuit = circuitOfSeed(seed);
    const recovered = run(circuit);
    expect(recovered.operations.length).toBeLessThan(circuit.operations.length);
    expect(maxAbsDifference(unitaryOf(recovered), unitaryOf(circuit))).toBeLessThan(1e-12);
  });
});

function twice(circuit: Circuit): Circuit {
  return recoverControlledGates.run(recoverControlledGates.run(circuit, KEEPS_STATE), KEEPS_STATE);
}

describe.each([
  ['15 gates', toffoli],
  ['native gates', toffoliInNativeGates],
  ['controlled roots of X', toffoliOfRoots],
  ['9 gates, but for phases', relativePhaseToffoli],
])('a Toffoli in %s', (_, written) => {
  testSeeds('is found among gates that can be passed, in any disorder', SEEDS, (seed) => {
    const stream = new RandomStream(4200 + seed);
    // Diagonals on the controls, flips by a control: what stands between neighbouring Toffolis.
    const passable = Array.from({ length: 3 }, () => {
      const name = stream.pick(['T', 'CZ', 'CP', 'RZ', 'CX']);
      if (name === 'CX') return gate('CX', [3], [stream.below(2)]);
      return randomUse(stream, gateNamed(name), 2);
    });
    const gates = written(0, 1, 2);
    const operations = disordered(stream, [...passable, ...gates], NUM_QUBITS);
    const { circuit } = optimize(circuitOf([...SUPERPOSED, ...operations]), KEEPS_STATE);
    expect(circuit.operations.filter(isDense)).toHaveLength(NUM_QUBITS);
  });
});

describe('among measurements, resets and conditions', () => {
  testSeeds('the pass keeps the outcomes of circuits', SEEDS, (seed) => {
    const stream = new RandomStream(4300 + seed);
    const circuit = randomDynamicCircuit(stream, 3, 3, 14);
    const operations = circuit.operations.flatMap((operation) => {
      const among = stream.below(3) === 0 ? writtenOut(stream, 3) : [];
      const at = stream.below(among.length + 1);
      return [...among.slice(0, at), operation, ...among.slice(at)].map((each) =>
        maybeConditioned(stream, each),
      );
    });
    const mixed = { ...circuit, operations };
    const recovered = recoverControlledGates.run(mixed, KEEPS_STATE);
    expect(recovered.operations.length).toBeLessThanOrEqual(operations.length);
    const [found, wanted] = [exactOutcomes(recovered), exactOutcomes(mixed)];
    for (const label of new Set([...found.keys(), ...wanted.keys()])) {
      const difference = (found.get(label) ?? 0) - (wanted.get(label) ?? 0);
      expect(Math.abs(difference)).toBeLessThan(1e-12);
    }
  });
});

function maybeConditioned(stream: RandomStream, operation: Operation): Operation {
  if (operation.kind === 'barrier' || stream.below(12) > 0) return operation;
  return { ...operation, condition: { bits: [stream.below(3)], value: stream.below(2) } };
}

/** So that no qubit is known. */
const SUPERPOSED = Array.from({ length: NUM_QUBITS }, (_, q) => gate('RX', [q], [], [1 + q]));

function isDense(operation: Operation): boolean {
  if (operation.kind === 'unitary') return monomialRows(operation.matrix) === undefined;
  return operation.kind === 'gate' && ['H', 'SX', 'RX', 'RY'].includes(operation.gate);
}
