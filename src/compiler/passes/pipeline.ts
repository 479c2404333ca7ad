/** The passes of the compiler, in order. */
import {
  type DynamicCircuit,
  type DynamicOperation,
  isDynamicOperation,
  numRegisterBits,
  type Operation,
} from '../../circuit/circuit.ts';
import { absorbKnownStates } from './absorb-known-states.ts';
import { dropUnobservable } from './drop-unobservable.ts';
import { fuseOneQubitRuns } from './fuse-one-qubit-runs.ts';
import { mergeRotations } from './merge-rotations.ts';
import type { Pass, PassReport, Requested } from './pass.ts';
import { recoverControlledGates } from './recover-controlled-gates.ts';

/** All passes; each leaves less for the next. To add a pass, add a line here. */
export const PIPELINE: readonly Pass[] = [
  // First, because the others break up the patterns that it searches for.
  recoverControlledGates,
  absorbKnownStates,
  // Twice: dropping brings rotations and inverses together, and merging them leaves more to drop.
  dropUnobservable,
  mergeRotations,
  dropUnobservable,
  fuseOneQubitRuns,
];

/** A circuit after all passes, with a report of each. */
export interface Optimized<C extends DynamicCircuit = DynamicCircuit> {
  readonly circuit: C;
  readonly passes: readonly PassReport[];
}

/** Options of running passes. */
interface PipelineOptions extends Pick<Requested, 'keepState' | 'startsFresh'> {
  /** All passes by default. */
  readonly passes?: readonly Pass[];
  /** Whether the gates of verbatim boxes stay as they were written; false by default. */
  readonly keepVerbatim?: boolean;
}

/**
 * Runs passes on a circuit. A dynamic circuit is divided into parts at its loops, assignments and noise, and at the
 * gates of verbatim boxes that stay: no pass sees them, and nothing moves across them.
 */
export function optimize<C extends DynamicCircuit>(
  circuit: C,
  { passes: run = PIPELINE, keepState, startsFresh = true, keepVerbatim = false }: PipelineOptions,
): Optimized<C> {
  let operations: readonly DynamicOperation[] = circuit.operations;
  let operationsBefore = countOperations(operations);
  const passes = run.map((pass): PassReport => {
    const requested = { keepState, startsFresh };
    operations = runOnParts(pass, { ...circuit, operations }, requested, keepVerbatim);
    const report = {
      name: pass.name,
      operationsBefore,
      operationsAfter: countOperations(operations),
    };
    operationsBefore = report.operationsAfter;
    return report;
  });
  // Checked: a pass adds no loop and no assignment.
  return { circuit: { ...circuit, operations } as C, passes };
}

const isVerbatim = (operation: DynamicOperation): boolean =>
  'isVerbatim' in operation && operation.isVerbatim === true;

function runOnParts(
  pass: Pass,
  circuit: DynamicCircuit,
  requested: Requested,
  keepVerbatim: boolean,
): readonly DynamicOperation[] {
  const endsPart = (operation: DynamicOperation): boolean =>
    isDynamicOperation(operation) || (keepVerbatim && isVerbatim(operation));
  const { numQubits, operations } = circuit;
  const numBits = numRegisterBits(circuit);
  if (!operations.some(endsPart)) {
    // Checked: the circuit has no loops and no assignments.
    const whole = { numQubits, numBits, operations: operations as readonly Operation[] };
    return pass.run(whole, requested).operations;
  }
  const last = operations.findLastIndex(({ kind }) => kind !== 'assign');
  const done: DynamicOperation[] = [];
  let from = 0;
  let { startsFresh = true } = requested;
  const runPart = (to: number): void => {
    if (to === from) return;
    // Checked: a part has no loops and no assignments.
    const part = operations.slice(from, to) as readonly Operation[];
    // Later operations may use any of the state.
    const keepState = requested.keepState || to <= last;
    const run = pass.run({ numQubits, numBits, operations: part }, { keepState, startsFresh });
    for (const operation of run.operations) done.push(operation);
    startsFresh = false;
  };
  for (const [index, operation] of operations.entries()) {
    if (!endsPart(operation)) continue;
    runPart(index);
    from = index + 1;
    startsFresh = false;
    if (operation.kind !== 'while') {
      done.push(operation);
      continue;
    }
    const inside = { keepState: true, startsFresh: false };
    const body = runOnParts(pass, { ...circuit, operations: operation.body }, inside, keepVerbatim);
    done.push({ ...operation, body });
  }
  runPart(operations.length);
  return done;
}

/** Number of operations without barriers, which do nothing. */
function countOperations(operations: readonly DynamicOperation[]): number {
  let count = 0;
  for (const operation of operations) {
    if (operation.kind === 'while') count += countOperations(operation.body);
    else if (operation.kind !== 'barrier') count++;
  }
  return count;
}
