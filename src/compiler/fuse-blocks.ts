/**
 * Fuses the blocks of a sweep where the cost model predicts a gain.
 *
 * First each block is multiplied into an earlier one that it can be moved next to: runs on one wire,
 * diagonals into tables, X, CX and phases into one permutation. Then each block on two or more wires gathers
 * all blocks on its wires into one dense block, if that costs less than the parts together; no pair of them
 * need gain by itself. A block moves only past blocks that it commutes with.
 */
import { keepsParity } from '../math/complex-matrix.ts';
import { ACTS_AS_X, ACTS_DIAGONALLY, type Block, type Wire } from './block.ts';
import { hasSource, productOf, productWires } from './block-product.ts';
import { costOf, denseCost } from './cost-model.ts';
import type { KernelCosts } from './program.ts';

/** Limits of fused blocks. */
export interface FusionLimits {
  /** Wires of the tile: all targets of a product that is not diagonal must be among them. */
  readonly resident: ReadonlySet<Wire>;
  readonly maxDenseQubits: number;
  readonly costs: KernelCosts;
}

/** A block, and the number of blocks it was made of. */
export interface FusedBlock {
  readonly block: Block;
  readonly numFactors: number;
}

/** Most targets of a diagonal or permutation: a table of 64 entries. */
const MAX_TABLE_QUBITS = 6;
/** Neighbours considered; the limit keeps time linear. */
const REACH = 32;

/** Returns fewer blocks with the same product, in order. */
export function fuseBlocks(blocks: readonly Block[], limits: FusionLimits): readonly FusedBlock[] {
  const parts: Part[] = [];
  for (const block of blocks) {
    const part = partOf(block, 1, limits.costs);
    if (isFixed(part) || !mergeBackwards(parts, part, limits)) parts.push(part);
  }
  return gather(parts, limits);
}

/**
 * A block with facts that are used often. Sets of wires are masks of one bit per wire, modulo 32: no common
 * bit means no common wire.
 */
interface Part extends FusedBlock {
  readonly cost: number;
  readonly wires: readonly Wire[];
  readonly bits: number;
  readonly controlBits: number;
  /** Wires on which it acts diagonally, as a function of X, and in any other way. */
  readonly diagonalBits: number;
  readonly xBits: number;
  readonly generalBits: number;
}

function partOf(block: Block, numFactors: number, costs: KernelCosts): Part {
  const cost = costOf(block.form, block.controls.length, costs);
  const { targets, controls, form } = block;
  const wires = controls.length === 0 ? targets : [...targets, ...controls];
  const controlBits = bitsOf(controls);
  let diagonalBits = controlBits;
  let xBits = 0;
  let generalBits = 0;
  for (let t = 0; t < targets.length; t++) {
    const bit = 1 << (targets[t]! & 31);
    const action = form.actions[t];
    if (action === ACTS_DIAGONALLY) diagonalBits |= bit;
    else if (action === ACTS_AS_X) xBits |= bit;
    else generalBits |= bit;
  }
  const bits = diagonalBits | xBits | generalBits;
  return { block, numFactors, cost, wires, bits, controlBits, diagonalBits, xBits, generalBits };
}

function bitsOf(wires: readonly Wire[]): number {
  let bits = 0;
  for (const wire of wires) bits |= 1 << (wire & 31);
  return bits;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Multiplies the part into an earlier one, if that is cheaper and it commutes with all in between. */
function mergeBackwards(parts: Part[], part: Part, limits: FusionLimits): boolean {
  const end = Math.max(0, parts.length - REACH);
  for (let i = parts.length - 1; i >= end; i--) {
    const earlier = parts[i]!;
    // Blocks on different wires commute, and would share no kernel.
    if ((earlier.bits & part.bits) === 0) continue;
    const merged = merge(earlier, part, limits);
    if (merged !== undefined) {
      if (merged === 'nothing') parts.splice(i, 1);
      else parts[i] = merged;
      return true;
    }
    if (!commute(earlier, part)) return false;
  }
  return false;
}

/** Whether a part is in no product. */
const isFixed = ({ block: { form } }: Part): boolean =>
  form.kind === 'probe' || form.kind === 'map';

/** Product of two parts if it costs no more than they do; `nothing` if they cancel. */
function merge(a: Part, b: Part, limits: FusionLimits): Part | 'nothing' | undefined {
  if (isFixed(a)) return undefined;
  const { costs } = limits;
  const isMonomial = a.block.form.kind !== 'dense' && b.block.form.kind !== 'dense';
  const isDiagonal = a.block.form.kind === 'diagonal' && b.block.form.kind === 'diagonal';
  const all = a.bits | b.bits;
  // Engines gather diagonals anyway. A table for more wires than one of the two has would only be wider.
  if (isDiagonal && all !== a.bits && all !== b.bits) return undefined;
  // A lower limit, and exact unless two wires share a bit.
  const numControls = bitCount(a.controlBits & b.controlBits);
  const numTargets = bitCount(all) - numControls;
  if (numTargets > mostTargets(isMonomial, isDiagonal, limits)) return undefined;
  const before = a.cost + b.cost;
  if (!isMonomial) {
    const dense = leastCost(a.block, b.block, numTargets, costs);
    if (costs.kernel + dense / 2 ** numControls > before) return undefined;
  }
  const wires = productWires(a.block, b.block);
  if (!isDiagonal && !wires.targets.every((wire) => limits.resident.has(wire))) return undefined;
  if (wires.targets.length > mostTargets(isMonomial, isDiagonal, limits)) return undefined;
  const factors = [a.block, b.block];
  const product = productOf(factors, wires);
  // Factors that cancel at some angles may not cancel at others.
  if (product === undefined) return hasSource(factors) ? undefined : 'nothing';
  const part = partOf(product, a.numFactors + b.numFactors, costs);
  return part.cost <= before ? part : undefined;
}

/** Lower bound of the cost of a product that is not monomial, without controls. */
function leastCost(a: Block, b: Block, numTargets: number, costs: KernelCosts): number {
  const { pair } = costs;
  const isPair = pair !== undefined && numTargets === 2 && isParityKept(a) && isParityKept(b);
  return isPair ? pair : denseCost(numTargets, costs);
}

/** Whether a block keeps the parity of any two wires that include its targets. */
function isParityKept({ form, controls }: Block): boolean {
  if (form.kind === 'diagonal') return true;
  return (
    form.kind === 'dense' &&
    controls.length === 0 &&
    form.actions.length === 2 &&
    keepsParity(form.entries)
  );
}

function mostTargets(
  isMonomial: boolean,
  isDiagonal: boolean,
  { maxDenseQubits, costs: { permutationQubits = MAX_TABLE_QUBITS } }: FusionLimits,
): number {
  if (isDiagonal) return MAX_TABLE_QUBITS;
  return isMonomial ? Math.min(permutationQubits, maxDenseQubits) : maxDenseQubits;
}

/** Whether two parts commute: they act alike on each wire they share. */
function commute(a: Part, b: Part): boolean {
  return (
    (a.generalBits & b.bits) === 0 &&
    (a.diagonalBits & (b.xBits | b.generalBits)) === 0 &&
    (a.xBits & (b.diagonalBits | b.generalBits)) === 0
  );
}

/** Gathers parts into dense blocks, each starting from the first part on some wires. */
function gather(parts: readonly Part[], limits: FusionLimits): readonly FusedBlock[] {
  const isTaken = new Uint8Array(parts.length);
  const out: FusedBlock[] = [];
  const ahead = new CostAhead(parts, limits);
  for (let first = 0; first < parts.length; first++) {
    ahead.moveTo(first);
    if (isTaken[first] === 1) continue;
    const found =
      !isFixed(parts[first]!) && ahead.maySave(parts[first]!.wires)
        ? bestGathering(parts, isTaken, first, limits)
        : undefined;
    if (found === undefined) {
      out.push(parts[first]!);
      continue;
    }
    for (const member of found.members) isTaken[member] = 1;
    const taken = found.members.map((member) => parts[member]!);
    const factors = taken.map((part) => part.block);
    const block = productOf(factors, { targets: found.wires, controls: [] });
    const numFactors = taken.reduce((sum, part) => sum + part.numFactors, 0);
    if (block !== undefined) out.push({ block, numFactors });
    else if (hasSource(factors)) out.push(...taken);
  }
  return out;
}

/**
 * Cost of the next parts on each wire. An operation on some wires cannot cost more than these together, which
 * tells for most parts that no dense block pays off.
 */
class CostAhead {
  readonly #parts: readonly Part[];
  readonly #limits: FusionLimits;
  readonly #onWire: Float64Array;
  #end = 0;

  constructor(parts: readonly Part[], limits: FusionLimits) {
    let numWires = 0;
    for (const { wires } of parts) {
      for (const wire of wires) numWires = Math.max(numWires, wire + 1);
    }
    this.#parts = parts;
    this.#limits = limits;
    this.#onWire = new Float64Array(numWires);
  }

  /** Goes on to a part, the one after the last or the first of all. */
  moveTo(first: number): void {
    const parts = this.#parts;
    if (first > 0) this.#add(parts[first - 1]!, -1);
    while (this.#end < Math.min(parts.length, first + REACH)) this.#add(parts[this.#end++]!, 1);
  }

  #add({ wires, cost }: Part, sign: 1 | -1): void {
    for (let i = 0; i < wires.length; i++) this.#onWire[wires[i]!]! += sign * cost;
  }

  /** Whether a dense block on these wires, or on these and some others, may cost less than its parts. */
  maySave(wires: readonly Wire[]): boolean {
    const { maxDenseQubits, costs } = this.#limits;
    const widest = Math.min(maxDenseQubits, costs.dense.length - 1);
    let cost = 0;
    for (let i = 0; i < wires.length; i++) cost += this.#onWire[wires[i]!]!;
    let most = 0;
    for (let wire = 0; wire < this.#onWire.length; wire++) {
      most = Math.max(most, this.#onWire[wire]!);
    }
    for (let width = wires.length; width <= widest; width++) {
      if (cost > costs.kernel + denseCost(width, costs)) return true;
      cost += most;
    }
    return false;
  }
}

/** Parts that can be applied in sequence at the place of the first of them. */
interface Gathering {
  readonly wires: readonly Wire[];
  readonly members: readonly number[];
  /** First part met that acts on the wires and on others as well. */
  readonly crossing: Part | undefined;
  readonly saved: number;
}

function bestGathering(
  parts: readonly Part[],
  isTaken: Uint8Array,
  first: number,
  { resident, maxDenseQubits, costs }: FusionLimits,
): Gathering | undefined {
  const widest = Math.min(maxDenseQubits, costs.dense.length - 1);
  let best: Gathering | undefined;
  let wires = parts[first]!.wires;
  while (wires.length <= widest && wires.every((wire) => resident.has(wire))) {
    const gathering = gatherOn(parts, isTaken, first, wires, costs);
    if (gathering.saved > (best?.saved ?? 0)) best = gathering;
    if (gathering.crossing === undefined) break;
    wires = [...new Set([...wires, ...gathering.crossing.wires])];
  }
  return best;
}

function gatherOn(
  parts: readonly Part[],
  isTaken: Uint8Array,
  first: number,
  wires: readonly Wire[],
  costs: KernelCosts,
): Gathering {
  const bits = bitsOf(wires);
  const members: number[] = [];
  // Actions on each wire of the parts that stay behind.
  let [diagonalBits, xBits, generalBits] = [0, 0, 0];
  let crossing: Part | undefined;
  let cost = 0;
  let isDense = false;
  const end = Math.min(parts.length, first + REACH);
  for (let i = first; i < end; i++) {
    const part = parts[i]!;
    // Members can move past any part that shares no wire with them.
    if (isTaken[i] === 1 || (part.bits & bits) === 0) continue;
    const isInside =
      (part.bits & ~bits) === 0 &&
      !isFixed(part) &&
      part.wires.every((wire) => wires.includes(wire));
    const moves =
      (part.bits & generalBits) === 0 &&
      (part.diagonalBits & xBits) === 0 &&
      (part.xBits & diagonalBits) === 0 &&
      (part.generalBits & (diagonalBits | xBits)) === 0;
    if (isInside && moves) {
      members.push(i);
      cost += part.cost;
      isDense ||= part.block.form.kind === 'dense';
      continue;
    }
    diagonalBits |= part.diagonalBits;
    xBits |= part.xBits;
    generalBits |= part.generalBits;
    if (!isInside && !isFixed(part)) crossing ??= part;
  }
  // Without a dense member the product is monomial and was considered before.
  const saved =
    isDense && members.length > 1 ? cost - costs.kernel - denseCost(wires.length, costs) : 0;
  return { wires, members, crossing, saved };
}
