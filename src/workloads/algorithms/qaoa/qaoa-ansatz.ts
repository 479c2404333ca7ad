/**
 * The circuits of the quantum approximate optimization algorithm: a first state, then layers of
 * e^{−iγC}, which marks energies by phases, and of a mixer by β, which moves between candidates.
 *
 * Mixers are e^{+iβB}, where the first state is the highest state of B: then small positive angles
 * lead towards low energies, as a slow turn from −B to C would.
 *
 * @see Farhi, Goldstone, Gutmann, "A quantum approximate optimization algorithm" (2014); Hadfield et
 *   al., "From the quantum approximate optimization algorithm to a quantum alternating operator
 *   ansatz" (2019).
 */
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import { gateOperation as gate } from '../gate-operation.ts';
import type { IsingProblem } from './ising-problem.ts';
import { isingPolynomial, type ZPolynomial } from './z-polynomial.ts';

/** First state, cost and mixer of QAOA circuits. */
export interface QaoaAnsatz {
  readonly numQubits: number;
  readonly cost: ZPolynomial;
  /** From |0…0⟩ to the first state. */
  readonly prepare: readonly Operation[];
  /** The same operations for every β but for their angles. */
  readonly mixer: (beta: number) => readonly Operation[];
  /** Energy that γ counts in: the typical change of a move. Above 0. */
  readonly energyScale: number;
}

/** Angles, radians: γ by `energyScale`, so that about 1 is a large one, and β; one each a layer. */
export interface QaoaAngles {
  readonly gammas: readonly number[];
  readonly betas: readonly number[];
}

/** The even superposition of all states, and the mixer Σ X. */
export function isingAnsatz(problem: IsingProblem): QaoaAnsatz {
  const { numQubits, fields, couplings } = problem;
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const squares =
    fields.reduce((sum, h) => sum + h * h, 0) +
    couplings.reduce((sum, { value }) => sum + 2 * value * value, 0);
  return {
    numQubits,
    cost: isingPolynomial(problem),
    prepare: qubits.map((qubit) => gate('H', [qubit])),
    mixer: (beta) => qubits.map((qubit) => gate('RX', [qubit], [-2 * beta])),
    // What a qubit feels of its field and neighbours, in the root mean square over qubits.
    energyScale: Math.sqrt(squares / numQubits) || 1,
  };
}

/**
 * The circuit with those angles, without measurement; of one shape for one number of layers.
 */
export function qaoaCircuit(ansatz: QaoaAnsatz, { gammas, betas }: QaoaAngles): Circuit {
  const operations = [...ansatz.prepare];
  for (const [layer, gamma] of gammas.entries()) {
    operations.push(...phases(ansatz, gamma / ansatz.energyScale), ...ansatz.mixer(betas[layer]!));
  }
  return { numQubits: ansatz.numQubits, numBits: 0, operations };
}

/** e^{−iγ(C − offset)}. */
function phases({ cost }: QaoaAnsatz, gamma: number): readonly Operation[] {
  return cost.terms.flatMap(({ qubits, weight }) => phaseOf(qubits, 2 * gamma * weight));
}

/** e^{−i·angle/2·Z…Z}: from three qubits on, their parity is gathered on the last one. */
function phaseOf(qubits: readonly number[], angle: number): readonly Operation[] {
  if (qubits.length === 1) return [gate('RZ', qubits, [angle])];
  if (qubits.length === 2) return [gate('RZZ', qubits, [angle])];
  const last = qubits.at(-1)!;
  const gather = qubits.slice(0, -1).map((qubit) => gate('CX', [last], [], [qubit]));
  return [...gather, gate('RZ', [last], [angle]), ...gather.toReversed()];
}
