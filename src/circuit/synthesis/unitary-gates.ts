/** Writes one-qubit and two-qubit unitaries in the gates of a set. */
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import type { GateOperation, Qubit } from '../circuit.ts';
import { SWAP } from '../gate-matrices.ts';
import type { GateSet } from './gate-set.ts';
import { oneQubitGates } from './one-qubit-gates.ts';
import {
  cxCircuit,
  type EntanglerFrame,
  entanglerFrame,
  entanglerOn,
  paired,
} from './two-qubit-circuit.ts';
import type { OneQubitPair } from './weyl-decomposition.ts';

/** e^{i·phase} times the operations, the first one applied first. */
export interface Synthesized {
  readonly operations: readonly GateOperation[];
  readonly phase: number;
}

/** Writes a one-qubit unitary on a qubit. */
export function synthesizeOne(unitary: ComplexMatrix, qubit: Qubit, set: GateSet): Synthesized {
  const { gates, phase } = oneQubitGates(unitary, set);
  return {
    operations: gates.map(({ gate, angles }) => ({
      kind: 'gate',
      gate,
      controls: [],
      targets: [qubit],
      angles,
    })),
    phase,
  };
}

/** A two-qubit unitary as entanglers with pairs of one-qubit matrices before, between and after them. */
interface EntanglerCircuit {
  readonly phase: number;
  /** One more than the number of entanglers. */
  readonly locals: readonly OneQubitPair[];
}

/**
 * Writes a two-qubit unitary with a set's entangler: as many as the fewest CX, or iSWAPs, that make it, or
 * two for each CX.
 *
 * @param tolerance - As for `cxCircuit`.
 */
export function entanglerCircuit(
  unitary: ComplexMatrix,
  set: GateSet,
  tolerance?: number,
): EntanglerCircuit {
  const frame = entanglerFrame(set.entangler);
  if (frame.exchanges) return exchangingCircuit(unitary, frame, tolerance);
  const { phase, locals } = cxCircuit(unitary, tolerance);
  const last = locals.length - 1;
  return {
    phase: phase + last * frame.phase,
    locals: locals.flatMap((pair, i) => {
      const opened = i === 0 ? pair : paired(pair, frame.after);
      if (i === last) return [opened];
      const closed = paired(frame.before, opened);
      return frame.between === undefined ? [closed] : [closed, frame.between];
    }),
  };
}

/**
 * Writes a unitary with an entangler that is a CX · SWAP. Moved to the beginning, an even number of SWAPs
 * cancel and an odd number leave one, so that an odd number of entanglers makes unitary · SWAP.
 */
function exchangingCircuit(
  unitary: ComplexMatrix,
  frame: EntanglerFrame,
  tolerance: number | undefined,
): EntanglerCircuit {
  const odd = cxCircuit(multiply(unitary, SWAP()), tolerance, 1);
  const even = cxCircuit(unitary, tolerance, 0);
  const { phase, locals } = [odd, even].reduce((best, each) =>
    each !== undefined && (best === undefined || each.locals.length < best.locals.length)
      ? each
      : best,
  )!;
  const last = locals.length - 1;
  return {
    phase: phase + last * frame.phase,
    locals: locals.map((pair, i) => {
      const opened = exchanged(i === 0 ? pair : paired(pair, frame.after), last - i);
      return i === last ? opened : paired(exchanged(frame.before, last - i - 1), opened);
    }),
  };
}

/** Exchanges a pair if it is moved past an odd number of SWAPs. */
function exchanged(pair: OneQubitPair, numSwaps: number): OneQubitPair {
  return numSwaps % 2 === 0 ? pair : [pair[1], pair[0]];
}

/** Writes a two-qubit unitary on two qubits; `qubits[0]` is bit 0 of its index. */
export function synthesizeTwo(
  unitary: ComplexMatrix,
  qubits: readonly [Qubit, Qubit],
  set: GateSet,
  tolerance?: number,
): Synthesized {
  const circuit = entanglerCircuit(unitary, set, tolerance);
  const operations: GateOperation[] = [];
  let phase = circuit.phase;
  for (const [i, pair] of circuit.locals.entries()) {
    if (i > 0) operations.push(entanglerOn(set.entangler, qubits[0], qubits[1]));
    for (const side of [0, 1] as const) {
      const one = synthesizeOne(pair[side], qubits[side], set);
      operations.push(...one.operations);
      phase += one.phase;
    }
  }
  return { operations, phase };
}
