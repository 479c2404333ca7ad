/**
 * Writes runs of one-qubit gates in the gates of a set.
 *
 * A turn about Z at the end of a run goes on past what is diagonal on its qubit, a CZ or the control
 * of a CX, and joins the next run, where it mostly costs nothing; a measurement makes it a phase that
 * nobody can see.
 */
import type { Circuit, Condition, Operation, Qubit } from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import { RZ } from '../../circuit/gate-matrices.ts';
import { eulerAngles } from '../../circuit/one-qubit-angles.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import type { GateSet } from '../../circuit/synthesis/gate-set.ts';
import { oneQubitGates } from '../../circuit/synthesis/one-qubit-gates.ts';
import { adjoint, type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import { Z_AXIS } from '../passes/gate-facts.ts';
import { axesOf, type GateLike } from '../passes/gate-like.ts';

/** Sines this small are rounding. */
const NEGLIGIBLE = 1e-12;
const HALF = Math.PI / 2;

/** The circuit with its one-qubit gates in the set's. Keeps the rest as it is. */
export function writeOneQubitRuns(circuit: Circuit, set: GateSet): Circuit {
  const writer = new Writer(circuit, set);
  for (const operation of circuit.operations) writer.add(operation);
  return { ...circuit, operations: writer.finish() };
}

/** Gates on one qubit so far; the operation is set while it is a single one. */
interface Run {
  readonly matrix: ComplexMatrix;
  readonly single: GateLike | undefined;
}

class Writer {
  readonly #set: GateSet;
  readonly #runs: (Run | undefined)[];
  readonly #written: Operation[] = [];

  constructor({ numQubits }: Circuit, set: GateSet) {
    this.#set = set;
    this.#runs = new Array<Run | undefined>(numQubits).fill(undefined);
  }

  add(operation: Operation): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        return;
      case 'measure':
        for (const qubit of operation.qubits) {
          this.#settleBefore(qubit, true);
          // A turn about Z that is left here is a phase once the outcome is known.
          if (operation.condition === undefined) this.#runs[qubit] = undefined;
          else this.#settle(qubit);
        }
        break;
      case 'reset':
      case 'barrier':
        for (const qubit of operation.qubits) this.#settle(qubit);
        break;
    }
    this.#written.push(operation);
  }

  finish(): readonly Operation[] {
    for (const qubit of this.#runs.keys()) this.#settle(qubit);
    return this.#written;
  }

  #addGate(operation: GateLike): void {
    const qubits = operationQubits(operation);
    const [qubit] = qubits;
    if (qubit !== undefined && qubits.length === 1 && operation.condition === undefined) {
      const run = this.#runs[qubit];
      const matrix = targetMatrix(operation);
      this.#runs[qubit] =
        run === undefined
          ? { matrix, single: operation }
          : { matrix: multiply(matrix, run.matrix), single: undefined };
      return;
    }
    const axes = axesOf(operation);
    for (const [i, each] of qubits.entries()) {
      const isDiagonal = operation.condition === undefined && (axes[i]! & Z_AXIS) !== 0;
      this.#settleBefore(each, isDiagonal);
    }
    if (qubit !== undefined && qubits.length === 1) {
      this.#write(qubit, targetMatrix(operation), operation.condition);
      return;
    }
    this.#written.push(operation);
  }

  /** Writes a run down before an operation, but for a turn about Z that can go past it. */
  #settleBefore(qubit: Qubit, isDiagonal: boolean): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    if (!isDiagonal) {
      this.#settle(qubit);
      return;
    }
    const angle = turnLeftOver(run.matrix, this.#set);
    const rest = multiply(adjoint(RZ(angle)), run.matrix);
    // A gate that is one of the set's may be as good as it gets.
    if (angle === 0 || (run.single !== undefined && this.#isShort(run, rest))) {
      this.#settle(qubit);
      return;
    }
    this.#write(qubit, rest, undefined);
    this.#runs[qubit] = { matrix: RZ(angle), single: undefined };
  }

  /** Whether a single gate would not get shorter without its turn. */
  #isShort({ matrix }: Run, rest: ComplexMatrix): boolean {
    const length = (each: ComplexMatrix) => oneQubitGates(each, this.#set).gates.length;
    return length(rest) >= length(matrix);
  }

  #settle(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    this.#runs[qubit] = undefined;
    this.#write(qubit, run.matrix, undefined);
  }

  #write(qubit: Qubit, matrix: ComplexMatrix, condition: Condition | undefined): void {
    for (const { gate, angles } of oneQubitGates(matrix, this.#set).gates) {
      const operation = { kind: 'gate', gate, controls: [], targets: [qubit], angles } as const;
      this.#written.push(condition === undefined ? operation : { ...operation, condition });
    }
  }
}

/** The angle of the RZ that a run in this basis ends with, and would be shorter without. */
function turnLeftOver(matrix: ComplexMatrix, { basis }: GateSet): number {
  const { theta, phi, lambda } = eulerAngles(matrix);
  if (Math.abs(Math.sin(theta / 2)) < NEGLIGIBLE) return phi + lambda;
  switch (basis) {
    case 'u':
    case 'xyx':
      return 0;
    case 'zyz':
      return phi;
    case 'zxz':
      return phi + HALF;
    // RZ(φ)·RY(θ)·RZ(λ) = RZ(φ + λ)·PRX(θ, π/2 − λ).
    case 'prx':
      return phi + lambda;
    case 'zsx':
      if (Math.abs(theta - Math.PI) < NEGLIGIBLE) return 0;
      return phi + (Math.abs(theta - HALF) < NEGLIGIBLE ? HALF : Math.PI);
  }
}
