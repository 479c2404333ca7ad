/** Unitaries on one or two qubits in the gates of a set. */
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import type { GateOperation, Qubit } from '../circuit.ts';
import { entanglerFrame, entanglerOn } from './entangler-frame.ts';
import type { GateSet } from './gate-set.ts';
import { oneQubitGates } from './one-qubit-gates.ts';
import { cxCircuit } from './two-qubit-circuit.ts';
import type { OneQubitPair } from './weyl-decomposition.ts';

/** e^{i·phase} times operations, the first one applied first. */
export interface Synthesized {
  readonly operations: readonly GateOperation[];
  readonly phase: number;
}

/** A one-qubit unitary on a qubit. */
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

/** What a two-qubit unitary is made of: entanglers, and before, between and after them matrices. */
export interface EntanglerCircuit {
  readonly phase: number;
  /** One more than there are entanglers. */
  readonly locals: readonly OneQubitPair[];
}

/**
 * A two-qubit unitary by a set's entanglers: as many as the fewest CX that can make it, or two for each.
 *
 * @param tolerance - As `cxCircuit` has it.
 */
export function entanglerCircuit(
  unitary: ComplexMatrix,
  set: GateSet,
  tolerance?: number,
): EntanglerCircuit {
  const { phase, locals } = cxCircuit(unitary, tolerance);
  const frame = entanglerFrame(set.entangler);
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

/** A two-qubit unitary on two qubits, `qubits[0]` being bit 0 of its index. */
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

/** Both products: what comes later is on the left. */
function paired(later: OneQubitPair, earlier: OneQubitPair): OneQubitPair {
  return [multiply(later[0], earlier[0]), multiply(later[1], earlier[1])];
}
