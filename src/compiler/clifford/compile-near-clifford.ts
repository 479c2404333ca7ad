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
import type { PauliFactor } from '../../circuit/observable.ts';
import {
  beforeCircuit,
  hasBit,
  masksOf,
  type PauliRows,
  stringOn,
} from '../../circuit/pauli-rows.ts';
import { hasOddParity } from '../../math/basis-index.ts';
import type { NearCliffordProgram } from '../program.ts';
import { CliffordTableau } from './clifford-tableau.ts';
import { rotationsOf } from './gate-rotations.ts';
import { CliffordRecognition } from './pauli-images.ts';

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

  /** Appends a gate; false if it is not written as rotations. */
  addGate(operation: GateOperation | UnitaryOperation, qubits: readonly number[]): boolean {
    const rotations = rotationsOf(operation, qubits);
    for (const { factors, angle } of rotations ?? []) this.#rotate(factors, angle);
    return rotations !== undefined;
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
