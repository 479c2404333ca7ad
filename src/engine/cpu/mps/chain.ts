/**
 * A matrix product state in mixed canonical form: one tensor a site, left × 2 × right, where all tensors to the left of
 * the centre are isometries from the left, and those to its right from the right. The centre has the norm, which is that of the
 * state, and what is left out of it is left out of the state.
 *
 * @see Schollwöck, "The density-matrix renormalization group in the age of matrix product states", Annals of Physics
 *   326, 96 (2011).
 */
import type { BondLimits } from '../../../compiler/program.ts';
import { ENTRIES_PER_CHUNK } from '../../initial-entries.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import {
  type LeadingVectors,
  leadingVectors,
  type MatrixToDivide,
  SQUARED_ROUNDING,
} from './leading-vectors.ts';
import { ENTRY_BYTES, type TensorMemory } from './tensor-memory.ts';

/** Tensor of a site. */
interface SiteTensor {
  readonly at: number;
  /** Bytes of its block. */
  readonly room: number;
  readonly left: number;
  readonly right: number;
}

/** Discarded weight that is rounding. */
const NEGLIGIBLE = 1e-26;
/** Part by which a squared norm differs from 1 that is rounding. */
const NORM_ROUNDING = 1e-14;

/** A state on a chain of sites. */
export class Chain {
  readonly memory: TensorMemory;
  readonly limits: BondLimits;
  readonly sites: SiteTensor[];
  centre = 0;
  /** Weight discarded so far: one minus the product of the weights that cuts kept. At most a few per cent too much. */
  truncationError = 0;
  largestBond = 1;

  private constructor(memory: TensorMemory, limits: BondLimits, sites: SiteTensor[]) {
    this.memory = memory;
    this.limits = limits;
    this.sites = sites;
  }

  /** A chain of qubits that are |0⟩. */
  static ofZeros(memory: TensorMemory, limits: BondLimits, numSites: number): Chain {
    const chain = new Chain(memory, limits, []);
    for (let i = 0; i < numSites; i++) {
      const tensor = chain.#allocated(1, 1);
      chain.sites.push(tensor);
      memory.doubles.set([1, 0, 0, 0], tensor.at / 8);
    }
    return chain;
  }

  /**
   * Makes the chain the state of some amplitudes, divided into one tensor after the other.
   *
   * @param fill - Writes amplitudes from an index on, interleaved re, im. The first site is the most significant bit.
   */
  async divide(
    fill: (first: number, out: Float64Array) => void,
    slicer: TimeSlicer,
  ): Promise<void> {
    const { memory } = this;
    const numSites = this.sites.length;
    const length = 2 ** numSites;
    const pair = () => memory.scratch('pair', ENTRY_BYTES * length);
    const chunk = new Float64Array(2 * Math.min(length, ENTRIES_PER_CHUNK));
    for (let first = 0; first < length; first += chunk.length / 2) {
      fill(first, chunk);
      memory.doubles.set(chunk, pair() / 8 + 2 * first);
      if (slicer.spend(chunk.length)) await slicer.pause();
    }
    this.centre = 0;
    let left = 1;
    for (let site = 0; site + 1 < numSites; site++) {
      const columns = 2 ** (numSites - site - 1);
      const matrix = { at: pair(), size: [2 * left, columns] as const, ofRows: true };
      const found = await leadingVectors(memory, this.limits, matrix, slicer);
      const tensor = this.#replace(site, left, found.bond);
      const rest = memory.scratch('extended', ENTRY_BYTES * found.bond * columns);
      await this.#project(found, matrix, tensor.at, rest, slicer);
      memory.copy(rest, ENTRY_BYTES * found.bond * columns, pair());
      left = found.bond;
      this.#note(found);
      if (slicer.spend(found.bond * columns)) await slicer.pause();
    }
    const last = this.#replace(numSites - 1, left, 1);
    memory.copy(pair(), 2 * ENTRY_BYTES * left, last.at);
    this.centre = numSites - 1;
    this.#scaleTo(1);
  }

  /** A copy, which shares tensors until one of the two changes them. */
  copy(): Chain {
    const copy = new Chain(this.memory, this.limits, [...this.sites]);
    for (const { at } of this.sites) this.memory.share(at);
    copy.centre = this.centre;
    copy.truncationError = this.truncationError;
    copy.largestBond = this.largestBond;
    return copy;
  }

  release(): void {
    for (const { at, room } of this.sites.splice(0)) if (room > 0) this.memory.release(at);
  }

  /** Largest bond dimension now. */
  get bond(): number {
    return this.sites.reduce((most, { right }) => Math.max(most, right), 1);
  }

  /** ‖ψ‖². */
  get squaredNorm(): number {
    const { at, left, right } = this.sites[this.centre]!;
    const tensor = this.memory.doubles.subarray(at / 8, (at + bytesOf(left, right)) / 8);
    let mass = 0;
    for (let i = 0; i < tensor.length; i++) mass += tensor[i]! * tensor[i]!;
    return mass;
  }

  /** Applies a 2×2 matrix at an address to a site: a unitary, or to the centre. */
  applyToSite(site: number, matrix: number): void {
    const { at, left, right } = this.#own(site);
    this.memory.kernels.applyToSite(at, left, right, matrix);
  }

  /**
   * Applies a 4×4 matrix to a site and the next one.
   *
   * @param matrix - Gives the address of the matrix.
   * @param centre - Where the centre is to be afterwards: the site, or the next one.
   */
  async applyToPair(
    site: number,
    matrix: () => number,
    centre: number,
    slicer: TimeSlicer,
  ): Promise<void> {
    if (this.centre < site) await this.moveCentre(site, slicer);
    else if (this.centre > site + 1) await this.moveCentre(site + 1, slicer);
    const { memory } = this;
    const first = this.sites[site]!;
    const second = this.sites[site + 1]!;
    const [left, middle, right] = [first.left, first.right, second.right];
    const pair = memory.scratch('pair', 4 * ENTRY_BYTES * left * right);
    const product = memory.multiply(
      { at: first.at, stride: middle },
      { at: second.at, stride: 2 * right },
      { at: pair, stride: 2 * right },
      [2 * left, middle, 2 * right],
      slicer,
    );
    if (product !== undefined) await product;
    memory.kernels.applyToPair(pair, left, right, matrix());
    await this.#split(site, pair, centre > site, slicer);
  }

  /**
   * Divides a pair of sites into an isometry, which spans the kept part, and the rest.
   *
   * @param isRightward - Whether the centre is the second site afterwards.
   */
  async #split(
    site: number,
    pair: number,
    isRightward: boolean,
    slicer: TimeSlicer,
  ): Promise<void> {
    const { memory } = this;
    const { kernels } = memory;
    const m = 2 * this.sites[site]!.left;
    const n = 2 * this.sites[site + 1]!.right;
    const matrix = { at: pair, size: [m, n] as const, ofRows: isRightward };
    const found = await leadingVectors(memory, this.limits, matrix, slicer);
    const { bond, vectors } = found;
    const first = this.#replace(site, m / 2, bond);
    const second = this.#replace(site + 1, bond, n / 2);
    if (isRightward) await this.#project(found, matrix, first.at, second.at, slicer);
    else {
      memory.copy(vectors, ENTRY_BYTES * bond * n, second.at);
      const adjoint = memory.scratch('work', ENTRY_BYTES * bond * n);
      kernels.transpose(vectors, bond, n, adjoint, -1);
      const product = memory.multiply(
        { at: pair, stride: n },
        { at: adjoint, stride: bond },
        { at: first.at, stride: bond },
        [m, n, bond],
        slicer,
      );
      if (product !== undefined) await product;
    }
    this.centre = isRightward ? site + 1 : site;
    if (this.#note(found)) this.#scaleTo(found.total);
  }

  /** Writes left singular vectors as an isometry, and what a matrix is in their basis. */
  async #project(
    { bond, vectors }: LeadingVectors,
    { at, size: [m, n] }: MatrixToDivide,
    isometry: number,
    rest: number,
    slicer: TimeSlicer,
  ): Promise<void> {
    const { memory } = this;
    memory.kernels.transpose(vectors, bond, m, isometry, 1);
    memory.kernels.conjugate(vectors, bond * m);
    const product = memory.multiply(
      { at: vectors, stride: m },
      { at, stride: n },
      { at: rest, stride: n },
      [bond, m, n],
      slicer,
    );
    if (product !== undefined) await product;
  }

  /** Notes what a cut has left; gives whether it discarded more than rounding. */
  #note({ bond, discarded }: LeadingVectors): boolean {
    this.largestBond = Math.max(this.largestBond, bond);
    if (discarded < NEGLIGIBLE) return false;
    this.truncationError += (1 - this.truncationError) * discarded;
    return true;
  }

  /** Scales to a squared norm: that before a cut, whose discarded weight is known too roughly to scale by. */
  #scaleTo(target: number): void {
    this.#scale(Math.sqrt(target / this.squaredNorm));
  }

  /** Multiplies the centre by a number. */
  #scale(factor: number): void {
    const { at, left, right } = this.#own(this.centre);
    const tensor = this.memory.doubles.subarray(at / 8, (at + bytesOf(left, right)) / 8);
    for (let i = 0; i < tensor.length; i++) tensor[i]! *= factor;
  }

  /** Moves the centre to a site. Bonds that are wider than their rank become narrower. */
  async moveCentre(site: number, slicer: TimeSlicer): Promise<void> {
    while (this.centre !== site) {
      const isRightward = this.centre < site;
      const bond = isRightward ? this.sites[this.centre]!.right : this.sites[this.centre]!.left;
      if (bond > 1) {
        await (isRightward ? this.#passRight(slicer) : this.#passLeft(slicer));
        this.centre += isRightward ? 1 : -1;
        continue;
      }
      // A bond of dimension 1 has nothing to pass on but the norm.
      const norm = this.squaredNorm;
      const isOne = Math.abs(norm - 1) < NORM_ROUNDING;
      if (!isOne) this.#scale(1 / Math.sqrt(norm));
      this.centre += isRightward ? 1 : -1;
      if (!isOne) this.#scale(Math.sqrt(norm));
    }
  }

  async #passRight(slicer: TimeSlicer): Promise<void> {
    const { memory, centre } = this;
    const { at, left, right } = this.sites[centre]!;
    const next = this.sites[centre + 1]!;
    const columns = 2 * left;
    const work = memory.scratch('work', ENTRY_BYTES * right * columns);
    memory.kernels.transpose(at, columns, right, work, 1);
    const most = Math.min(right, columns);
    const factors = memory.scratch('factors', ENTRY_BYTES * right * most);
    const basis = memory.scratch('rows', ENTRY_BYTES * columns * most);
    const found = memory.orthogonalize(
      work,
      right,
      columns,
      factors,
      basis,
      SQUARED_ROUNDING,
      slicer,
    );
    const { rank } = found instanceof Promise ? await found : found;
    const size = [rank, right, 2 * next.right] as const;
    const pair = memory.scratch('pair', ENTRY_BYTES * rank * size[2]);
    const product = memory.multiply(
      { at: factors, stride: right },
      { at: next.at, stride: size[2] },
      { at: pair, stride: size[2] },
      size,
      slicer,
    );
    if (product !== undefined) await product;
    memory.kernels.transpose(basis, rank, columns, this.#replace(centre, left, rank).at, 1);
    const after = this.#replace(centre + 1, rank, next.right);
    memory.copy(pair, ENTRY_BYTES * rank * size[2], after.at);
  }

  async #passLeft(slicer: TimeSlicer): Promise<void> {
    const { memory, centre } = this;
    const { at, left, right } = this.sites[centre]!;
    const before = this.sites[centre - 1]!;
    const columns = 2 * right;
    const work = memory.scratch('work', ENTRY_BYTES * left * Math.max(columns, left));
    memory.copy(at, ENTRY_BYTES * left * columns, work);
    const most = Math.min(left, columns);
    const factors = memory.scratch('factors', ENTRY_BYTES * left * most);
    const basis = memory.scratch('rows', ENTRY_BYTES * columns * most);
    const found = memory.orthogonalize(
      work,
      left,
      columns,
      factors,
      basis,
      SQUARED_ROUNDING,
      slicer,
    );
    const { rank } = found instanceof Promise ? await found : found;
    memory.kernels.transpose(factors, rank, left, work, 1);
    const size = [2 * before.left, left, rank] as const;
    const pair = memory.scratch('pair', ENTRY_BYTES * size[0] * rank);
    const product = memory.multiply(
      { at: before.at, stride: left },
      { at: work, stride: rank },
      { at: pair, stride: rank },
      size,
      slicer,
    );
    if (product !== undefined) await product;
    const after = this.#replace(centre - 1, before.left, rank);
    memory.copy(pair, ENTRY_BYTES * size[0] * rank, after.at);
    memory.copy(basis, ENTRY_BYTES * rank * columns, this.#replace(centre, rank, right).at);
  }

  /** Masses of a site's qubit. */
  async masses(site: number, slicer: TimeSlicer): Promise<QubitMasses> {
    await this.moveCentre(site, slicer);
    const { at, left, right } = this.sites[site]!;
    const sums = this.memory.scratch('masses', 16 * left);
    this.memory.kernels.rowMasses(at, 2 * left, right, sums);
    const { doubles } = this.memory;
    let [zero, one] = [0, 0];
    for (let i = 0; i < left; i++) {
      zero += doubles[sums / 8 + 2 * i]!;
      one += doubles[sums / 8 + 2 * i + 1]!;
    }
    return { zero, one };
  }

  /** Projects the qubit at the centre onto an outcome of that mass, and leaves it as |left⟩. */
  collapse(outcome: 0 | 1, left: 0 | 1, mass: number): void {
    const tensor = this.#own(this.centre);
    const { doubles } = this.memory;
    const length = 2 * tensor.right;
    const factor = 1 / Math.sqrt(mass);
    for (let row = 0; row < tensor.left; row++) {
      const first = tensor.at / 8 + 2 * row * length;
      const from = first + outcome * length;
      const to = first + left * length;
      const other = first + (1 - left) * length;
      for (let i = 0; i < length; i++) doubles[to + i] = factor * doubles[from + i]!;
      doubles.fill(0, other, other + length);
    }
  }

  /** Gives a site a tensor of that shape, with unspecified contents. */
  #replace(site: number, left: number, right: number): SiteTensor {
    const old = this.sites[site]!;
    let tensor: SiteTensor;
    const bytes = bytesOf(left, right);
    const fits = bytes <= old.room && 2 * bytes >= old.room;
    if (fits && !this.memory.isShared(old.at)) {
      tensor = { at: old.at, room: old.room, left, right };
    } else {
      this.memory.release(old.at);
      this.sites[site] = { at: 0, room: 0, left: 0, right: 0 };
      tensor = this.#allocated(left, right);
    }
    this.sites[site] = tensor;
    return tensor;
  }

  /** The tensor of a site, to be changed in place. */
  #own(site: number): SiteTensor {
    const { at, left, right } = this.sites[site]!;
    if (!this.memory.isShared(at)) return this.sites[site]!;
    const tensor = this.#allocated(left, right);
    this.memory.copy(at, bytesOf(left, right), tensor.at);
    this.memory.release(at);
    this.sites[site] = tensor;
    return tensor;
  }

  #allocated(left: number, right: number): SiteTensor {
    const bytes = bytesOf(left, right);
    return { at: this.memory.allocate(bytes), room: bytes, left, right };
  }
}

const bytesOf = (left: number, right: number): number => 2 * ENTRY_BYTES * left * right;
