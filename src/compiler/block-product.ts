/**
 * Products of blocks on common targets. Controls that all factors share stay controls; any other control
 * becomes a target of the product.
 */
import { type ComplexMatrix, identity } from '../math/complex-matrix.ts';
import {
  type Block,
  type BlockForm,
  formOf,
  monomialForm,
  type ProductWires,
  type Wire,
} from './block.ts';

/**
 * A part of a matrix entry this close to 0, 1 or −1 is rounded to it. Entries of 1e-17 would reduce
 * amplitudes to denormal numbers, which are slow.
 */
const ROUNDING = 1e-15;
const NO_WIRES: readonly Wire[] = [];

/** Wires that the product of two blocks acts on. */
export function productWires(a: Block, b: Block): ProductWires {
  const controls =
    a.controls.length === 0 || b.controls.length === 0
      ? NO_WIRES
      : a.controls.filter((wire) => b.controls.includes(wire));
  const targets = [...a.targets];
  for (const wires of [a.controls, b.targets, b.controls]) {
    for (const wire of wires) {
      if (!controls.includes(wire) && !targets.includes(wire)) targets.push(wire);
    }
  }
  return { targets, controls };
}

/**
 * Multiplies blocks, the first one applied first. The product is monomial if all factors are; undefined if it
 * is the identity.
 */
export function productOf(factors: readonly Block[], wires: ProductWires): Block | undefined {
  if (isMonomial(factors)) return monomialBlock(factors, wires);
  const form = formOf(denseProduct(factors, wires));
  return form === undefined ? undefined : { form: withSource(form, factors, wires), ...wires };
}

/** Whether the product of blocks is a monomial one. */
export function isMonomial(factors: readonly Block[]): boolean {
  return factors.every(({ form }) => form.kind !== 'dense');
}

function withSource(form: BlockForm, factors: readonly Block[], wires: ProductWires): BlockForm {
  return hasSource(factors) ? { ...form, source: { kind: 'product', factors, wires } } : form;
}

/** Whether a product of blocks depends on parameters. */
export function hasSource(factors: readonly Block[]): boolean {
  return factors.some(({ form }) => form.source !== undefined);
}

/** Matrix of a product on its targets, of which at least one factor is dense; row-major. */
export function denseProduct(factors: readonly Block[], { targets }: ProductWires): ComplexMatrix {
  const size = 2 ** targets.length;
  const [first] = factors;
  const begins = first !== undefined && isOn(first, targets);
  const product = begins ? Float64Array.from(first.form.entries) : identity(size);
  for (let i = begins ? 1 : 0; i < factors.length; i++) {
    multiplyOnto(product, size, factors[i]!, targets);
  }
  for (let i = 0; i < product.length; i++) product[i] = withoutRounding(product[i]!);
  return product;
}

/** A product that sends |j⟩ to entry(j)·|rows[j]⟩. */
interface Monomial {
  readonly rows: readonly number[];
  /** Interleaved re, im. */
  readonly entries: Float64Array;
}

/** The product of monomial blocks on its targets. */
export function monomialProduct(factors: readonly Block[], { targets }: ProductWires): Monomial {
  const size = 2 ** targets.length;
  const rows: number[] = [];
  const entries = new Float64Array(2 * size);
  for (let j = 0; j < size; j++) {
    rows.push(j);
    entries[2 * j] = 1;
  }
  for (const factor of factors) {
    const { form } = factor;
    const own = form.entries;
    const places = placesOf(factor.targets, targets);
    const controlBits = bitsAt(factor.controls, targets);
    for (let j = 0; j < size; j++) {
      const row = rows[j]!;
      if ((row & controlBits) !== controlBits) continue;
      const column = gathered(row, places);
      const re = own[2 * column]!;
      const im = own[2 * column + 1]!;
      const oldRe = entries[2 * j]!;
      const oldIm = entries[2 * j + 1]!;
      entries[2 * j] = re * oldRe - im * oldIm;
      entries[2 * j + 1] = re * oldIm + im * oldRe;
      if (form.kind === 'permutation') rows[j] = scattered(row, places, form.rows[column]!);
    }
  }
  for (let i = 0; i < entries.length; i++) entries[i] = withoutRounding(entries[i]!);
  return { rows, entries };
}

function monomialBlock(factors: readonly Block[], wires: ProductWires): Block | undefined {
  const { targets, controls } = wires;
  const { rows, entries } = monomialProduct(factors, wires);
  const left = hasSource(factors)
    ? targets
    : targets.filter((_, t) => !leavesAlone(rows, entries, 2 ** t));
  if (left.length === targets.length) {
    const form = monomialForm(rows, entries);
    return form && { form: withSource(form, factors, wires), targets, controls };
  }
  // Factors that cancel may leave targets that the product does not act on.
  const places = placesOf(left, targets);
  const columns = Array.from({ length: 2 ** left.length }, (_, j) => scattered(0, places, j));
  const form = monomialForm(
    columns.map((column) => gathered(rows[column]!, places)),
    Float64Array.from(columns.flatMap((j) => [entries[2 * j]!, entries[2 * j + 1]!])),
  );
  return form && { form, targets: left, controls };
}

/** Whether a permutation neither changes nor depends on a bit. */
function leavesAlone(rows: readonly number[], entries: Float64Array, bit: number): boolean {
  for (let j = 0; j < rows.length; j++) {
    if ((j & bit) !== 0) continue;
    const flipped = j | bit;
    const row = rows[j]!;
    if (((row ^ j) & bit) !== 0 || rows[flipped] !== (row ^ bit)) return false;
    if (entries[2 * flipped] !== entries[2 * j]) return false;
    if (entries[2 * flipped + 1] !== entries[2 * j + 1]) return false;
  }
  return true;
}

/** Whether the entries of a block are its matrix on these targets. */
function isOn({ form, targets, controls }: Block, all: readonly Wire[]): boolean {
  if (form.kind !== 'dense' || controls.length > 0 || targets.length !== all.length) return false;
  return targets.every((wire, t) => wire === all[t]);
}

/** Entries of one column before a dense factor is applied to it. */
const COLUMN = new Float64Array(2 * 2 ** 6);

/** Multiplies a block onto a matrix on the targets of a product, from the left, in place. */
function multiplyOnto(
  product: ComplexMatrix,
  size: number,
  { form, targets, controls }: Block,
  all: readonly Wire[],
): void {
  const places = placesOf(targets, all);
  const controlBits = bitsAt(controls, all);
  const targetBits = bitsAt(targets, all);
  const width = 2 ** targets.length;
  const { entries } = form;
  for (let base = 0; base < size; base++) {
    if ((base & targetBits) !== 0 || (base & controlBits) !== controlBits) continue;
    for (let col = 0; col < size; col++) {
      for (let j = 0; j < width; j++) {
        const at = 2 * (scattered(base, places, j) * size + col);
        COLUMN[2 * j] = product[at]!;
        COLUMN[2 * j + 1] = product[at + 1]!;
      }
      for (let j = 0; j < width; j++) {
        let row = j;
        let re = 0;
        let im = 0;
        if (form.kind === 'dense') {
          for (let k = 0; k < width; k++) {
            const m = 2 * (j * width + k);
            re += entries[m]! * COLUMN[2 * k]! - entries[m + 1]! * COLUMN[2 * k + 1]!;
            im += entries[m]! * COLUMN[2 * k + 1]! + entries[m + 1]! * COLUMN[2 * k]!;
          }
        } else {
          if (form.kind === 'permutation') row = form.rows[j]!;
          re = entries[2 * j]! * COLUMN[2 * j]! - entries[2 * j + 1]! * COLUMN[2 * j + 1]!;
          im = entries[2 * j]! * COLUMN[2 * j + 1]! + entries[2 * j + 1]! * COLUMN[2 * j]!;
        }
        const at = 2 * (scattered(base, places, row) * size + col);
        product[at] = re;
        product[at + 1] = im;
      }
    }
  }
}

/** Place of each wire among the targets of a product. */
function placesOf(wires: readonly Wire[], all: readonly Wire[]): readonly number[] {
  return wires.map((wire) => all.indexOf(wire));
}

/** Bits of those wires that are targets of a product. */
function bitsAt(wires: readonly Wire[], all: readonly Wire[]): number {
  let bits = 0;
  for (const wire of wires) {
    const place = all.indexOf(wire);
    if (place >= 0) bits |= 1 << place;
  }
  return bits;
}

/** Bits of an index at these places, next to each other. */
function gathered(index: number, places: readonly number[]): number {
  let bits = 0;
  for (let t = 0; t < places.length; t++) bits |= ((index >> places[t]!) & 1) << t;
  return bits;
}

/** An index with its bits at these places replaced. */
function scattered(index: number, places: readonly number[], bits: number): number {
  let out = index;
  for (let t = 0; t < places.length; t++) {
    const place = places[t]!;
    out = (out & ~(1 << place)) | (((bits >> t) & 1) << place);
  }
  return out;
}

/** Rounds a part of an entry that is 0, 1 or −1 within rounding. */
export function withoutRounding(part: number): number {
  const nearest = Math.round(part);
  return Math.abs(part - nearest) < ROUNDING ? nearest : part;
}
