/** Outputs that are read off a matrix product state. */
import type { PauliSum } from '../../../circuit/observable.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { Chain } from './chain.ts';
import { ENTRY_BYTES } from './tensor-memory.ts';

const PAULI_MATRICES = {
  X: [0, 0, 1, 0, 1, 0, 0, 0],
  Y: [0, 0, 0, -1, 0, 1, 0, 0],
  Z: [1, 0, 0, 0, 0, 0, -1, 0],
} as const;

type Pauli = keyof typeof PAULI_MATRICES;

/** A Pauli string on sites, ascending. */
interface SiteString {
  readonly factors: readonly { readonly site: number; readonly pauli: Pauli }[];
  readonly coefficient: number;
  /** Number of its observable. */
  readonly observable: number;
}

/**
 * Expectation values ⟨ψ|O|ψ⟩ of observables.
 *
 * Strings are sorted by their first site, where the centre then is, so that nothing to the left of it counts; strings
 * that begin alike share what was contracted.
 *
 * @param siteOf - Site of each qubit.
 */
export async function chainExpectations(
  chain: Chain,
  observables: readonly PauliSum[],
  siteOf: readonly number[],
  slicer: TimeSlicer,
): Promise<readonly number[]> {
  const values = new Array<number>(observables.length).fill(0);
  const strings: SiteString[] = [];
  const norm = chain.squaredNorm;
  for (const [observable, sum] of observables.entries()) {
    for (const { coefficient, factors } of sum) {
      if (factors.length === 0) values[observable]! += coefficient * norm;
      else {
        const onSites = factors.map(({ pauli, qubit }) => ({ site: siteOf[qubit]!, pauli }));
        onSites.sort((a, b) => a.site - b.site);
        strings.push({ factors: onSites, coefficient, observable });
      }
    }
  }
  strings.sort(compareStrings);
  const environments = new Environments(chain, slicer);
  try {
    for (const { factors, coefficient, observable } of strings) {
      const value = await valueOfString(environments, factors);
      values[observable]! += coefficient * value;
    }
  } finally {
    environments.release();
  }
  return values;
}

function compareStrings({ factors: a }: SiteString, { factors: b }: SiteString): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = a[i]!.site - b[i]!.site;
    if (difference !== 0) return difference;
    if (a[i]!.pauli !== b[i]!.pauli) return a[i]!.pauli < b[i]!.pauli ? -1 : 1;
  }
  return a.length - b.length;
}

async function valueOfString(
  environments: Environments,
  factors: SiteString['factors'],
): Promise<number> {
  const first = factors[0]!.site;
  const last = factors.at(-1)!.site;
  await environments.startAt(first);
  let next = 0;
  for (let site = first; site <= last; site++) {
    const pauli = factors[next]!.site === site ? factors[next++]!.pauli : undefined;
    await environments.extend(site, pauli ?? 'I', pauli && PAULI_MATRICES[pauli]);
  }
  return environments.trace(last);
}

/** Amplitudes of basis states, bit q for qubit q; interleaved re, im. */
export async function chainAmplitudes(
  { memory, sites }: Chain,
  basisStates: readonly bigint[],
  siteOf: readonly number[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const out = new Float64Array(2 * basisStates.length);
  const widest = sites.reduce((most, { right }) => Math.max(most, right), 1);
  const vectors = [
    memory.scratch('prefixes', ENTRY_BYTES * widest),
    memory.scratch('extended', ENTRY_BYTES * widest),
  ] as const;
  const outcomes = new Uint8Array(sites.length);
  for (const [i, basisState] of basisStates.entries()) {
    for (const [qubit, site] of siteOf.entries()) {
      outcomes[site] = Number((basisState >> BigInt(qubit)) & 1n);
    }
    memory.doubles.set([1, 0], vectors[0] / 8);
    for (const [site, { at, left, right }] of sites.entries()) {
      const product = memory.multiply(
        { at: vectors[site & 1 ? 1 : 0], stride: left },
        { at: at + ENTRY_BYTES * right * outcomes[site]!, stride: 2 * right },
        { at: vectors[site & 1 ? 0 : 1], stride: right },
        [1, left, right],
        slicer,
      );
      if (product !== undefined) await product;
    }
    const result = vectors[sites.length & 1 ? 1 : 0] / 8;
    out.set(memory.doubles.subarray(result, result + 2), 2 * i);
  }
  return out;
}

/**
 * All amplitudes, in the order of the chain: the first site is the most significant bit. Interleaved re, im; length
 * 2·2^sites.
 */
export async function chainVector(
  { memory, sites }: Chain,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  memory.doubles.set([1, 0], memory.scratch('prefixes', ENTRY_BYTES) / 8);
  let rows = 1;
  for (const { at, left, right } of sites) {
    const vectors = memory.scratch('prefixes', ENTRY_BYTES * rows * left);
    const extended = memory.scratch('extended', 2 * ENTRY_BYTES * rows * right);
    const product = memory.multiply(
      { at: vectors, stride: left },
      { at, stride: 2 * right },
      { at: extended, stride: 2 * right },
      [rows, left, 2 * right],
      slicer,
    );
    if (product !== undefined) await product;
    rows *= 2;
    memory.copy(
      extended,
      ENTRY_BYTES * rows * right,
      memory.scratch('prefixes', ENTRY_BYTES * rows * right),
    );
    if (slicer.spend(rows * right)) await slicer.pause();
  }
  const at = memory.scratch('prefixes', ENTRY_BYTES * rows) / 8;
  return Float64Array.from(memory.doubles.subarray(at, at + 2 * rows));
}

/**
 * Distribution of the outcomes of some sites; bit i of an index is `measured[i]`.
 *
 * @param measured - At least one, distinct.
 */
export async function chainDistribution(
  chain: Chain,
  measured: readonly number[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const out = new Float64Array(2 ** measured.length);
  const valueAt = new Map(measured.map((site, i) => [site, 2 ** i]));
  const first = Math.min(...measured);
  const last = Math.max(...measured);
  const environments = new Environments(chain, slicer);
  const descend = async (site: number, value: number): Promise<void> => {
    if (site > last) {
      out[value] = Math.max(0, environments.trace(last));
      return;
    }
    const bit = valueAt.get(site);
    if (bit === undefined) {
      await environments.extend(site, 'I', undefined);
      await descend(site + 1, value);
      return;
    }
    for (const outcome of [0, 1] as const) {
      await environments.extend(site, `P${outcome}`, PROJECTORS[outcome]);
      // Below a prefix that never occurs there is nothing.
      if (environments.trace(site) > 1e-300) await descend(site + 1, value + outcome * bit);
    }
  };
  try {
    await environments.startAt(first);
    await descend(first, 0);
  } finally {
    environments.release();
  }
  return out;
}

const PROJECTORS = [
  [1, 0, 0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 1, 0],
] as const;

interface Environment {
  /** Name of the matrix that was applied to the site. */
  readonly name: string;
  readonly at: number;
}

/**
 * Environments of a chain: what sites from a first one on, with a matrix applied to each, contract to. A stack keeps
 * those of the sites on the current path, so that the next path goes on from where it differs. Each is a right × right
 * matrix whose rows belong to the conjugate state.
 */
class Environments {
  readonly #chain: Chain;
  readonly #slicer: TimeSlicer;
  readonly #stack: Environment[] = [];
  #first = -1;

  constructor(chain: Chain, slicer: TimeSlicer) {
    this.#chain = chain;
    this.#slicer = slicer;
  }

  /** Sets the first site, which becomes the centre, so that the sites before it contract to the identity. */
  async startAt(site: number): Promise<void> {
    if (site === this.#first) return;
    this.release();
    await this.#chain.moveCentre(site, this.#slicer);
    this.#first = site;
  }

  /**
   * Applies a matrix to a site and contracts it with what comes before. Sites follow one another from the first on; one
   * that is on the path already, with a matrix of that name, costs nothing.
   *
   * @param matrix - 2×2, row-major, interleaved; the identity if undefined.
   */
  async extend(site: number, name: string, matrix: readonly number[] | undefined): Promise<void> {
    const depth = site - this.#first;
    if (this.#stack[depth]?.name === name) return;
    this.#shorten(depth);
    const { memory, sites } = this.#chain;
    const { at, left, right } = sites[site]!;
    const before = this.#stack[depth - 1];
    const product = memory.scratch('extended', 2 * ENTRY_BYTES * left * right);
    if (before === undefined) memory.copy(at, 2 * ENTRY_BYTES * left * right, product);
    else {
      const contracting = memory.multiply(
        { at: before.at, stride: left },
        { at, stride: 2 * right },
        { at: product, stride: 2 * right },
        [left, left, 2 * right],
        this.#slicer,
      );
      if (contracting !== undefined) await contracting;
    }
    if (matrix !== undefined) {
      const entries = memory.scratch('matrix', 128);
      memory.doubles.set(matrix, entries / 8);
      memory.kernels.applyToSite(product, left, right, entries);
    }
    const conjugate = memory.scratch('prefixes', 2 * ENTRY_BYTES * left * right);
    memory.kernels.transpose(at, 2 * left, right, conjugate, -1);
    const environment = memory.allocate(ENTRY_BYTES * right * right);
    this.#stack.push({ name, at: environment });
    const closing = memory.multiply(
      { at: conjugate, stride: 2 * left },
      { at: product, stride: right },
      { at: environment, stride: right },
      [right, 2 * left, right],
      this.#slicer,
    );
    if (closing !== undefined) await closing;
  }

  /** Value of a path that ends at a site: the sites after it contract to the identity. */
  trace(site: number): number {
    const { memory, sites } = this.#chain;
    const { right } = sites[site]!;
    const at = this.#stack[site - this.#first]!.at / 8;
    let sum = 0;
    for (let i = 0; i < right; i++) sum += memory.doubles[at + 2 * i * (right + 1)]!;
    return sum;
  }

  /** Frees all environments. */
  release(): void {
    this.#shorten(0);
    this.#first = -1;
  }

  #shorten(depth: number): void {
    for (const { at } of this.#stack.splice(depth)) this.#chain.memory.release(at);
  }
}
