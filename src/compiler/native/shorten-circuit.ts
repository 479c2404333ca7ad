/**
 * Searches for an equivalent circuit with fewer gates, in any gates or in those of a set.
 *
 * The compiler's passes and the search for shorter two-qubit blocks alternate, since each finds more after
 * the other. The best circuit found is returned; the given circuit itself is a candidate if its gates are in
 * the set.
 */
import { type Circuit, operationQubits } from '../../circuit/circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import type { GateSet } from '../../circuit/synthesis/gate-set.ts';
import { absorbKnownStates } from '../passes/absorb-known-states.ts';
import { dropUnobservable } from '../passes/drop-unobservable.ts';
import { fuseOneQubitRuns } from '../passes/fuse-one-qubit-runs.ts';
import { cancelInverses, mergeRotations } from '../passes/merge-rotations.ts';
import type { Pass } from '../passes/pass.ts';
import { recoverControlledGates } from '../passes/recover-controlled-gates.ts';
import { depthOf } from '../report.ts';
import { nativeCircuit } from './native-circuit.ts';
import { twoQubitForm } from './two-qubit-form.ts';

/** Rounds of passes and blocks; few circuits need more than two. */
const MAX_ROUNDS = 4;

const KEEPING_UNITARY: readonly Pass[] = [cancelInverses, mergeRotations, fuseOneQubitRuns];
const FROM_ZERO: readonly Pass[] = [
  absorbKnownStates,
  dropUnobservable,
  cancelInverses,
  mergeRotations,
  dropUnobservable,
  fuseOneQubitRuns,
];

/**
 * Returns the shortest circuit found.
 *
 * @param preserve - Invariant of the result and the given circuit: the unitary, up to a phase, and the
 *   measurements; the state made from |0…0⟩; or the distribution of the classical bits.
 */
export function shortenCircuit(
  circuit: Circuit,
  set: GateSet,
  preserve: 'unitary' | 'state' | 'outcomes',
): Circuit {
  const isWithin = set.takesAnything || isInSet(circuit, set);
  const found: Circuit[] = isWithin ? [circuit] : [];
  // Recovering controlled gates first can help or hinder, so both are tried.
  for (const first of [[recoverControlledGates], []]) {
    const passes = [...first, ...(preserve === 'unitary' ? KEEPING_UNITARY : FROM_ZERO)];
    let current = circuit;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const passed = passes.reduce(
        (each, pass) => pass.run(each, { keepState: preserve !== 'outcomes' }),
        current,
      );
      const next = nativeCircuit(set.takesAnything ? passed : twoQubitForm(passed), set);
      found.push(next);
      if (isBetter(costOf(current), costOf(next)) || current.operations.length === 0) break;
      current = next;
    }
  }
  const numMatrices = countMatrices(circuit);
  const allowed = found.filter((each) => countMatrices(each) <= numMatrices);
  return allowed.reduce((best, each) => (isBetter(costOf(each), costOf(best)) ? each : best));
}

/** Whether every gate is in the set by name, without further controls. */
function isInSet({ operations }: Circuit, set: GateSet): boolean {
  return operations.every(
    (operation) =>
      (operation.kind !== 'gate' && operation.kind !== 'unitary') ||
      (operation.kind === 'gate' &&
        set.names.has(operation.gate) &&
        operation.controls.length === gateNamed(operation.gate).numControls),
  );
}

/** Number of explicit matrices: a circuit without any must not get one. */
function countMatrices({ operations }: Circuit): number {
  return operations.filter(({ kind }) => kind === 'unitary').length;
}

/** Cost in order of importance: gates on several qubits, all operations, depth. */
function costOf(circuit: Circuit): readonly number[] {
  const counted = circuit.operations.filter(({ kind }) => kind !== 'barrier');
  const wide = counted.filter(
    (operation) =>
      (operation.kind === 'gate' || operation.kind === 'unitary') &&
      operationQubits(operation).length > 1,
  );
  return [wide.length, counted.length, depthOf(circuit)];
}

function isBetter(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, cost] of a.entries()) if (cost !== b[i]) return cost < b[i]!;
  return false;
}
