/**
 * Products of blocks on common targets. Controls that all factors share stay controls; any other control
 * becomes a target of the product.
 */
import { type ComplexMatrix, identity, multiply } from '../math/complex-matrix.ts';
import { type Block, formOf, monomialForm, type Wire } from './block.ts';

/**
 * A part of a matrix entry this close to 0, 1 or −1 is rounded to it. Entries of 1e-17 would reduce
 * amplitudes to denormal numbers, which are slow.
 */
const ROUNDING = 1e-15;

/** Wires of a product: its targets, and the controls that all factors share. */
export interface ProductWires {
  readonly targets: readonly Wire[];
  readonly controls: readonly Wire[];
}

/** Wires that the product of two blocks acts on. */
export function productWires(a: Block, b: Block): ProductWires {
  const controls = a.controls.filter((wire) => b.controls.includes(wire));
  const isTarget = (wire: Wire) => !controls.includes(wire);
  const targets = new Set([...a.targets, ...a.controls.filter(isTarget), ...b.targets]);
  for (const wire of b.controls) if (isTarget(wire)) targets.add(wire);
  return { targets: [...targets], controls };
}

/**
 * Multiplies blocks, the first one applied first. The product is monomial if all factors are; undefined if it
 * is the identity.
 */
export function productOf(factors: readonly Block[], wires: ProductWires): Block | undefined {
  const { targets, controls } = wires;
  const isMonomial = factors.every(({ form }) => form.kind !== 'dense');
  if (isMonomial) return monomialProduct(factors, wires);
  const form = denseProduct(factors, targets);
  return form === undefined ? undefined : { form, targets, controls };
}

function monomialProduct(
  factors: readonly Block[],
  { targets, controls }: ProductWires,
): Block | undefined {
  const d = 2 ** targets.length;
  const rows = Array.from({ length: d }, (_, j) => j);
  const entries = new Float64Array(2 * d);
  for (let j = 0; j < d; j++) entries[2 * j] = 1;
  for (const factor of factors) {
    const at = new Positions(factor.targets, factor.controls, targets);
    const { form } = factor;
    for (let j = 0; j < d; j++) {
      const row = rows[j]!;
      if (!at.isControlled(row)) continue;
      const column = at.columnOf(row);
      const re = form.entries[2 * column]!;
      const im = form.entries[2 * column + 1]!;
      const oldRe = entries[2 * j]!;
      const oldIm = entries[2 * j + 1]!;
      entries[2 * j] = re * oldRe - im * oldIm;
      entries[2 * j + 1] = re * oldIm + im * oldRe;
      rows[j] = form.kind === 'permutation' ? at.withColumn(row, form.rows[column]!) : row;
    }
  }
  const rounded = entries.map(withoutRounding);
  const isUntouched = targets.map((_, t) => leavesAlone(rows, rounded, 2 ** t));
  if (!isUntouched.includes(true)) {
    const form = monomialForm(rows, rounded);
    return form === undefined ? undefined : { form, targets, controls };
  }
  // Factors that cancel may leave targets that the product does not act on.
  const left = targets.filter((_, t) => !isUntouched[t]);
  const at = new Positions(left, [], targets);
  const columns = Array.from({ length: 2 ** left.length }, (_, j) => at.withColumn(0, j));
  const form = monomialForm(
    columns.map((column) => at.columnOf(rows[column]!)),
    Float64Array.from(columns.flatMap((j) => [rounded[2 * j]!, rounded[2 * j + 1]!])),
  );
  return form === undefined ? undefined : { form, targets: left, controls };
}

/** Whether a permutation neither changes nor depends on a bit. */
function leavesAlone(rows: readonly number[], entries: Float64Array, bit: number): boolean {
  return rows.every((row, j) => {
    const flipped = j ^ bit;
    return (
      ((row ^ j) & bit) === 0 &&
      rows[flipped] === (row ^ bit) &&
      entries[2 * flipped] === entries[2 * j] &&
      entries[2 * flipped + 1] === entries[2 * j + 1]
    );
  });
}

function denseProduct(factors: readonly Block[], targets: readonly Wire[]) {
  const product = factors.reduce<ComplexMatrix>(
    (before, factor) => multiply(embedded(factor, targets), before),
    identity(2 ** targets.length),
  );
  return formOf(product.map(withoutRounding));
}

/** Matrix of a block on the targets of a product. */
function embedded(block: Block, targets: readonly Wire[]): ComplexMatrix {
  const d = 2 ** targets.length;
  const at = new Positions(block.targets, block.controls, targets);
  const { form } = block;
  const size = 2 ** block.targets.length;
  const out = new Float64Array(2 * d * d);
  const set = (row: number, col: number, entry: number) => {
    out[2 * (row * d + col)] = form.entries[2 * entry]!;
    out[2 * (row * d + col) + 1] = form.entries[2 * entry + 1]!;
  };
  for (let col = 0; col < d; col++) {
    const column = at.columnOf(col);
    if (!at.isControlled(col)) out[2 * (col * d + col)] = 1;
    else if (form.kind === 'diagonal') set(col, col, column);
    else if (form.kind === 'permutation') set(at.withColumn(col, form.rows[column]!), col, column);
    else {
      for (let row = 0; row < size; row++) {
        set(at.withColumn(col, row), col, row * size + column);
      }
    }
  }
  return out;
}

/** Positions of a block's targets and controls among the targets of a product. */
class Positions {
  readonly #targets: readonly number[];
  readonly #controls: number;

  constructor(targets: readonly Wire[], controls: readonly Wire[], product: readonly Wire[]) {
    this.#targets = targets.map((wire) => product.indexOf(wire));
    this.#controls = controls.reduce((mask, wire) => {
      const position = product.indexOf(wire);
      return position < 0 ? mask : mask | (1 << position);
    }, 0);
  }

  isControlled(index: number): boolean {
    return (index & this.#controls) === this.#controls;
  }

  /** Index of the block's own targets within an index of the product. */
  columnOf(index: number): number {
    let column = 0;
    for (let t = 0; t < this.#targets.length; t++) {
      column |= ((index >> this.#targets[t]!) & 1) << t;
    }
    return column;
  }

  /** Replaces the bits of the block's targets in an index of the product. */
  withColumn(index: number, column: number): number {
    let out = index;
    for (let t = 0; t < this.#targets.length; t++) {
      const bit = 1 << this.#targets[t]!;
      out = (column >> t) & 1 ? out | bit : out & ~bit;
    }
    return out;
  }
}

function withoutRounding(part: number): number {
  const nearest = Math.round(part);
  return Math.abs(part - nearest) < ROUNDING ? nearest : part;
}
