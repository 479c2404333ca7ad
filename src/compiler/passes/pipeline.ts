/** The passes in the order they run: each leaves less for the next. */
import type { Circuit, Operation } from '../../circuit/circuit.ts';
import { absorbKnownStates } from './absorb-known-states.ts';
import { cancelInverses } from './cancel-inverses.ts';
import { dropUnobservable } from './drop-unobservable.ts';
import { fuseOneQubitRuns } from './fuse-one-qubit-runs.ts';
import { mergeRotations } from './merge-rotations.ts';
import type { Pass, PassReport, Requested } from './pass.ts';
import { recoverControlledGates } from './recover-controlled-gates.ts';

/** Adding a pass means adding a line here. */
export const PIPELINE: readonly Pass[] = [
  // First: the others take apart what it looks for.
  recoverControlledGates,
  absorbKnownStates,
  // Twice: what is dropped brings together what cancels, and what cancels leaves more to drop.
  dropUnobservable,
  cancelInverses,
  mergeRotations,
  dropUnobservable,
  fuseOneQubitRuns,
];

/** A circuit after all passes, and what each of them did. */
export interface Optimized {
  readonly circuit: Circuit;
  readonly passes: readonly PassReport[];
}

/** Runs the pipeline. */
export function optimize(circuit: Circuit, requested: Requested): Optimized {
  let current = circuit;
  const passes = PIPELINE.map(({ name, run }): PassReport => {
    const operationsBefore = countOperations(current.operations);
    current = run(current, requested);
    return { name, operationsBefore, operationsAfter: countOperations(current.operations) };
  });
  return { circuit: current, passes };
}

/** Barriers do nothing, and are not counted. */
function countOperations(operations: readonly Operation[]): number {
  return operations.reduce((sum, { kind }) => sum + (kind === 'barrier' ? 0 : 1), 0);
}
