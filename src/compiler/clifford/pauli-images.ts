/**
 * Clifford gates by what they do to Pauli strings: U·P·U† for each X and Z. A matrix is Clifford if all of these are
 * Pauli strings; its phase does not matter.
 *
 * Bit i of a mask, and of a row of the matrix, is the gate's operand i.
 */

import type { GateOperation, UnitaryOperation } from '../../circuit/circuit.ts';
import { matrixOfOperations, targetMatrix } from '../../circuit/operation-matrix.ts';
import { numOnes } from '../../math/basis-index.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import { STABILIZER_OPS } from '../program.ts';

/** Largest deviation of an entry from that of a Pauli string, or of the identity. */
const TOLERANCE = 1e-9;

/** A Pauli string with a sign: X on the qubits of `flips`, Z on those of `signs`, Y on those of both. */
export interface SignedPauli {
  readonly flips: number;
  readonly signs: number;
  readonly isNegative: boolean;
}

/** Images of X on each operand, then of Z on each operand. */
export type PauliImages = readonly SignedPauli[];

/** A gate of a stabilizer program on operands of a gate; `b` is −1 for a gate on one. */
export interface LocalGate {
  readonly op: number;
  readonly a: number;
  readonly b: number;
}

/** The images under a unitary matrix; undefined if it is not Clifford. */
function imagesOf(matrix: ComplexMatrix): PauliImages | undefined {
  const size = dimension(matrix);
  if (!hasEqualModuli(matrix, size)) return undefined;
  const inverse = adjoint(matrix);
  const images: SignedPauli[] = [];
  for (const isZ of [false, true]) {
    for (let bit = 1; bit < size; bit *= 2) {
      const image = pauliOf(multiply(timesGenerator(matrix, size, bit, isZ), inverse), size);
      if (image === undefined) return undefined;
      images.push(image);
    }
  }
  return images;
}

/** Whether all entries of the first column that are not 0 have one modulus, as in every Clifford matrix. */
function hasEqualModuli(matrix: ComplexMatrix, size: number): boolean {
  const squares = Array.from({ length: size }, (_, row) => {
    const at = 2 * row * size;
    return matrix[at]! ** 2 + matrix[at + 1]! ** 2;
  });
  const largest = Math.max(...squares);
  return squares.every((square) => square < TOLERANCE || Math.abs(square - largest) < TOLERANCE);
}

/** The matrix times X, or Z, on the operand of a bit. */
function timesGenerator(
  matrix: ComplexMatrix,
  size: number,
  bit: number,
  isZ: boolean,
): ComplexMatrix {
  const out = new Float64Array(matrix.length);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const from = 2 * (row * size + (isZ ? column : column ^ bit));
      const sign = isZ && (column & bit) !== 0 ? -1 : 1;
      out[2 * (row * size + column)] = sign * matrix[from]!;
      out[2 * (row * size + column) + 1] = sign * matrix[from + 1]!;
    }
  }
  return out;
}

/** The Pauli string that a Hermitian unitary matrix is, within the tolerance. */
function pauliOf(matrix: ComplexMatrix, size: number): SignedPauli | undefined {
  let flips = 0;
  while (flips < size && modulus(matrix, flips * size) < 0.5) flips++;
  if (flips === size) return undefined;
  const [re, im] = [matrix[2 * flips * size]!, matrix[2 * flips * size + 1]!];
  let signs = 0;
  for (let bit = 1; bit < size; bit *= 2) {
    const at = 2 * ((bit ^ flips) * size + bit);
    if (re * matrix[at]! + im * matrix[at + 1]! < 0) signs |= bit;
  }
  // Y = i·X·Z: column 0 has i to the number of Ys.
  const turns = numOnes(flips & signs) % 4;
  const expected = [1, 0, -1, 0];
  const [baseRe, baseIm] = [expected[turns]!, expected[(turns + 3) % 4]!];
  const isNegative = baseRe * re + baseIm * im < 0;
  const scale = isNegative ? -1 : 1;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const isEntry = row === (column ^ flips);
      const sign = numOnes(column & signs) % 2 === 0 ? scale : -scale;
      const at = 2 * (row * size + column);
      const wrong = Math.max(
        Math.abs(matrix[at]! - (isEntry ? sign * baseRe : 0)),
        Math.abs(matrix[at + 1]! - (isEntry ? sign * baseIm : 0)),
      );
      // Written so that NaN is wrong, too.
      if (!(wrong < TOLERANCE)) return undefined;
    }
  }
  return { flips, signs, isNegative };
}

const modulus = (matrix: ComplexMatrix, entry: number): number =>
  Math.hypot(matrix[2 * entry]!, matrix[2 * entry + 1]!);

const { x, y, z, h, s, sdg, cx, cz, swap } = STABILIZER_OPS;

/** The Pauli string after a gate. */
function conjugated(
  { flips, signs, isNegative }: SignedPauli,
  { op, a, b }: LocalGate,
): SignedPauli {
  const [xa, za, xb, zb] = [flips >> a, signs >> a, flips >> b, signs >> b].map((word) => word & 1);
  const at = { flips, signs, isNegative };
  const turned = (isTurned: number) => isNegative !== (isTurned === 1);
  switch (op) {
    case x:
      return { ...at, isNegative: turned(za!) };
    case y:
      return { ...at, isNegative: turned(xa! ^ za!) };
    case z:
      return { ...at, isNegative: turned(xa!) };
    case h: {
      const differs = (xa! ^ za!) << a;
      const isNegativeNow = turned(xa! & za!);
      return { flips: flips ^ differs, signs: signs ^ differs, isNegative: isNegativeNow };
    }
    case s:
      return { flips, signs: signs ^ (xa! << a), isNegative: turned(xa! & za!) };
    case sdg:
      return { flips, signs: signs ^ (xa! << a), isNegative: turned(xa! & (za! ^ 1)) };
    case cx:
      return {
        flips: flips ^ (xa! << b),
        signs: signs ^ (zb! << a),
        isNegative: turned(xa! & zb! & (xb! ^ za! ^ 1)),
      };
    case cz:
      return {
        flips,
        signs: signs ^ (xa! << b) ^ (xb! << a),
        isNegative: turned(xa! & xb! & (za! ^ zb!)),
      };
    default: {
      const [flipsDiffer, signsDiffer] = [xa! ^ xb!, za! ^ zb!];
      return {
        flips: flips ^ (flipsDiffer << a) ^ (flipsDiffer << b),
        signs: signs ^ (signsDiffer << a) ^ (signsDiffer << b),
        isNegative,
      };
    }
  }
}

/** Images of X and Z under no gate at all. */
function identityImages(numQubits: number): SignedPauli[] {
  const bits = Array.from({ length: numQubits }, (_, i) => 1 << i);
  return [
    ...bits.map((bit) => ({ flips: bit, signs: 0, isNegative: false })),
    ...bits.map((bit) => ({ flips: 0, signs: bit, isNegative: false })),
  ];
}

/** Gates on two operands that programs have themselves. */
const PAIR_GATES: readonly LocalGate[] = [
  { op: cx, a: 0, b: 1 },
  { op: cx, a: 1, b: 0 },
  { op: cz, a: 0, b: 1 },
  { op: swap, a: 0, b: 1 },
];

/** Gates with given images, in order: as few as possible on one operand, and the gate itself where a program has it. */
function gatesWith(images: PauliImages): readonly LocalGate[] {
  const numQubits = images.length / 2;
  if (numQubits === 1) return oneQubitGates().get(keyOf(images))!;
  for (const gate of numQubits === 2 ? [undefined, ...PAIR_GATES] : [undefined]) {
    const gates = gate === undefined ? [] : [gate];
    const plain = imagesAfter(identityImages(numQubits), gates);
    if (!plain.every(({ flips, signs }, i) => isAt(images[i]!, flips, signs))) continue;
    return [...gates, ...paulisBetween(plain, images)];
  }
  return eliminated(images);
}

const isAt = (pauli: SignedPauli, flips: number, signs: number) =>
  pauli.flips === flips && pauli.signs === signs;

const imagesAfter = (images: PauliImages, gates: readonly LocalGate[]): PauliImages =>
  images.map((image) => gates.reduce(conjugated, image));

const keyOf = (images: PauliImages): string =>
  images.map(({ flips, signs, isNegative }) => `${flips} ${signs} ${isNegative}`).join();

let oneQubit: ReadonlyMap<string, readonly LocalGate[]> | undefined;

/** Shortest lists of gates for each of the 24 Clifford gates on one qubit. */
function oneQubitGates(): ReadonlyMap<string, readonly LocalGate[]> {
  if (oneQubit !== undefined) return oneQubit;
  const start = identityImages(1);
  const found = new Map<string, readonly LocalGate[]>([[keyOf(start), []]]);
  // A map visits the entries that are added while it is walked: a search in breadth.
  for (const gates of found.values()) {
    for (const op of [x, y, z, h, s, sdg]) {
      const longer = [...gates, { op, a: 0, b: -1 }];
      const key = keyOf(imagesAfter(start, longer));
      if (!found.has(key)) found.set(key, longer);
    }
  }
  oneQubit = found;
  return found;
}

/** Paulis that turn the signs of some images into those of others, which are the same strings. */
function paulisBetween(from: PauliImages, to: PauliImages): readonly LocalGate[] {
  const numQubits = from.length / 2;
  const gates: LocalGate[] = [];
  // The Pauli that anticommutes with the image of X on qubit j alone is the image of Z on j, and the other way around.
  let [flips, signs] = [0, 0];
  for (const [i, image] of from.entries()) {
    if (image.isNegative === to[i]!.isNegative) continue;
    const partner = from[(i + numQubits) % (2 * numQubits)]!;
    flips ^= partner.flips;
    signs ^= partner.signs;
  }
  for (let a = 0; a < numQubits; a++) {
    const [isX, isZ] = [(flips >> a) & 1, (signs >> a) & 1];
    if (isX + isZ > 0) gates.push({ op: isX === 0 ? z : isZ === 0 ? x : y, a, b: -1 });
  }
  return gates;
}

/**
 * Gates with given images, by Gaussian elimination: gates that bring the images back to X and Z, inverted.
 *
 * @see Aaronson & Gottesman, "Improved simulation of stabilizer circuits", 2004.
 */
function eliminated(images: PauliImages): readonly LocalGate[] {
  const numQubits = images.length / 2;
  const steps: LocalGate[] = [];
  let current = images;
  const apply = (op: number, a: number, b = -1) => {
    const gate = { op, a, b };
    steps.push(gate);
    current = imagesAfter(current, [gate]);
  };
  /** Turns the letter that an image has on a qubit into X. */
  const turnToX = (index: number, qubit: number) => {
    const { flips, signs } = current[index]!;
    if (((signs >> qubit) & 1) === 0) return;
    apply(((flips >> qubit) & 1) === 1 ? s : h, qubit);
  };
  const isFlipped = (index: number, qubit: number) => ((current[index]!.flips >> qubit) & 1) === 1;
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  for (const j of qubits) {
    const rest = qubits.slice(j);
    for (const qubit of rest) turnToX(j, qubit);
    const first = rest.find((qubit) => isFlipped(j, qubit))!;
    if (first !== j) apply(swap, first, j);
    for (const qubit of rest.slice(1)) if (isFlipped(j, qubit)) apply(cx, j, qubit);
    // X on qubit j does not change from here on.
    if (isFlipped(numQubits + j, j)) {
      apply(h, j);
      apply(s, j);
      apply(h, j);
    }
    for (const qubit of rest.slice(1)) {
      turnToX(numQubits + j, qubit);
      if (!isFlipped(numQubits + j, qubit)) continue;
      apply(h, qubit);
      apply(cx, qubit, j);
    }
  }
  for (const { op, a } of paulisBetween(current, identityImages(numQubits))) apply(op, a);
  return steps.reverse().map((gate) => (gate.op === s ? { ...gate, op: sdg } : gate));
}

/** Operands, controls included, up to which the whole matrix of a gate is looked at. */
const MAX_OPERANDS = 6;
/** Under more controls than this a gate is Clifford only if it does nothing. */
const MAX_CONTROLS = 2;
/** Gates that are remembered; a circuit of random angles would fill the memory. */
const MAX_KNOWN = 10_000;

/** The gates that a gate is, on its operands, controls first; undefined if it is not Clifford. */
export type CliffordGates = readonly LocalGate[] | undefined;

/** Recognises the Clifford gates of one circuit. */
export class CliffordRecognition {
  readonly #byName = new Map<string, CliffordGates>();
  readonly #byMatrix = new Map<ComplexMatrix, Map<number, CliffordGates>>();

  /** The gates that a gate is, on its operands, controls first; undefined if it is not Clifford. */
  gatesOf(operation: GateOperation | UnitaryOperation): CliffordGates {
    const numControls = operation.controls.length;
    if (operation.kind === 'gate') {
      const key = `${operation.gate} ${numControls} ${operation.angles}`;
      const known = this.#byName.get(key);
      if (known !== undefined || this.#byName.has(key)) return known;
      const gates = gatesOf(operation);
      if (this.#byName.size < MAX_KNOWN) this.#byName.set(key, gates);
      return gates;
    }
    let known = this.#byMatrix.get(operation.matrix);
    if (known === undefined) {
      known = new Map();
      this.#byMatrix.set(operation.matrix, known);
    }
    if (!known.has(numControls)) known.set(numControls, gatesOf(operation));
    return known.get(numControls);
  }
}

function gatesOf(operation: GateOperation | UnitaryOperation): CliffordGates {
  const numControls = operation.controls.length;
  const matrix = targetMatrix(operation);
  const numOperands = numControls + Math.log2(dimension(matrix));
  if (numControls > MAX_CONTROLS || numOperands > MAX_OPERANDS) {
    const isNothing = maxAbsDifference(matrix, identity(dimension(matrix))) < TOLERANCE;
    return isNothing ? [] : undefined;
  }
  const operands = Array.from({ length: numOperands }, (_, i) => i);
  const local: UnitaryOperation = {
    kind: 'unitary',
    controls: operands.slice(0, numControls),
    targets: operands.slice(numControls),
    matrix,
  };
  const images = imagesOf(matrixOfOperations([local], numOperands));
  return images === undefined ? undefined : gatesWith(images);
}
