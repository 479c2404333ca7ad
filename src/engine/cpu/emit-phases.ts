/**
 * Emits the diagonals of a tile in their cheapest form. A monomial multiplies the subcube in which
 * its qubits are 1. Monomials without qubits outside the tile may share one table; those with one
 * qubit inside may share a product over the tile's qubits.
 */

import { numOnes } from '../../math/basis-index.ts';
import { type Complex, imaginaryPart, isOne, type Real, realPart } from '../complex.ts';
import type { PhasePolynomial } from '../phase-polynomial.ts';
import { GROUP_BYTES } from './precision.ts';
import {
  type ConstantAddress,
  type DoubleOperand,
  OPCODES,
  type TableAddress,
  type TileCode,
} from './tile-code.ts';
import { type TileLayout, whereOnes } from './tile-layout.ts';

/** A table that is computed when the program is put into memory: ones, then factors on subcubes. */
export interface TableRequest {
  readonly address: TableAddress;
  readonly bytes: number;
  /**
   * By the highest bits of `first`. A factor is applied when the table is as long as twice that bit; what is there
   * then is repeated for the bits above, so that a factor of a low bit costs little.
   */
  readonly factors: readonly TableFactor[];
}

/** The subcube from `first` on, `free` running freely, times the constants at `address`. */
export interface TableFactor {
  readonly first: number;
  readonly free: number;
  readonly address: ConstantAddress;
}

// Costs in trips through the tile: a whole subcube, a table, a product over qubits.
const MULTIPLY_COST = 1;
const TABLE_COST = 1.35;
const PRODUCT_COST = 1.8;
/** Cost of an instruction that runs, or whose condition is checked and fails. */
const INSTRUCTION_COST = 0.03;

/** A program whose tables take more than this makes no further tables: memory is for states. */
const MAX_TABLE_BYTES = 32 * 2 ** 20;

interface Term {
  readonly mask: number;
  readonly phase: Complex;
  /** Qubits inside the tile. */
  readonly numInner: number;
  readonly numOuter: number;
}

interface Split {
  readonly cost: number;
  readonly alone: readonly Term[];
  readonly table: readonly Term[];
  readonly product: readonly Term[];
}

/** Lowest cost of emitting a polynomial, in trips through the tile. */
export function phasesCost(
  code: TileCode,
  layout: TileLayout,
  polynomial: PhasePolynomial,
): number {
  return cheapestSplit(code, layout, termsOf(polynomial, layout)).cost;
}

/**
 * Emits a diagonal.
 *
 * @param tables - Where a table that the code needs is asked for.
 */
export function emitPhases(
  code: TileCode,
  layout: TileLayout,
  polynomial: PhasePolynomial,
  tables: TableRequest[],
): void {
  const split = cheapestSplit(code, layout, termsOf(polynomial, layout));
  for (const term of split.alone) emitTerm(code, layout, term);
  if (split.table.length > 0) emitTable(code, layout, split.table, tables);
  if (split.product.length > 0) emitProduct(code, layout, split.product);
}

function termsOf(polynomial: PhasePolynomial, layout: TileLayout): readonly Term[] {
  const terms: Term[] = [];
  for (const [mask, phase] of polynomial) {
    if (isOne(phase)) continue;
    const numInner = numOnes(mask & layout.residentMask);
    terms.push({ mask, phase, numInner, numOuter: numOnes(mask & ~layout.residentMask) });
  }
  return terms;
}

function cheapestSplit(code: TileCode, layout: TileLayout, terms: readonly Term[]): Split {
  const isScalar = (term: Term) => term.numInner === 0;
  const isInner = (term: Term) => term.numInner > 0 && term.numOuter === 0;
  const isLinear = (term: Term) => term.numInner === 1;
  const none = () => false;
  const alone = split(terms, none, none, layout);
  const candidates = [split(terms, none, isLinear, layout)];
  if (code.tableBytes < MAX_TABLE_BYTES) {
    candidates.push(
      split(terms, isInner, none, layout),
      split(terms, isInner, (term) => isLinear(term) && !isInner(term), layout),
    );
  }
  const best = candidates.reduce((a, b) => (b.cost < a.cost ? b : a), alone);
  // Scalars cost nothing: the store multiplies by them.
  return { ...best, alone: [...terms.filter(isScalar), ...best.alone] };
}

function split(
  terms: readonly Term[],
  inTable: (term: Term) => boolean,
  inProduct: (term: Term) => boolean,
  layout: TileLayout,
): Split {
  const alone: Term[] = [];
  const table: Term[] = [];
  const product: Term[] = [];
  let cost = 0;
  for (const term of terms) {
    if (term.numInner === 0) cost += INSTRUCTION_COST;
    else if (inTable(term)) table.push(term);
    else if (inProduct(term)) product.push(term);
    else {
      alone.push(term);
      cost += MULTIPLY_COST * 2 ** -(term.numInner + term.numOuter) + INSTRUCTION_COST;
    }
  }
  if (table.length > 0) cost += TABLE_COST;
  if (product.length > 0) cost += PRODUCT_COST + product.length * INSTRUCTION_COST;
  // A tile of a few groups is done by the time that a table has been found.
  if (layout.bytes < 1024 && table.length + product.length > 0) cost = Number.POSITIVE_INFINITY;
  return { cost, alone, table, product };
}

function emitTerm(code: TileCode, layout: TileLayout, { mask, phase }: Term): void {
  const { outer, bytes, lanes } = layout.place(mask);
  if (bytes === 0 && lanes === 0) {
    emitScale(code, outer, phase);
    return;
  }
  const at = phaseVectors(code, lanes, phase);
  code.emit(OPCODES.multiply, whereOnes(outer), [bytes, layout.allBytes & ~bytes, at], [2]);
}

/** The phase in the lanes whose numbers have all of these bits, 1 in the others. */
function phaseVectors(code: TileCode, lanes: number, phase: Complex): ConstantAddress {
  const re: Real[] = [];
  const im: Real[] = [];
  const [real, imaginary] = [realPart(phase), imaginaryPart(phase)];
  for (let lane = 0; lane < code.precision.lanes; lane++) {
    const isSelected = (lane & lanes) === lanes;
    re.push(isSelected ? real : 1);
    im.push(isSelected ? imaginary : 0);
  }
  return code.vectors([re, im]);
}

/** Multiplies the tile by a scalar, when it is stored. */
function emitScale(code: TileCode, outer: number, scale: Complex): void {
  const doubles = [
    [2, realPart(scale)],
    [4, imaginaryPart(scale)],
  ] as const;
  code.emit(OPCODES.scale, whereOnes(outer), [0, 0, 0, 0, 0, 0], [], doubles);
}

function emitTable(
  code: TileCode,
  layout: TileLayout,
  terms: readonly Term[],
  tables: TableRequest[],
): void {
  const used = terms.reduce((mask, term) => mask | layout.place(term.mask).bytes, 0);
  // Above the highest qubit that matters the table repeats.
  const bytes = used === 0 ? 32 : 2 ** (32 - Math.clz32(used));
  const address = code.reserveTable(bytes);
  code.emitTable(address, bytes);
  const factors = terms.map(({ mask, phase }) => {
    const { bytes: first, lanes } = layout.place(mask);
    const free = (highestBit(first) - 1) & ~first & -GROUP_BYTES;
    return { first, free, address: phaseVectors(code, lanes, phase) };
  });
  factors.sort((a, b) => highestBit(a.first) - highestBit(b.first));
  tables.push({ address, bytes, factors });
}

function emitProduct(code: TileCode, layout: TileLayout, terms: readonly Term[]): void {
  const operands: number[] = [terms.length, layout.numQubits];
  const doubles: DoubleOperand[] = [];
  for (const { mask, phase } of terms) {
    const outer = mask & ~layout.residentMask;
    const qubit = 31 - Math.clz32(mask & layout.residentMask);
    operands.push(outer, outer, layout.tileBit(qubit), 0);
    doubles.push([operands.length, realPart(phase)], [operands.length + 2, imaginaryPart(phase)]);
    operands.push(0, 0, 0, 0);
  }
  code.emit(OPCODES.phases, whereOnes(0), operands, [], doubles);
}

/** The highest bit of a mask; 1 of none. */
function highestBit(mask: number): number {
  return 2 ** (31 - Math.clz32(mask | 1));
}
