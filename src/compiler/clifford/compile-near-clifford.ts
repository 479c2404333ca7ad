/**
 * Compiles a circuit that is Clifford but for a few gates. Each other gate is a product of rotations about Pauli
 * strings. The Clifford gates are moved behind all rotations, which then act on few core qubits.
 *
 * From |0…0⟩, rotations reach the basis states whose bits are sums modulo 2 of the flips of their strings. A basis of
 * these sums with k elements makes them the basis states of k core qubits.
 *
 * @see Bravyi, Smith & Smolin, "Trading classical and quantum computational resources", 2016.
 */
import {
  type DynamicCircuit,
  type GateOperation,
  operationQubits,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { eulerAngles } from '../../circuit/gate-matrices.ts';
import type { PauliFactor } from '../../circuit/observable.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import {
  beforeCircuit,
  hasBit,
  identityTableau,
  masksOf,
  multiplyRow,
  type PauliRows,
  stringOn,
} from '../../circuit/pauli-rows.ts';
import { hasOddParity, numOnes } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension, isDiagonal } from '../../math/complex-matrix.ts';
import { type NearCliffordProgram, STABILIZER_OPS } from '../program.ts';
import { CliffordRecognition, type LocalGate } from './pauli-images.ts';

/** Operands up to which a gate is written as rotations; it has at most 2^operands of them. */
const MAX_OPERANDS = 6;
/** Rotations of a program; each takes two bits a qubit while a circuit is compiled. */
export const MAX_ROTATIONS = 10_000;
const NO_LIMIT = Number.POSITIVE_INFINITY;
const TOLERANCE = 1e-12;
const QUARTER = Math.PI / 2;
/** Units of work of a gate, beside its rows: its recognition, and for another gate its rotations. */
const GATE_UNITS = 500;
const OTHER_GATE_UNITS = 5000;

/** Limits of compiling. */
export interface NearCliffordLimits {
  /** At most 30. */
  readonly maxCoreQubits: number;
  /** Rotations times 2^core qubits; no limit unless given. */
  readonly maxUpdates?: number;
  /** Units of work, of about 1 ns each; no limit unless given. */
  readonly maxUnits?: number;
}

/** Why a circuit has no near-Clifford program. */
export type NotNearCliffordReason =
  /** An operation that is no plain gate or trailing measurement, or a gate that is not written as rotations. */
  | { readonly kind: 'unsupported-operation'; readonly place: number }
  /** The rotations reach more core qubits than allowed, this many up to the gate at which compiling ended. */
  | { readonly kind: 'wide-core'; readonly numCoreQubits: number }
  /** There are more than 10,000 rotations, or more updates than allowed. */
  | { readonly kind: 'many-rotations' }
  /** Compiling needs more than the units of work that it may take. */
  | { readonly kind: 'long' };

/** Compiles a circuit without noise whose measurements come last. */
export function compileNearClifford(
  { numQubits, numBits, operations }: DynamicCircuit,
  limits: NearCliffordLimits,
): NearCliffordProgram | NotNearCliffordReason {
  const { maxCoreQubits, maxUpdates = NO_LIMIT, maxUnits = NO_LIMIT } = limits;
  const tableauUnits = numQubits ** 2 / 8;
  if (tableauUnits > maxUnits) return { kind: 'long' };
  const recognition = new CliffordRecognition();
  const writer = new RotationWriter(numQubits);
  const { tableau, basis, rotations } = writer;
  const rowUnits = tableau.rows.numWords * 4;
  const measured = new Map<number, number>();
  const measuredQubits = new Set<number>();
  let units = tableauUnits;
  for (const [place, operation] of operations.entries()) {
    if (operation.kind === 'barrier') continue;
    const unsupported: NotNearCliffordReason = { kind: 'unsupported-operation', place };
    if (operation.kind === 'measure' && operation.condition === undefined) {
      for (const [i, qubit] of operation.qubits.entries()) {
        // Nothing reads a scratch bit.
        if (operation.bits[i]! < numBits) measured.set(operation.bits[i]!, qubit);
        measuredQubits.add(qubit);
      }
      continue;
    }
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') return unsupported;
    const qubits = operationQubits(operation);
    if (operation.condition !== undefined || qubits.some((qubit) => measuredQubits.has(qubit))) {
      return unsupported;
    }
    const gates = recognition.gatesOf(operation);
    if (gates !== undefined) {
      for (const gate of gates) tableau.apply(gate, qubits);
      units += GATE_UNITS + gates.length * rowUnits;
    } else {
      const before = rotations.length;
      if (!writer.addGate(operation, qubits)) return unsupported;
      units += OTHER_GATE_UNITS + (rotations.length - before) * rowUnits * (1 + basis.size);
    }
    if (basis.size > maxCoreQubits) return { kind: 'wide-core', numCoreQubits: basis.size };
    if (rotations.length > Math.min(MAX_ROTATIONS, maxUpdates / 2 ** basis.size)) {
      return { kind: 'many-rotations' };
    }
    if (units > maxUnits) return { kind: 'long' };
  }
  units += 2 * numQubits * tableau.rows.numWords * basis.size;
  if (units > maxUnits) return { kind: 'long' };
  basis.makeQubits(tableau.rows);
  return {
    numQubits,
    numBits,
    coreQubits: basis.pivots,
    rotations: rotations.flatMap(({ rows, angle }) => {
      basis.makeQubits(rows);
      const string = stringOn(basis.pivots, rows, 0);
      // Another rotation is a phase.
      return string.flips === 0 && string.signs === 0 ? [] : [{ string, angle }];
    }),
    tableau: tableau.rows,
    measured: [...measured].map(([bit, qubit]) => ({ bit, qubit })),
  };
}

/** Basis of the sums of flips, in reduced echelon form: only element i has the bit of pivot i. */
class FlipBasis {
  readonly #elements: Int32Array[] = [];
  readonly pivots: number[] = [];

  get size(): number {
    return this.pivots.length;
  }

  /** Adds the flips of a string. */
  add(flips: Int32Array): void {
    const rest = flips.slice();
    for (const [i, element] of this.#elements.entries()) {
      if (hasBit(flips, this.pivots[i]!)) addMask(rest, element);
    }
    const word = rest.findIndex((bits) => bits !== 0);
    if (word < 0) return;
    const pivot = 32 * word + 31 - Math.clz32(rest[word]! & -rest[word]!);
    for (const element of this.#elements) if (hasBit(element, pivot)) addMask(element, rest);
    this.#elements.push(rest);
    this.pivots.push(pivot);
  }

  /**
   * Changes strings by CX gates that turn each element into a flip of its pivot alone. They do not change |0…0⟩, so
   * they may go before everything.
   */
  makeQubits(rows: PauliRows): void {
    for (let row = 0; row < rows.turns.length; row++) {
      const { flips, signs } = masksOf(rows, row);
      for (const [i, element] of this.#elements.entries()) {
        const pivot = this.pivots[i]!;
        const [word, bit] = [pivot >>> 5, 1 << (pivot & 31)];
        let overlap = 0;
        for (let j = 0; j < signs.length; j++) overlap ^= signs[j]! & element[j]!;
        if (hasOddParity(overlap)) signs[word]! |= bit;
        else signs[word]! &= ~bit;
        if (!hasBit(flips, pivot)) continue;
        addMask(flips, element);
        flips[word]! |= bit;
      }
    }
  }
}

function addMask(to: Int32Array, mask: Int32Array): void {
  for (let i = 0; i < to.length; i++) to[i]! ^= mask[i]!;
}

class RotationWriter {
  readonly tableau: CliffordTableau;
  readonly basis = new FlipBasis();
  readonly rotations: { readonly rows: PauliRows; readonly angle: number }[] = [];

  constructor(numQubits: number) {
    this.tableau = new CliffordTableau(numQubits);
  }

  /** Appends a gate; false if it has too many operands, or several targets and is not diagonal. */
  addGate(operation: GateOperation | UnitaryOperation, qubits: readonly number[]): boolean {
    if (qubits.length > MAX_OPERANDS) return false;
    const matrix = targetMatrix(operation);
    const size = dimension(matrix);
    const numControls = operation.controls.length;
    if (isDiagonal(matrix)) {
      const phases = Array.from({ length: size }, (_, i) => argument(matrix, i * (size + 1)));
      this.#addDiagonal(qubits, numControls, phases);
      return true;
    }
    if (size !== 2) return false;
    const target = qubits[numControls]!;
    const { polar, azimuth, phases } = eigenbasis(matrix);
    this.#rotate([{ pauli: 'Z', qubit: target }], -azimuth);
    this.#rotate([{ pauli: 'Y', qubit: target }], -polar);
    this.#addDiagonal(qubits, numControls, phases);
    this.#rotate([{ pauli: 'Y', qubit: target }], polar);
    this.#rotate([{ pauli: 'Z', qubit: target }], azimuth);
    return true;
  }

  /** Appends a diagonal gate, given by the phases of its targets' basis states, where all controls are 1. */
  #addDiagonal(qubits: readonly number[], numControls: number, phases: readonly number[]): void {
    const size = 2 ** qubits.length;
    const controls = 2 ** numControls - 1;
    for (let set = 1; set < size; set++) {
      // exp(i·c·Z…Z) is a rotation by −2·c; the coefficients c are the Walsh–Hadamard transform of the phases.
      let sum = 0;
      for (const [state, phase] of phases.entries()) {
        const index = controls + state * 2 ** numControls;
        sum += numOnes(index & set) % 2 === 0 ? phase : -phase;
      }
      const members = qubits.filter((_, i) => ((set >> i) & 1) === 1);
      this.#rotate(
        members.map((qubit) => ({ pauli: 'Z', qubit })),
        (-2 * sum) / size,
      );
    }
  }

  #rotate(factors: readonly PauliFactor[], angle: number): void {
    const quarters = Math.round(angle / QUARTER);
    if (Math.abs(angle - quarters * QUARTER) >= TOLERANCE) {
      const rows = beforeCircuit(this.tableau.rows, factors);
      this.basis.add(masksOf(rows, 0).flips);
      this.rotations.push({ rows, angle });
    } else if ((quarters & 3) !== 0) {
      this.tableau.rotate(factors, quarters & 3);
    }
  }
}

const argument = (matrix: ComplexMatrix, entry: number): number =>
  Math.atan2(matrix[2 * entry + 1]!, matrix[2 * entry]!);

/** A unitary on one qubit as V·D·V†: V = RZ(azimuth)·RY(polar), and D is diagonal with the given phases. */
function eigenbasis(matrix: ComplexMatrix) {
  // The matrix is exp(i·delta)·(cos(half) − i·sin(half)·n·σ); x, y and z are sin(half)·n.
  const { theta, phi, lambda, gamma } = eulerAngles(matrix);
  const [sum, difference] = [(lambda + phi) / 2, (lambda - phi) / 2];
  const delta = gamma + sum;
  const [cosine, sine] = [Math.cos(theta / 2), Math.sin(theta / 2)];
  const x = sine * Math.sin(difference);
  const y = sine * Math.cos(difference);
  const z = cosine * Math.sin(sum);
  const half = Math.atan2(Math.hypot(x, y, z), cosine * Math.cos(sum));
  return {
    polar: Math.atan2(Math.hypot(x, y), z),
    azimuth: Math.atan2(y, x),
    phases: [delta - half, delta + half],
  };
}

const { x, y, z, h, s, sdg, cx, cz } = STABILIZER_OPS;

/** U†·P·U for the X and the Z of each qubit, where U is the product of the Clifford gates so far. */
export class CliffordTableau {
  readonly rows: PauliRows;

  constructor(numQubits: number) {
    this.rows = identityTableau(numQubits);
  }

  /** Appends a Clifford gate; its operands are those of `qubits`. */
  apply({ op, a, b }: LocalGate, qubits: readonly number[]): void {
    const [xp, zp] = [2 * qubits[a]!, 2 * qubits[a]! + 1];
    const [xq, zq] = [2 * qubits[b]!, 2 * qubits[b]! + 1];
    switch (op) {
      case x:
        this.#turn(zp, 2);
        break;
      case y:
        this.#turn(xp, 2);
        this.#turn(zp, 2);
        break;
      case z:
        this.#turn(xp, 2);
        break;
      case h:
        this.#swap(xp, zp);
        break;
      case s:
      case sdg:
        this.#multiply(xp, zp);
        this.#turn(xp, op === s ? 3 : 1);
        break;
      case cx:
        this.#multiply(xp, xq);
        this.#multiply(zq, zp);
        break;
      case cz:
        this.#multiply(xp, zq);
        this.#multiply(xq, zp);
        break;
      default:
        this.#swap(xp, xq);
        this.#swap(zp, zq);
    }
  }

  /** Appends the Clifford gate exp(−i·θ/2·P), where θ is a number of quarter turns, 1 to 3. */
  rotate(factors: readonly PauliFactor[], quarters: number): void {
    const string = beforeCircuit(this.rows, factors);
    // A string Q that anticommutes with P becomes Q·(−i·P)^quarters.
    string.turns[0] = (string.turns[0]! + 3) & 3;
    for (const { qubit, pauli } of factors) {
      for (let i = 0; i < quarters; i++) {
        if (pauli !== 'X') multiplyRow(this.rows, 2 * qubit, string, 0);
        if (pauli !== 'Z') multiplyRow(this.rows, 2 * qubit + 1, string, 0);
      }
    }
  }

  #turn(row: number, turns: number): void {
    this.rows.turns[row] = (this.rows.turns[row]! + turns) & 3;
  }

  #multiply(row: number, factor: number): void {
    multiplyRow(this.rows, row, this.rows, factor);
  }

  #swap(row: number, other: number): void {
    const { numWords, words, turns } = this.rows;
    const size = 2 * numWords;
    for (let i = 0; i < size; i++) {
      const word = words[row * size + i]!;
      words[row * size + i] = words[other * size + i]!;
      words[other * size + i] = word;
    }
    [turns[row], turns[other]] = [turns[other]!, turns[row]!];
  }
}
