/**
 * Environments of a chain: what sites from a first one on, with a matrix applied to each, contract to. A stack keeps those
 * of the sites on the current path, so that the next path goes on from where it differs.
 */
import type { TimeSlicer } from '../../time-slicer.ts';
import type { Chain } from './chain.ts';
import { ENTRY_BYTES } from './tensor-memory.ts';

interface Environment {
  /** Of the matrix that was applied to the site. */
  readonly name: string;
  readonly at: number;
}

/** The stack of environments, each a right × right matrix whose rows belong to the conjugate state. */
export class Environments {
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
