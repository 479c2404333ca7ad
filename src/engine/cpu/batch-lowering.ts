/**
 * Compiles the shape of a batch into one program for all its circuits.
 *
 * Qubits keep their places and gates their order: a bundle of twelve qubits fits the second-level
 * cache, so sweeps would gain nothing.
 */
import type { Circuit, GateOperation, UnitaryOperation } from '../../circuit/circuit.ts';
import type { GateDefinition } from '../../circuit/gate-definition.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { type ComplexMatrix, dimension, monomialRows } from '../../math/complex-matrix.ts';
import {
  type Recipe,
  type RecipeAngle,
  type RecipePart,
  rowSubcube,
  type Subcube,
} from '../batch-recipes.ts';
import { type Complex, isOne, ONE, over, phaseOf, times } from '../complex.ts';
import { maskOf } from '../work-items.ts';
import { BatchCode, type Coefficients } from './batch-code.ts';
import type { Precision } from './precision.ts';

/** Imaginary parts below this are rounding when a matrix is checked for a simpler form. */
const ROUNDING = 1e-15;

/** A gate without a recipe, whose matrix is computed for each circuit. */
export interface LaneMatrix {
  readonly definition: GateDefinition;
  /** Index of its first angle among those of a circuit. */
  readonly slot: number;
  /** Index of its first entry among those of a bundle, in complex numbers. */
  readonly offset: number;
}

/** A compiled shape. */
export interface LoweredBatch {
  readonly code: BatchCode;
  /** End of the program, without and with the global phase, which shows in amplitudes only. */
  readonly endBytes: number;
  readonly endWithPhaseBytes: number;
  readonly numAngles: number;
  readonly laneMatrices: readonly LaneMatrix[];
  /** Total entries of `laneMatrices`. */
  readonly numLaneEntries: number;
}

/** Compiles a circuit without conditions; skips measurements and barriers. */
export function lowerBatch(
  shape: Circuit,
  precision: Precision,
  recipes: Readonly<Record<string, Recipe>>,
): LoweredBatch {
  const code = new BatchCode(precision, shape.numQubits);
  const lowering = new Lowering(code, recipes);
  for (const operation of shape.operations) {
    if (operation.kind === 'gate') lowering.addGate(operation);
    else if (operation.kind === 'unitary') lowering.addMatrix(operation, operation.matrix);
  }
  return lowering.finish();
}

/** The qubits that an operation acts on. */
type Operands = Pick<GateOperation | UnitaryOperation, 'controls' | 'targets'>;

class Lowering {
  readonly #code: BatchCode;
  readonly #recipes: Readonly<Record<string, Recipe>>;
  readonly #phases: BatchPhases;
  readonly #laneMatrices: LaneMatrix[] = [];
  #numLaneEntries = 0;
  #numAngles = 0;

  constructor(code: BatchCode, recipes: Readonly<Record<string, Recipe>>) {
    this.#code = code;
    this.#recipes = recipes;
    this.#phases = new BatchPhases(code);
  }

  addGate(operation: GateOperation): void {
    const definition = gateNamed(operation.gate);
    const slot = this.#numAngles;
    this.#numAngles += definition.parameters.length;
    const recipe = this.#recipes[definition.name];
    if (definition.parameters.length === 0) this.addMatrix(operation, definition.matrix([]));
    else if (recipe === undefined) this.#addLaneMatrix(operation, definition, slot);
    else for (const part of recipe) this.#addPart(operation, part, slot);
  }

  /** Adds a matrix that is the same in all circuits. */
  addMatrix(operands: Operands, matrix: ComplexMatrix): void {
    const rows = monomialRows(matrix);
    if (rows !== undefined && new Set(rows).size === rows.length) {
      this.#addPermutation(operands, matrix, rows);
    } else if (operands.targets.length === 1) {
      this.#addOneQubitMatrix(operands, matrix);
    } else {
      this.#phases.flush();
      this.#code.dense(rowOf(operands, 0), offsetsOf(operands), matrix);
    }
  }

  finish(): LoweredBatch {
    this.#phases.flush();
    const endBytes = this.#code.codeBytes;
    this.#phases.flushGlobal();
    return {
      code: this.#code,
      endBytes,
      endWithPhaseBytes: this.#code.codeBytes,
      numAngles: this.#numAngles,
      laneMatrices: this.#laneMatrices,
      numLaneEntries: this.#numLaneEntries,
    };
  }

  #addPart(operands: Operands, part: RecipePart, slot: number): void {
    if (part.kind === 'phase') {
      const at = part.row === 'all' ? everywhere(operands) : rowOf(operands, part.row);
      if (part.angle.kind === 'fixed') {
        this.#phases.addConstant(at, phaseOf(part.angle.radians));
      } else {
        const { index, factor } = part.angle;
        this.#phases.addAngle(at, { slot: slot + index, factor });
      }
      return;
    }
    this.#phases.flush();
    const [from, to] = part.rows;
    const at = rowOf(operands, from);
    const partner = rowOf(operands, to).value;
    if (part.kind === 'turnX') {
      this.#code.turnX(
        at,
        partner,
        this.#turn(part.angle, slot, ({ re, im }) => [re, im]),
      );
    } else {
      const rotation = ({ re, im }: Complex) => [re, -im, im, re];
      this.#code.mix(at, partner, this.#turn(part.angle, slot, rotation));
    }
  }

  #turn(
    angle: RecipeAngle,
    slot: number,
    constants: (turn: Complex) => readonly number[],
  ): Coefficients {
    if (angle.kind === 'fixed') return constants(phaseOf(angle.radians));
    return this.#phases.load({ slot: slot + angle.index, factor: angle.factor });
  }

  #addLaneMatrix(operands: Operands, definition: GateDefinition, slot: number): void {
    const offset = this.#numLaneEntries;
    this.#phases.flush();
    this.#code.denseLanes(rowOf(operands, 0), offsetsOf(operands), offset);
    this.#laneMatrices.push({ definition, slot, offset });
    this.#numLaneEntries += 4 ** operands.targets.length;
  }

  /** Adds the cycles of a permutation, then the phases of entries other than 1. */
  #addPermutation(operands: Operands, matrix: ComplexMatrix, rows: readonly number[]): void {
    const done = new Set<number>();
    for (const start of rows.keys()) {
      const cycle: number[] = [];
      for (let row = start; !done.has(row); row = rows[row]!) {
        done.add(row);
        cycle.push(row);
      }
      if (cycle.length < 2) continue;
      this.#phases.flush();
      const values = cycle.map((row) => rowOf(operands, row).value);
      this.#code.cycle(everyQubitOf(operands), values);
    }
    for (const [column, row] of rows.entries()) {
      this.#phases.addConstant(rowOf(operands, row), entryOf(matrix, row, column));
    }
  }

  /** Adds a 2×2 matrix as a real matrix, a rotation about X, or a real matrix between phases. */
  #addOneQubitMatrix(operands: Operands, matrix: ComplexMatrix): void {
    const at = rowOf(operands, 0);
    const lower = rowOf(operands, 1);
    const entries = [0, 1, 2, 3].map((i) => entryOf(matrix, i >> 1, i & 1));
    if (entries.every(({ im }) => im === 0)) {
      this.#phases.flush();
      this.#code.mix(
        at,
        lower.value,
        entries.map(({ re }) => re),
      );
      return;
    }
    const scale = unit(entries[0]!);
    const [a, b, c, d] = entries.map((entry) => over(entry, scale)) as [
      Complex,
      Complex,
      Complex,
      Complex,
    ];
    const isTurnX =
      isClose(a, d) && isClose(b, c) && Math.abs(a.im) < ROUNDING && Math.abs(b.re) < ROUNDING;
    if (isTurnX) {
      this.#phases.flush();
      this.#code.turnX(at, lower.value, [a.re, -b.im]);
    } else {
      // [[a, b], [c, d]] = diag(1, after) · [[a, −|b|], [|c|, d/(after·before)]] · diag(1, before).
      const before = unit({ re: -b.re, im: -b.im });
      const after = unit(c);
      const corner = over(over(d, before), after);
      this.#phases.addConstant(lower, before);
      this.#phases.flush();
      this.#code.mix(at, lower.value, [a.re, -size(b), size(c), corner.re]);
      this.#phases.addConstant(lower, after);
    }
    this.#phases.addConstant(everywhere(operands), scale);
  }
}

function rowOf({ controls, targets }: Operands, row: number): Subcube {
  return rowSubcube(maskOf(controls), targets, row);
}

/** The basis states in which the controls are 1. */
function everywhere({ controls }: Operands): Subcube {
  return { mask: maskOf(controls), value: maskOf(controls) };
}

function everyQubitOf({ controls, targets }: Operands): number {
  return maskOf(controls) | maskOf(targets);
}

/** For each row of a matrix on the targets, its bits of the basis index. */
function offsetsOf({ targets }: Operands): readonly number[] {
  const numRows = 2 ** targets.length;
  return Array.from({ length: numRows }, (_, row) => rowOf({ controls: [], targets }, row).value);
}

function entryOf(matrix: ComplexMatrix, row: number, column: number): Complex {
  const i = 2 * (row * dimension(matrix) + column);
  return { re: matrix[i]!, im: matrix[i + 1]! };
}

function size({ re, im }: Complex): number {
  return Math.hypot(re, im);
}

/** The phase of a number; 1 for 0. */
function unit(value: Complex): Complex {
  const length = size(value);
  return length === 0 ? ONE : { re: value.re / length, im: value.im / length };
}

function isClose(a: Complex, b: Complex): boolean {
  return Math.abs(a.re - b.re) < ROUNDING && Math.abs(a.im - b.im) < ROUNDING;
}

// Pending phases of a batch. Phases commute, so those on the same subcube merge, and all are
// applied only before an operation that moves amplitudes.

/** An angle of the request times a factor. */
export interface SlotAngle {
  readonly slot: number;
  readonly factor: number;
}

/** Product of phases on one subcube. */
interface Pending {
  readonly at: Subcube;
  constant: Complex;
  readonly angles: SlotAngle[];
}

/** Collects phases and writes them; loads the coefficients of angles. */
export class BatchPhases {
  readonly #code: BatchCode;
  readonly #pending = new Map<string, Pending>();
  /** Global phase; it shows only if amplitudes are requested. */
  readonly #global: Pending = { at: { mask: 0, value: 0 }, constant: ONE, angles: [] };
  /** The current angle of the program; rotations of one gate share it. */
  #current: SlotAngle | undefined;

  constructor(code: BatchCode) {
    this.#code = code;
  }

  /** Multiplies a subcube by a constant. */
  addConstant(at: Subcube, factor: Complex): void {
    if (isOne(factor)) return;
    const pending = this.#at(at);
    pending.constant = times(pending.constant, factor);
  }

  /** Multiplies a subcube by e^{i·angle}. */
  addAngle(at: Subcube, angle: SlotAngle): void {
    this.#at(at).angles.push(angle);
  }

  /** Applies all phases except the global one. */
  flush(): void {
    for (const pending of this.#pending.values()) this.#write(pending);
    this.#pending.clear();
  }

  /** Applies the global phase. */
  flushGlobal(): void {
    this.#write(this.#global);
  }

  /** Makes an angle, or its negative, the current one. */
  load({ slot, factor }: SlotAngle): 'own' | 'ownNegated' {
    const size = Math.abs(factor);
    if (this.#current?.slot !== slot || this.#current.factor !== size) {
      this.#code.setAngle(slot, size);
      this.#current = { slot, factor: size };
    }
    return factor < 0 ? 'ownNegated' : 'own';
  }

  #at(at: Subcube): Pending {
    if (at.mask === 0) return this.#global;
    const key = `${at.mask} ${at.value}`;
    const known = this.#pending.get(key);
    if (known !== undefined) return known;
    const pending: Pending = { at, constant: ONE, angles: [] };
    this.#pending.set(key, pending);
    return pending;
  }

  #write({ at, constant, angles }: Pending): void {
    const [first, ...others] = angles;
    if (first !== undefined && others.length === 0) {
      this.#code.multiply(at, this.load(first));
    } else if (first !== undefined) {
      this.#code.setAngle(first.slot, first.factor);
      for (const { slot, factor } of others) this.#code.addAngle(slot, factor);
      this.#code.multiply(at, 'own');
      this.#current = undefined;
    }
    if (!isOne(constant)) this.#code.multiply(at, [constant.re, constant.im]);
  }
}
