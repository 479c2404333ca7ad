/**
 * The estimated cost of a circuit on a matrix product state, before it is run.
 *
 * A gate on two sites multiplies the bond between them by its operator Schmidt rank at most, and no bond is wider than
 * twice either of its neighbours, or than the product of the ranks of all gates between qubits on its two sides. That
 * bounds all bonds. Most circuits need much less, because gates with small angles entangle little: the likely bond
 * grows with the entropy of the gates' Schmidt weights instead.
 */
import type { MatrixProductProgram } from '../program.ts';
import { bondFactor, type OperatorWeights, operatorWeights } from './operator-weights.ts';

/** Memory of a run in bytes. */
export interface MatrixProductMemory {
  /**
   * Bytes of one state. A run whose shots split by measurements in mid-circuit holds up to 1 + log2(shots) states.
   */
  readonly stateBytes: number;
  /** Bytes of everything else, once for the run. */
  readonly otherBytes: number;
}

/** The cost of a run, of one trajectory under noise; loops on measured bits count once. */
export interface MatrixProductCost {
  /** Likely largest bond, at most the limit. */
  readonly largestBond: number;
  /** Largest bond that the exact state may have; may be infinite. */
  readonly bondBound: number;
  /** Whether the limit of bonds may discard more than the truncation threshold. */
  readonly mayTruncate: boolean;
  /** Memory of a run, if bonds are as wide as is likely. */
  readonly likely: MatrixProductMemory;
  /** Memory of a run, if bonds are as wide as their bounds and the limit allow. */
  readonly most: MatrixProductMemory;
  /** Milliseconds for the gates, for one state; and for each shot that is drawn at the end. */
  readonly evolutionMs: number;
  readonly msPerShot: number;
}

/** Multiplications of complex numbers in a millisecond. */
const PRODUCTS_PER_MS = 3e6;
/** Milliseconds of a gate on two sites, a move of the centre and a site of a shot, beside multiplications. */
const GATE_MS = 0.008;
const MOVE_MS = 0.003;
const SITE_MS = 0.000_06;
/** Shots that are drawn together. */
const SHOTS_TOGETHER = 4096;
const ENTRY_BYTES = 16;

/**
 * Estimates a program.
 *
 * @param hasOtherGates - Whether a run may apply gates on pairs that are not in the program.
 */
export function chainCost(program: MatrixProductProgram, hasOtherGates = false): MatrixProductCost {
  const { numQubits, maxBondDimension, matrices } = program;
  const likely = new Bonds(numQubits, maxBondDimension);
  const bound = new Bonds(numQubits, Number.POSITIVE_INFINITY);
  const [likelyCuts, cuts] = [new ChainCuts(numQubits), new ChainCuts(numQubits)];
  const hasState = program.steps[0]?.kind === 'initialize';
  if (hasState) likely.widen();
  if (hasState || hasOtherGates) bound.widen();
  let products = hasState ? likely.productsOfDivision() : 0;
  let ms = 0;
  let centre = 0;
  let widest = likely.widest();
  let widestBound = bound.widest();
  for (const step of program.steps) {
    if (step.kind !== 'sweep') continue;
    for (const gate of step.kernels) {
      const [, site] = gate.targets;
      if (site === undefined || gate.kind === 'probe') continue;
      const target = centre <= site ? site : site + 1;
      for (; centre !== target; centre += centre < target ? 1 : -1) {
        const [left, right] = likely.around(centre);
        if (Math.min(left, right) === 1) continue;
        products += 12 * left * right * Math.min(left, right);
        ms += MOVE_MS;
      }
      const weights = operatorWeights(matrices, 2 * gate.offset);
      const swapped = operatorWeights(matrices, 2 * gate.offset, true);
      // A gate that entangles less after a swap exchanges the qubits, too.
      const isSwap = swapped.entropy < weights.entropy;
      const between = isSwap ? swapped : weights;
      likelyCuts.add(site, Math.log(bondFactor(between)), isSwap);
      cuts.add(site, Math.log(between.rank), isSwap);
      products += pairProducts(likely, site, weights);
      ms += GATE_MS;
      if (!hasState) {
        widest = Math.max(widest, likely.grow(site, bondFactor(weights), likelyCuts.at(site)));
      }
      if (!hasState && !hasOtherGates) {
        widestBound = Math.max(widestBound, bound.grow(site, weights.rank, cuts.at(site)));
      }
      centre = site + 1;
    }
  }
  const capped = Math.min(widestBound, maxBondDimension);
  const divided = hasState ? DIVISION_COPIES * ENTRY_BYTES * 2 ** numQubits : 0;
  return {
    largestBond: Math.round(widest),
    bondBound: Math.round(widestBound),
    mayTruncate: Math.round(widestBound) > maxBondDimension,
    likely: { stateBytes: likely.bytes(), otherBytes: divided + scratchOf(widest) },
    most: {
      stateBytes: bound.capped(maxBondDimension).bytes(),
      otherBytes: divided + scratchOf(capped),
    },
    evolutionMs: ms + products / PRODUCTS_PER_MS,
    msPerShot: numQubits * SITE_MS + likely.products() / PRODUCTS_PER_MS,
  };
}

/**
 * Multiplications for a gate on two sites: their product, two orthogonalisations, and what is left; where the bond is
 * limited, also what cuts it, by rotations up to 64 rows.
 */
function pairProducts(bonds: Bonds, site: number, weights: OperatorWeights): number {
  const [left, middle] = bonds.around(site);
  const [, right] = bonds.around(site + 1);
  const m = 2 * Math.max(left, right);
  const n = 2 * Math.min(left, right);
  const rank = Math.min(n, weights.rank * middle);
  const found = Math.min(n, bondFactor(weights) * middle);
  const after = Math.min(found, bonds.limit);
  const cutting = found > bonds.limit ? (found > 64 ? 4 : 16) * found ** 3 : 0;
  const dividing = 2 * m * n * rank + 3 * rank * n * found + after * m * n;
  return left * right * (4 * middle + 16) + dividing + cutting;
}

/** Copies of all amplitudes while they are divided into tensors. */
const DIVISION_COPIES = 3;

/** Scratch while a pair is divided, and while shots are drawn; a mebibyte for the small blocks. */
function scratchOf(bond: number): number {
  const pair = 4 * ENTRY_BYTES * bond ** 2;
  return 6 * pair + 3 * ENTRY_BYTES * SHOTS_TOGETHER * bond + 2 ** 20;
}

/** Dimensions of the bonds of a chain, those before the first site and after the last one included. */
class Bonds {
  readonly limit: number;
  readonly #dimensions: Float64Array;

  constructor(numSites: number, limit: number) {
    this.#dimensions = new Float64Array(numSites + 1).fill(1);
    this.limit = limit;
  }

  /** Makes all bonds as wide as those of any state. */
  widen(): void {
    const numSites = this.#dimensions.length - 1;
    for (let bond = 0; bond <= numSites; bond++) {
      this.#dimensions[bond] = Math.min(2 ** Math.min(bond, numSites - bond), this.limit);
    }
  }

  widest(): number {
    return this.#dimensions.reduce((most, dimension) => Math.max(most, dimension), 1);
  }

  /** Multiplications that divide a state of all amplitudes into tensors with these bonds. */
  productsOfDivision(): number {
    const numSites = this.#dimensions.length - 1;
    let sum = 0;
    for (let site = 0; site + 1 < numSites; site++) {
      const [left, right] = this.around(site);
      const rows = 2 * left;
      // Two orthogonalisations, and what is left of the amplitudes.
      sum += 2 ** (numSites - site - 1) * rows * (2 * rows + right);
    }
    return sum;
  }

  /** Bonds to the left and right of a site. */
  around(site: number): readonly [left: number, right: number] {
    return [this.#dimensions[site]!, this.#dimensions[site + 1]!];
  }

  /**
   * Multiplies the bond after a site, as far as its neighbours allow; returns the new bond.
   *
   * @param cut - Bond that gates across it allow, as a logarithm.
   */
  grow(site: number, by: number, cut: number): number {
    const [left, middle] = this.around(site);
    const [, right] = this.around(site + 1);
    // Rounding of logarithms: a rank is a whole number.
    const crossing = Math.exp(cut) * (1 + 1e-9);
    const grown = Math.min(by * middle, 2 * left, 2 * right, this.limit, crossing);
    this.#dimensions[site + 1] = grown;
    return grown;
  }

  capped(limit: number): Bonds {
    const capped = new Bonds(this.#dimensions.length - 1, limit);
    capped.#dimensions.set(this.#dimensions.map((dimension) => Math.min(dimension, limit)));
    return capped;
  }

  /** Bytes of all tensors, whose blocks may be twice as long as they need. */
  bytes(): number {
    return 2 * ENTRY_BYTES * this.products();
  }

  /** Entries of all tensors, which a shot multiplies with one each. */
  products(): number {
    let sum = 0;
    for (let site = 0; site + 1 < this.#dimensions.length; site++) {
      sum += 2 * this.#dimensions[site]! * this.#dimensions[site + 1]!;
    }
    return sum;
  }
}

/**
 * Entanglement across the cuts of a chain, from the gates between qubits on the two sides of each. Swaps move qubits to
 * the other side without entangling anything. Qubits begin at the sites of their numbers.
 */
class ChainCuts {
  /** Cut s is between sites s and s + 1. */
  readonly #cuts: Float64Array;
  readonly #siteOf: number[];
  readonly #qubitAt: number[];
  /** For each qubit, its partners and the factors by which gates with them multiply the bond. */
  readonly #weights: Map<number, number>[];

  constructor(numSites: number) {
    this.#cuts = new Float64Array(numSites);
    this.#siteOf = Array.from({ length: numSites }, (_, site) => site);
    this.#qubitAt = [...this.#siteOf];
    this.#weights = this.#siteOf.map(() => new Map());
  }

  /** Sum of the weights of all gates across the cut after a site. */
  at(site: number): number {
    return this.#cuts[site]!;
  }

  /**
   * Adds a gate on a site and the next one.
   *
   * @param isSwap - Whether it exchanges their qubits, too.
   */
  add(site: number, weight: number, isSwap: boolean): void {
    const a = this.#qubitAt[site]!;
    const b = this.#qubitAt[site + 1]!;
    if (weight > 0) {
      this.#cuts[site]! += weight;
      this.#weights[a]!.set(b, (this.#weights[a]!.get(b) ?? 0) + weight);
      this.#weights[b]!.set(a, (this.#weights[b]!.get(a) ?? 0) + weight);
    }
    if (!isSwap) return;
    this.#cuts[site]! += this.#change(a, b, site, 1) + this.#change(b, a, site, -1);
    [this.#qubitAt[site], this.#qubitAt[site + 1]] = [b, a];
    [this.#siteOf[a], this.#siteOf[b]] = [site + 1, site];
  }

  /**
   * The gain of a cut when a qubit passes it.
   *
   * @param other - The qubit that passes it the other way; they stay on different sides.
   * @param direction - 1 to the right, −1 to the left.
   */
  #change(qubit: number, other: number, site: number, direction: 1 | -1): number {
    let sum = 0;
    for (const [partner, weight] of this.#weights[qubit]!) {
      if (partner === other) continue;
      const isLeft = this.#siteOf[partner]! <= site;
      sum += isLeft === direction > 0 ? weight : -weight;
    }
    return sum;
  }
}
