/**
 * Circuits of the quantum approximate optimization algorithm: an initial state, then layers of e^{−iγC},
 * which encodes energies as phases, and of a mixer e^{+iβB}, which moves between candidates.
 *
 * The initial state is the highest state of B, so small positive angles lead towards low energies, as an
 * adiabatic change from −B to C would.
 *
 * @see Farhi, Goldstone, Gutmann, "A quantum approximate optimization algorithm" (2014); Hadfield et al.,
 *   "From the quantum approximate optimization algorithm to a quantum alternating operator ansatz"
 *   (2019).
 */
import { type AngleFormulas, CONSTANT } from '../../../circuit/angle-formulas.ts';
import { MULTIPLY } from '../../../circuit/angle-operations.ts';
import { AngleTape } from '../../../circuit/angle-tape.ts';
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import { gateOperation as gate } from '../gate-operation.ts';
import { type IsingProblem, isingPolynomial, type ZPolynomial } from './z-polynomial.ts';

/** Initial state, cost and mixer of QAOA circuits. */
export interface QaoaAnsatz {
  readonly numQubits: number;
  readonly cost: ZPolynomial;
  /** Operations that prepare the initial state from |0…0⟩. */
  readonly prepare: readonly Operation[];
  /** Operations of the mixer; for every β the same but for their angles, which are multiples of β. */
  readonly mixer: (beta: number) => readonly Operation[];
  /** Energy scale of γ: the typical change of energy in a move. Above 0. */
  readonly energyScale: number;
}

/**
 * Angles, radians, one of each kind per layer: γ in units of `energyScale`, so that 1 is large, and β.
 */
export interface QaoaAngles {
  readonly gammas: readonly number[];
  readonly betas: readonly number[];
}

/** The standard ansatz: the even superposition of all states, and the mixer Σ X. */
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
    // Root mean square over qubits of the field and couplings that act on each.
    energyScale: Math.sqrt(squares / numQubits) || 1,
  };
}

/** Builds the circuit for given angles, without measurement; one shape per number of layers. */
export function qaoaCircuit(ansatz: QaoaAnsatz, { gammas, betas }: QaoaAngles): Circuit {
  const operations = [...ansatz.prepare];
  for (const [layer, gamma] of gammas.entries()) {
    operations.push(...phases(ansatz, gamma / ansatz.energyScale), ...ansatz.mixer(betas[layer]!));
  }
  return { numQubits: ansatz.numQubits, numBits: 0, operations };
}

/** Circuits of one number of layers. */
export interface QaoaShape {
  readonly shape: Circuit;
  /** Formulas of the angles in a row of all γ, then all β. */
  readonly formulas: AngleFormulas;
}

/** The shape of the circuits of that many layers. */
export function qaoaShape(ansatz: QaoaAnsatz, layers: number): QaoaShape {
  const ones = new Array<number>(layers).fill(1);
  const shape = qaoaCircuit(ansatz, { gammas: ones, betas: ones });
  const tape = new AngleTape(2 * layers);
  const prepared = ansatz.prepare.flatMap(anglesOf).map(() => CONSTANT);
  const phaseAngles = phases(ansatz, 1 / ansatz.energyScale).flatMap(anglesOf);
  const mixerAngles = ansatz.mixer(1).flatMap(anglesOf);
  // All angles of a layer are multiples of its γ or its β.
  const multiples = (angles: readonly number[], input: number) =>
    angles.map((angle) => tape.apply(MULTIPLY, input, tape.constant(angle)));
  const results = ones.flatMap((_, layer) => [
    ...multiples(phaseAngles, layer),
    ...multiples(mixerAngles, layers + layer),
  ]);
  const angles = shape.operations.flatMap(anglesOf);
  return { shape, formulas: tape.formulas([...prepared, ...results], angles) };
}

function anglesOf(operation: Operation): readonly number[] {
  return operation.kind === 'gate' ? operation.angles : [];
}

/** Operations of e^{−iγ(C − offset)}. */
function phases({ cost }: QaoaAnsatz, gamma: number): readonly Operation[] {
  return cost.terms.flatMap(({ qubits, weight }) => phaseOf(qubits, 2 * gamma * weight));
}

/** Operations of e^{−i·angle/2·Z…Z}; from three qubits on, the last one collects their parity. */
function phaseOf(qubits: readonly number[], angle: number): readonly Operation[] {
  if (qubits.length === 1) return [gate('RZ', qubits, [angle])];
  if (qubits.length === 2) return [gate('RZZ', qubits, [angle])];
  const last = qubits.at(-1)!;
  const gather = qubits.slice(0, -1).map((qubit) => gate('CX', [last], [], [qubit]));
  return [...gather, gate('RZ', [last], [angle]), ...gather.toReversed()];
}
