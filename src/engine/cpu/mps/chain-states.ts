/** Operations of the walk over branches (`shot-tree.ts`) on matrix product states. */
import type { ChainGates, MatrixProductProgram } from '../../../compiler/program.ts';
import { writeBit } from '../../classical-bits.ts';
import type { BranchOperations, QubitMasses, SampleRequest } from '../../state-operations.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import { Chain } from './chain.ts';
import { sampleChain } from './sample-chain.ts';
import type { TensorMemory } from './tensor-memory.ts';

/** A measurement of a site into a bit at the end of a program. */
export interface LastMeasure {
  readonly site: number;
  readonly bit: number;
}

/** A program in a memory. */
export interface PlacedChainProgram {
  readonly program: MatrixProductProgram;
  /** Measurements after all steps. */
  readonly lastMeasures: readonly LastMeasure[];
  readonly memory: TensorMemory;
  /** Address of the program's matrices. */
  readonly matrices: number;
}

/** The operations of one run; states are chains. */
export class ChainStates implements BranchOperations<Chain> {
  readonly #placed: PlacedChainProgram;
  readonly #slicer: TimeSlicer;
  /** Of the states that were released. */
  #truncationError = 0;
  #largestBond = 1;

  constructor(placed: PlacedChainProgram, slicer: TimeSlicer) {
    this.#placed = placed;
    this.#slicer = slicer;
  }

  /** Weight that the cuts of the worst state discarded. */
  get truncationError(): number {
    return this.#truncationError;
  }

  get largestBond(): number {
    return this.#largestBond;
  }

  create(): Chain {
    const { program, memory } = this.#placed;
    return Chain.ofZeros(memory, program, program.numQubits);
  }

  copy(chain: Chain): Chain {
    return chain.copy();
  }

  release(chain: Chain): void {
    this.#truncationError = Math.max(this.#truncationError, chain.truncationError);
    this.#largestBond = Math.max(this.#largestBond, chain.largestBond);
    chain.release();
  }

  async applySweep(
    chain: Chain,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    const { program, matrices } = this.#placed;
    // Checked: the plan has a sweep for gates alone.
    const { gates } = program.steps[stepIndex] as ChainGates;
    for (const [index, { site, numSites, offset }] of gates.entries()) {
      const matrix = matrices + 16 * offset;
      if (numSites === 1) chain.applyToSite(site, matrix);
      else {
        // The centre goes where the next gate needs it.
        const next = gates[index + 1]?.site ?? site;
        await chain.applyToPair(site, matrix, next > site ? site + 1 : site, this.#slicer);
      }
      onPasses(index);
    }
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
    const { lastMeasures } = this.#placed;
    const numSites = lastMeasures.reduce((most, { site }) => Math.max(most, site + 1), 0);
    if (numSites === 0) {
      count(bits.slice(), request.shots.count);
      return;
    }
    await sampleChain(chain, request, numSites, this.#slicer, (outcomes, shots) => {
      const register = bits.slice();
      for (const { site, bit } of lastMeasures) {
        writeBit(register, bit, outcomes[site] === 1 ? 1 : 0);
      }
      count(register, shots);
    });
  }
}
