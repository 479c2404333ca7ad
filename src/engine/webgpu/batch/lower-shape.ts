/**
 * Compiles a batch shape into operations of the kernel. SWAPs only relabel qubits. A rotation
 * between basis states that differ in several bits becomes one between states that differ in one
 * bit, inside controlled flips.
 */
import type { Circuit, GateOperation, Qubit, UnitaryOperation } from '../../../circuit/circuit.ts';
import { gateNamed } from '../../../circuit/gates.ts';
import { type ComplexMatrix, dimension, monomialRows } from '../../../math/complex-matrix.ts';
import {
  RECIPES,
  type RecipeAngle,
  type RecipePart,
  rowSubcube,
  type Subcube,
} from '../../batch-recipes.ts';
import { type Complex, isOne, ONE, phaseOf } from '../../complex.ts';
import { type Factor, type HalfAngle, OperationList } from './batch-operations.ts';

/** A shape compiled into operations. */
export interface LoweredShape {
  readonly list: OperationList;
  readonly numAngles: number;
  /** wires[q] is the final place of logical qubit q. */
  readonly wires: readonly Qubit[];
}

/** The places of an operation's qubits. */
interface Operands {
  readonly controls: number;
  readonly targets: readonly Qubit[];
}

/** Compiles a circuit without conditions; skips measurements and barriers. */
export function lowerShape(shape: Circuit): LoweredShape {
  const lowering = new Lowering(shape.numQubits);
  for (const operation of shape.operations) {
    if (operation.kind === 'gate') lowering.addGate(operation);
    else if (operation.kind === 'unitary') lowering.addUnitary(operation);
  }
  return lowering.lowered();
}

class Lowering {
  readonly #list = new OperationList();
  readonly #wires: Qubit[];
  #numAngles = 0;

  constructor(numQubits: number) {
    this.#wires = Array.from({ length: numQubits }, (_, qubit) => qubit);
  }

  lowered(): LoweredShape {
    return { list: this.#list, numAngles: this.#numAngles, wires: this.#wires };
  }

  addGate(operation: GateOperation): void {
    const definition = gateNamed(operation.gate);
    const slot = this.#numAngles;
    this.#numAngles += definition.parameters.length;
    if (definition.parameters.length === 0) {
      this.#addMatrix(operation, definition.matrix([]));
      return;
    }
    const recipe = RECIPES[definition.name];
    if (recipe === undefined) {
      throw new Error(`unreachable: gate ${definition.name} has angles and no recipe`);
    }
    const operands = this.#placed(operation);
    for (const part of recipe) this.#addPart(operands, part, slot);
  }

  addUnitary(operation: UnitaryOperation): void {
    this.#addMatrix(operation, operation.matrix);
  }

  #placed({ controls, targets }: Pick<GateOperation, 'controls' | 'targets'>): Operands {
    return {
      controls: controls.reduce((mask, qubit) => mask | (1 << this.#wires[qubit]!), 0),
      targets: targets.map((qubit) => this.#wires[qubit]!),
    };
  }

  #addMatrix(operation: GateOperation | UnitaryOperation, matrix: ComplexMatrix): void {
    const { controls, targets } = operation;
    if (controls.length === 0 && isSwap(matrix)) {
      const [a, b] = [targets[0]!, targets[1]!];
      [this.#wires[a], this.#wires[b]] = [this.#wires[b]!, this.#wires[a]!];
      return;
    }
    const operands = this.#placed(operation);
    if (targets.length === 1 && monomialRows(matrix) === undefined) {
      // A separate phase would only be multiplied back into the matrix.
      const pivot = operands.targets[0]!;
      const at = without(rowOf(operands, 0), pivot);
      this.#addMix(at, pivot, { kind: 'constant', matrix: entriesOf(matrix) });
      return;
    }
    const { phases, matrices } = twoLevelFactors(matrix);
    const [first, ...others] = phases;
    if (first !== undefined && others.every((phase) => isSame(phase, first))) {
      this.#addPhase({ mask: operands.controls, value: operands.controls }, first);
    } else {
      for (const [row, phase] of phases.entries()) this.#addPhase(rowOf(operands, row), phase);
    }
    for (const { from, to, matrix: entries } of matrices) {
      const pivot = operands.targets[31 - Math.clz32(from ^ to)]!;
      const at = without(rowOf(operands, from), pivot);
      const [a, b, c, d] = entries;
      const isFlip = isSame(a, ZERO) && isSame(d, ZERO) && isOne(b) && isOne(c);
      if (isFlip) this.#list.addFlip({ kind: 'flip', pivot, ...at });
      else this.#addMix(at, pivot, { kind: 'constant', matrix: entries });
    }
  }

  #addPart(operands: Operands, part: RecipePart, slot: number): void {
    if (part.kind === 'phase') {
      const { controls } = operands;
      const at =
        part.row === 'all' ? { mask: controls, value: controls } : rowOf(operands, part.row);
      if (part.angle.kind === 'fixed') this.#addPhase(at, phaseOf(part.angle.radians));
      else this.#addPhase(at, ONE, [halfAngle(part.angle, slot)]);
      return;
    }
    const [from, to] = part.rows;
    const differing = from ^ to;
    const highest = 31 - Math.clz32(differing);
    const pivot = operands.targets[highest]!;
    const control = 1 << pivot;
    const others = operands.targets.filter((_, i) => i !== highest && ((differing >> i) & 1) === 1);
    const flipOthers = () => {
      for (const other of others) {
        this.#list.addFlip({ kind: 'flip', pivot: other, mask: control, value: control });
      }
    };
    const isReversed = ((from >> highest) & 1) === 1;
    // The flips do not change the row in which the pivot is 0.
    const at = without(rowOf(operands, isReversed ? to : from), pivot);
    flipOthers();
    this.#addMix(at, pivot, turnOf(part.kind, part.angle, slot, isReversed));
    flipOthers();
  }

  #addMix(at: Subcube, pivot: Qubit, factor: Factor): void {
    this.#list.addMix({ kind: 'mix', pivot, ...at, factors: [factor] });
  }

  #addPhase(at: Subcube, factor: Complex, angles: readonly HalfAngle[] = []): void {
    this.#list.addPhase({ kind: 'phase', ...at, factor, angles });
  }
}

const ZERO: Complex = { re: 0, im: 0 };

function rowOf({ controls, targets }: Operands, row: number): Subcube {
  return rowSubcube(controls, targets, row);
}

/** The same subcube with both values of a qubit. */
function without({ mask, value }: Subcube, qubit: Qubit): Subcube {
  return { mask: mask & ~(1 << qubit), value: value & ~(1 << qubit) };
}

function turnOf(
  kind: 'turnX' | 'turnY',
  angle: RecipeAngle,
  slot: number,
  isReversed: boolean,
): Factor {
  const sign = isReversed && kind === 'turnY' ? -1 : 1;
  if (angle.kind === 'parameter') {
    const { multiple, ...own } = halfAngle(angle, slot);
    return { kind, angle: { ...own, multiple: sign * multiple } };
  }
  const { re: cosine, im: sine } = phaseOf(sign * angle.radians);
  const c = { re: cosine, im: 0 };
  const turn = (re: number, im: number) => ({ re, im });
  return kind === 'turnX'
    ? { kind: 'constant', matrix: [c, turn(0, -sine), turn(0, -sine), c] }
    : { kind: 'constant', matrix: [c, turn(-sine, 0), turn(sine, 0), c] };
}

function halfAngle(angle: RecipeAngle & { kind: 'parameter' }, slot: number): HalfAngle {
  const multiple = 2 * angle.factor;
  if (!Number.isInteger(multiple)) throw new Error('unreachable: a part of half an angle');
  return { slot: slot + angle.index, multiple };
}

function isSwap(matrix: ComplexMatrix): boolean {
  if (dimension(matrix) !== 4 || monomialRows(matrix)?.join() !== '0,2,1,3') return false;
  return [0, 6, 9, 15].every((entry) => matrix[2 * entry] === 1);
}

function entriesOf(m: ComplexMatrix): readonly [Complex, Complex, Complex, Complex] {
  return [
    { re: m[0]!, im: m[1]! },
    { re: m[2]!, im: m[3]! },
    { re: m[4]!, im: m[5]! },
    { re: m[6]!, im: m[7]! },
  ];
}

function isSame(a: Complex, b: Complex): boolean {
  return a.re === b.re && a.im === b.im;
}

// Any unitary as 2×2 matrices between rows that differ in one bit, after phases of single rows.
//
// Entries are eliminated column by column, in the order of a Gray code, in which neighbours differ in
// one bit; zeros cost nothing, so permutations and blocks stay short. A k-qubit unitary takes at most
// 2^(k−1)·(2^k − 1) matrices.
//
// @see Nielsen & Chuang, section 4.5.1 (two-level unitary gates are universal).

/** A matrix on two rows, row-major; `from` has a 0 where `to` has a 1, and else the same bits. */
export interface TwoLevelMatrix {
  readonly from: number;
  readonly to: number;
  readonly matrix: readonly [Complex, Complex, Complex, Complex];
}

/** A unitary taken apart. */
export interface TwoLevelFactors {
  /** By row; acts first. */
  readonly phases: readonly Complex[];
  /** In the order in which they act. */
  readonly matrices: readonly TwoLevelMatrix[];
}

/** Entries below this are rounding errors of 0. */
const ROUNDING = 1e-14;

/** Factors a unitary: it equals the last matrix · … · the first · the phases. */
export function twoLevelFactors(unitary: ComplexMatrix): TwoLevelFactors {
  const numRows = dimension(unitary);
  const rest = Float64Array.from(unitary);
  const gray = Array.from({ length: numRows }, (_, i) => i ^ (i >> 1));
  const eliminated: TwoLevelMatrix[] = [];
  for (let column = 0; column < numRows; column++) {
    for (let i = numRows - 1; i > column; i--) {
      const upper = gray[i - 1]!;
      const lower = gray[i]!;
      const y = entryOf(rest, lower, gray[column]!);
      if (Math.hypot(y.re, y.im) < ROUNDING) continue;
      const x = entryOf(rest, upper, gray[column]!);
      if (Math.hypot(x.re, x.im) < ROUNDING) {
        exchangeRows(rest, upper, lower);
        eliminated.push(ordered(upper, lower, [ZERO, ONE, ONE, ZERO]));
        continue;
      }
      const size = Math.hypot(x.re, x.im, y.re, y.im);
      const a = { re: x.re / size, im: x.im / size };
      const b = { re: y.re / size, im: y.im / size };
      // [[a*, b*], [−b, a]] maps (x, y) to (size, 0); its inverse is a factor of the unitary.
      turnRows(rest, upper, lower, a, b);
      eliminated.push(ordered(upper, lower, [a, negated(conjugate(b)), b, conjugate(a)]));
    }
  }
  const phases = Array.from({ length: numRows }, (_, row) => entryOf(rest, row, row));
  return { phases, matrices: eliminated.reverse() };
}

function exchangeRows(m: ComplexMatrix, upper: number, lower: number): void {
  const length = 2 * dimension(m);
  const before = m.slice(upper * length, (upper + 1) * length);
  m.copyWithin(upper * length, lower * length, (lower + 1) * length);
  m.set(before, lower * length);
}

/** Multiplies two rows by [[a*, b*], [−b, a]] from the left. */
function turnRows(m: ComplexMatrix, upper: number, lower: number, a: Complex, b: Complex): void {
  const numRows = dimension(m);
  for (let column = 0; column < numRows; column++) {
    const x = entryOf(m, upper, column);
    const y = entryOf(m, lower, column);
    const u = 2 * (upper * numRows + column);
    const l = 2 * (lower * numRows + column);
    m[u] = a.re * x.re + a.im * x.im + b.re * y.re + b.im * y.im;
    m[u + 1] = a.re * x.im - a.im * x.re + b.re * y.im - b.im * y.re;
    m[l] = a.re * y.re - a.im * y.im - b.re * x.re + b.im * x.im;
    m[l + 1] = a.re * y.im + a.im * y.re - b.re * x.im - b.im * x.re;
  }
}

/** Orders the rows ascending, so that `from` has the bit's 0. */
function ordered(
  upper: number,
  lower: number,
  [a, b, c, d]: TwoLevelMatrix['matrix'],
): TwoLevelMatrix {
  return upper < lower
    ? { from: upper, to: lower, matrix: [a, b, c, d] }
    : { from: lower, to: upper, matrix: [d, c, b, a] };
}

function entryOf(matrix: ComplexMatrix, row: number, column: number): Complex {
  const i = 2 * (row * dimension(matrix) + column);
  return { re: matrix[i]!, im: matrix[i + 1]! };
}

function conjugate({ re, im }: Complex): Complex {
  return { re, im: -im };
}

function negated({ re, im }: Complex): Complex {
  return { re: -re, im: -im };
}
