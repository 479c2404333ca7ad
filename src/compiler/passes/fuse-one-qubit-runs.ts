/**
 * Pass that multiplies gates on one qubit into one matrix, also across operations that commute with the
 * earlier or the later of them: in H, T, the control of a CX, H, the T moves past the CX.
 *
 * It fuses only gates without controls or conditions: the product costs as much as one of them. A product of
 * diagonal gates is diagonal, which costs an engine less than a general matrix.
 */
import {
  type Circuit,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import { sumOfAngles } from '../../math/angles.ts';
import { type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { derivedUnitary, productSource } from '../parametric.ts';
import { ALL_AXES, type Axes, axesOn, isNearIdentity, NEGLIGIBLE, Z_AXIS } from './gate-facts.ts';
import { axesOf, type GateLike, matrixOf, phaseOn } from './gate-like.ts';
import { operationOf, phaseOf } from './operation-of-matrix.ts';
import type { Pass } from './pass.ts';

/** Keeps the unitary, including its global phase. */
export const fuseOneQubitRuns: Pass = {
  name: 'fuse-one-qubit-runs',
  run(circuit) {
    const fuser = new Fuser(circuit);
    for (const operation of circuit.operations) fuser.add(operation);
    return { ...circuit, operations: fuser.finish() };
  },
};

/** Gates on one qubit that are one matrix so far, and the operations after them. */
interface Run {
  readonly matrix: ComplexMatrix;
  /** Axes that the matrix commutes with. */
  readonly axes: Axes;
  /** Position of the matrix. */
  readonly slot: number;
  /** The gates, in order. */
  readonly members: GateLike[];
  /** Axes that everything after the matrix commutes with on this qubit. */
  axesSince: Axes;
}

class Fuser {
  readonly #slots: (Operation | undefined)[] = [];
  readonly #runs: (Run | undefined)[];
  #phase = 0;

  constructor({ numQubits }: Circuit) {
    this.#runs = new Array<Run | undefined>(numQubits).fill(undefined);
  }

  add(operation: Operation): void {
    const slot = this.#slots.length;
    this.#slots.push(operation);
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        if (isAlone(operation)) this.#extend(operation, slot);
        else this.#pass(operationQubits(operation), axesOf(operation));
        return;
      case 'measure':
        this.#pass(operation.qubits, undefined, Z_AXIS);
        return;
      case 'reset':
      case 'barrier':
        this.#pass(operation.qubits, undefined, 0);
        return;
    }
  }

  finish(): readonly Operation[] {
    for (const [qubit, run] of this.#runs.entries())
      if (run !== undefined) this.#settle(qubit, run);
    const left = this.#slots.filter((operation) => operation !== undefined);
    const phase = phaseOn([], this.#phase, {});
    return phase === undefined ? left : [phase, ...left];
  }

  /** Records operations after the runs on these qubits. */
  #pass(qubits: readonly Qubit[], axes: readonly Axes[] | undefined, all: Axes = 0): void {
    for (const [i, qubit] of qubits.entries()) {
      const run = this.#runs[qubit];
      if (run !== undefined) run.axesSince &= axes?.[i] ?? all;
    }
  }

  /** Multiplies a gate into the run on its qubit, at the position of either that both can move to. */
  #extend(operation: GateLike, slot: number): void {
    const qubit = operation.targets[0]!;
    const run = this.#runs[qubit];
    const matrix = matrixOf(operation);
    const axes = axesOn(matrix, 0);
    if (run !== undefined) {
      const isNext = run.axesSince === ALL_AXES;
      const isBack = isNext || (axes & run.axesSince) !== 0;
      const isForth = (run.axes & run.axesSince) !== 0;
      if (isBack || isForth) {
        const product = multiply(matrix, run.matrix);
        run.members.push(operation);
        this.#slots[isBack ? slot : run.slot] = undefined;
        this.#runs[qubit] = {
          matrix: product,
          axes: axesOn(product, 0),
          slot: isBack ? run.slot : slot,
          members: run.members,
          axesSince: isBack ? run.axesSince : ALL_AXES,
        };
        return;
      }
      this.#settle(qubit, run);
    }
    this.#runs[qubit] = { matrix, axes, slot, members: [operation], axesSince: ALL_AXES };
  }

  /** Writes a run; a single gate is in its place already. */
  #settle(qubit: Qubit, { matrix, slot, members }: Run): void {
    this.#runs[qubit] = undefined;
    if (members.length === 1) return;
    const source = productSource(members, [qubit]);
    if (source !== undefined) {
      const exact = matrix.map((part) => (Math.abs(part) < NEGLIGIBLE ? 0 : part));
      this.#slots[slot] = derivedUnitary(exact, [qubit], source);
      return;
    }
    const phase = phaseOf(matrix[0]!, matrix[1]!);
    if (phase !== undefined && isNearIdentity(turned(matrix, -phase))) {
      this.#phase = sumOfAngles(this.#phase, phase);
      this.#slots[slot] = undefined;
      return;
    }
    this.#slots[slot] = operationOf(matrix, { controls: [], targets: [qubit] });
  }
}

function isAlone({ controls, targets, condition }: GateLike): boolean {
  return controls.length === 0 && targets.length === 1 && condition === undefined;
}

/** Multiplies a matrix by e^{i·angle}. */
function turned(matrix: ComplexMatrix, angle: number): ComplexMatrix {
  const factor = identity(2);
  for (const i of [0, 6]) {
    factor[i] = Math.cos(angle);
    factor[i + 1] = Math.sin(angle);
  }
  return multiply(factor, matrix);
}
