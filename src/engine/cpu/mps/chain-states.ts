/** Operations of the walk over branches (`shot-tree.ts`) on matrix product states, and their outputs. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import type { BondLimits, DenseKernel, Measure, Program } from '../../../compiler/program.ts';
import { BitImages } from '../../../math/bit-images.ts';
import { isUnitary } from '../../../math/complex-matrix.ts';
import { writeBit } from '../../classical-bits.ts';
import type { InitialEntries } from '../../initial-entries.ts';
import type {
  OutputOperations,
  QubitMasses,
  RunFigures,
  SampleRequest,
} from '../../state-operations.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import { Chain } from './chain.ts';
import {
  chainAmplitudes,
  chainDistribution,
  chainExpectations,
  chainVector,
} from './chain-outputs.ts';
import { sampleChain } from './chain-sampling.ts';
import type { TensorMemory } from './tensor-memory.ts';

/** A program on chains in a memory. */
export interface ChainSource {
  readonly numQubits: number;
  readonly limits: BondLimits;
  /** Steps that sweeps of the run are numbered in; those of segments come with their programs. */
  readonly program: Pick<Program, 'matrices' | 'steps' | 'isUnitary'>;
  /** Measurements after all steps. */
  readonly lastMeasures: readonly Measure[];
  /** Site of each qubit where outputs are read. */
  readonly layout: readonly Qubit[];
  readonly memory: TensorMemory;
}

/** The operations of one run; states are chains. */
export class ChainStates implements OutputOperations<Chain> {
  readonly #source: ChainSource;
  readonly #slicer: TimeSlicer;
  /** Site that each bit is read from at the end. */
  readonly #lastSites = new Map<number, number>();
  #truncationError = 0;
  #largestBond = 1;

  constructor(source: ChainSource, slicer: TimeSlicer) {
    this.#source = source;
    this.#slicer = slicer;
    for (const { qubits, bits } of source.lastMeasures) {
      for (const [i, bit] of bits.entries()) this.#lastSites.set(bit, qubits[i]!);
    }
  }

  /** Of the states that were released: the worst truncation error, and the largest bond. */
  figures(): RunFigures {
    return { truncationError: this.#truncationError, largestBond: this.#largestBond };
  }

  create(): Chain {
    const { memory, limits, numQubits } = this.#source;
    return Chain.ofZeros(memory, limits, numQubits);
  }

  initialize(chain: Chain, entries: InitialEntries): Promise<void> {
    return chain.divide((first, out) => entries.fill(first, out), this.#slicer);
  }

  copy(chain: Chain): Chain {
    return chain.copy();
  }

  release(chain: Chain): void {
    this.#truncationError = Math.max(this.#truncationError, chain.truncationError);
    this.#largestBond = Math.max(this.#largestBond, chain.largestBond);
    chain.release();
  }

  applySweep(
    chain: Chain,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    return this.applyStepOf(this.#source.program, chain, stepIndex, onPasses);
  }

  async applyStepOf(
    { steps, matrices, isUnitary: isUnitaryProgram }: ChainSource['program'],
    chain: Chain,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    const step = steps[stepIndex]!;
    if (step.kind !== 'sweep') throw new Error(`unreachable: ${step.kind} on a chain`);
    // Checked: sweeps on chains have dense kernels alone.
    const kernels = step.kernels as readonly DenseKernel[];
    for (const [index, { targets, offset }] of kernels.entries()) {
      const [last = 0, first = last] = targets;
      const entries = matrices.subarray(2 * offset, 2 * (offset + 4 ** targets.length));
      if (first === last) {
        if (first !== chain.centre && isUnitaryProgram === false && !isUnitary(entries)) {
          await chain.moveCentre(first, this.#slicer);
        }
        chain.applyToSite(first, this.#placed(entries));
      } else {
        // The centre goes where the next gate needs it.
        const next = kernels[index + 1]?.targets.at(-1) ?? first;
        const centre = next > first ? last : first;
        await chain.applyToPair(first, () => this.#placed(entries), centre, this.#slicer);
      }
      onPasses(index);
    }
  }

  /** Address of a matrix in memory, until the next one is placed. */
  #placed(entries: Float64Array): number {
    const { memory } = this.#source;
    const at = memory.scratch('matrix', 256);
    memory.doubles.set(entries, at / 8);
    return at;
  }

  squaredNorm(chain: Chain): number {
    return chain.squaredNorm;
  }

  qubitMasses(chain: Chain, site: number): Promise<QubitMasses> {
    return chain.masses(site, this.#slicer);
  }

  /** The centre is where `qubitMasses` has moved it, also in a copy. */
  collapse(chain: Chain, site: number, outcome: 0 | 1, left: 0 | 1, mass: number): void {
    if (chain.centre !== site) throw new Error('unreachable: a collapse away from the centre');
    chain.collapse(outcome, left, mass);
  }

  async countShots(
    chain: Chain,
    request: SampleRequest,
    bits: Uint32Array,
    count: (register: Uint32Array, shots: number) => void,
  ): Promise<void> {
    const lastSites = [...this.#lastSites];
    const numSites = lastSites.reduce((most, [, site]) => Math.max(most, site + 1), 0);
    if (numSites === 0) {
      count(bits.slice(), request.shots.count);
      return;
    }
    await sampleChain(chain, request, numSites, this.#slicer, (outcomes, shots) => {
      const register = bits.slice();
      for (const [bit, site] of lastSites) writeBit(register, bit, outcomes[site] === 1 ? 1 : 0);
      count(register, shots);
    });
  }

  async statevector(chain: Chain): Promise<Float64Array> {
    return inQubitOrder(await chainVector(chain, this.#slicer), this.#source.layout);
  }

  amplitudes(chain: Chain, basisStates: readonly bigint[]): Promise<Float64Array> {
    return chainAmplitudes(chain, basisStates, this.#source.layout, this.#slicer);
  }

  async probabilities(chain: Chain, { images }: BitImages, numBits: number): Promise<Float64Array> {
    const distribution = new Float64Array(2 ** numBits);
    const read = images.flatMap((image, site) => (image === 0 ? [] : [{ image, site }]));
    if (read.length === 0) {
      distribution[0] = chain.squaredNorm;
      return distribution;
    }
    const sites = read.map(({ site }) => site);
    const byValue = await chainDistribution(chain, sites, this.#slicer);
    for (const [value, probability] of byValue.entries()) {
      let outcome = 0;
      for (const [i, { image }] of read.entries()) if (((value >> i) & 1) === 1) outcome |= image;
      distribution[outcome]! += probability;
    }
    return distribution;
  }

  expectations(chain: Chain, observables: readonly PauliSum[]): Promise<readonly number[]> {
    return chainExpectations(chain, observables, this.#source.layout, this.#slicer);
  }
}

/** Amplitudes in the order of basis indices, from those in the order of the chain. */
function inQubitOrder(amplitudes: Float64Array, siteOf: readonly number[]): Float64Array {
  const numQubits = siteOf.length;
  if (siteOf.every((site, qubit) => site === numQubits - 1 - qubit)) return amplitudes;
  const images = new BitImages(siteOf.map((site) => 1 << (numQubits - 1 - site)));
  const out = new Float64Array(amplitudes.length);
  for (let index = 0; index < 2 ** numQubits; index++) {
    const from = 2 * images.at(index);
    out[2 * index] = amplitudes[from]!;
    out[2 * index + 1] = amplitudes[from + 1]!;
  }
  return out;
}
