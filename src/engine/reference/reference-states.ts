/**
 * State operations of one run on the reference engine: arrays of doubles, interleaved re, im, in
 * physical order.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { Program } from '../../compiler/program.ts';
import { BitImages } from '../../math/bit-images.ts';
import type { EntryAccess } from '../density-states.ts';
import { ENTRIES_PER_CHUNK, type InitialEntries } from '../initial-entries.ts';
import {
  type BasisSamples,
  type QubitMasses,
  type SampleRequest,
  type StateOperations,
  valuesInTurn,
} from '../state-operations.ts';
import { sortedTerminalDraws } from '../terminal-measurement.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';
import {
  applyObservable,
  expectation,
  logicalAmplitudes,
  outcomeProbabilities,
} from './final-state.ts';
import { type StateKernel, stepKernels } from './kernels.ts';

/** Data that all runs of a program share. */
export interface ReferenceProgram {
  readonly numQubits: number;
  /** Kernels of each step. */
  readonly sweeps: readonly (readonly StateKernel[])[];
  /** Logical qubit → physical qubit, at the end. */
  readonly layout: readonly Qubit[];
  /** Logical basis index → physical basis index, at the end. */
  readonly physicalOf: BitImages;
}

/**
 * Compiles a program whose sweeps `planRun` has checked.
 *
 * @param sums - Sums that its probes add to, if it has any.
 */
export function prepareReferenceProgram(program: Program, sums?: Float64Array): ReferenceProgram {
  return {
    numQubits: program.numQubits,
    sweeps: stepKernels(program, sums),
    ...placesOf(program.finalLayout),
  };
}

/** The places of logical qubits, as states are read. */
export function placesOf(
  layout: readonly Qubit[],
): Pick<ReferenceProgram, 'layout' | 'physicalOf'> {
  return { layout, physicalOf: new BitImages(layout.map((physical) => 2 ** physical)) };
}

/** The states of one run. */
export class ReferenceStates implements StateOperations<Float64Array>, EntryAccess<Float64Array> {
  readonly #program: ReferenceProgram;
  readonly #slicer: TimeSlicer;
  /** Released states, for reuse. */
  readonly #spare: Float64Array[] = [];
  /** Kernels of the segments that were applied. */
  readonly #segments = new Map<Program, ReferenceProgram['sweeps']>();

  constructor(program: ReferenceProgram, slicer: TimeSlicer) {
    this.#program = program;
    this.#slicer = slicer;
  }

  create(): Float64Array {
    const state = this.#spare.pop()?.fill(0) ?? this.#allocate();
    state[0] = 1;
    return state;
  }

  async initialize(state: Float64Array, entries: InitialEntries): Promise<void> {
    for (let at = 0; at < state.length; at += 2 * ENTRIES_PER_CHUNK) {
      const chunk = state.subarray(at, at + 2 * ENTRIES_PER_CHUNK);
      entries.fill(at / 2, chunk);
      if (this.#slicer.spend(chunk.length)) await this.#slicer.pause();
    }
  }

  copy(state: Float64Array): Float64Array {
    const copy = this.#spare.pop() ?? this.#allocate();
    copy.set(state);
    return copy;
  }

  release(state: Float64Array): void {
    this.#spare.push(state);
  }

  applySweep(
    state: Float64Array,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    return this.#applyKernels(state, this.#program.sweeps[stepIndex]!, onPasses);
  }

  applyStepOf(
    program: Program,
    state: Float64Array,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    const sweeps = this.#segments.get(program) ?? stepKernels(program);
    this.#segments.set(program, sweeps);
    return this.#applyKernels(state, sweeps[stepIndex]!, onPasses);
  }

  async #applyKernels(
    state: Float64Array,
    kernels: readonly StateKernel[],
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    for (const [i, { numGroups, groupsPerChunk, unitsPerGroup, apply }] of kernels.entries()) {
      for (let from = 0; from < numGroups; from += groupsPerChunk) {
        const to = Math.min(from + groupsPerChunk, numGroups);
        apply(state, from, to);
        if (!this.#slicer.spend((to - from) * unitsPerGroup)) continue;
        onPasses(i + to / numGroups);
        await this.#slicer.pause();
      }
    }
  }

  qubitMasses(state: Float64Array, qubit: Qubit): Promise<QubitMasses> {
    return qubitMasses(state, qubit, this.#slicer);
  }

  collapse(
    state: Float64Array,
    qubit: Qubit,
    outcome: 0 | 1,
    left: 0 | 1,
    mass: number,
  ): Promise<void> {
    return collapse(state, qubit, outcome, left, mass, this.#slicer);
  }

  sample(state: Float64Array, request: SampleRequest): Promise<BasisSamples> {
    return sampleBasisStates(state, this.#program.physicalOf, request, this.#slicer);
  }

  statevector(state: Float64Array): Promise<Float64Array> {
    return logicalAmplitudes(state, this.#program.physicalOf, this.#slicer);
  }

  probabilities(state: Float64Array, outcomeOf: BitImages, numBits: number): Promise<Float64Array> {
    return outcomeProbabilities(state, outcomeOf, numBits, this.#slicer);
  }

  amplitudes(state: Float64Array, basisIndices: readonly bigint[]): Float64Array {
    const { physicalOf } = this.#program;
    return Float64Array.from(
      basisIndices.flatMap((index) => {
        const at = 2 * physicalOf.at(Number(index));
        return [state[at]!, state[at + 1]!];
      }),
    );
  }

  entries(state: Float64Array, indexOf: BitImages, flips: number): Float64Array {
    const { physicalOf } = this.#program;
    const out = new Float64Array(2 * 2 ** indexOf.images.length);
    for (let i = 0; i < out.length; i += 2) {
      const at = 2 * physicalOf.at(indexOf.at(i / 2) ^ flips);
      out[i] = state[at]!;
      out[i + 1] = state[at + 1]!;
    }
    return out;
  }

  mix(state: Float64Array, other: Float64Array, share: number): void {
    for (const [i, part] of other.entries()) state[i] = (1 - share) * state[i]! + share * part;
  }

  expectations(state: Float64Array, observables: readonly PauliSum[]): Promise<readonly number[]> {
    const { layout } = this.#program;
    return valuesInTurn(observables, (one) => expectation(state, one, layout, this.#slicer));
  }

  applyObservable(state: Float64Array, observable: PauliSum, image: Float64Array): Promise<void> {
    return applyObservable(state, observable, this.#program.layout, image, this.#slicer);
  }

  #allocate(): Float64Array {
    return new Float64Array(2 * 2 ** this.#program.numQubits);
  }
}

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * One draw a shot, sorted, then one walk over the probabilities. The walk needs no array of cumulative sums, which
 * would take half the memory of the state.
 *
 * @param physicalOf - Logical basis index → physical basis index.
 */
export async function sampleBasisStates(
  state: Float64Array,
  physicalOf: BitImages,
  request: SampleRequest,
  slicer: TimeSlicer,
): Promise<BasisSamples> {
  const draws = await sortedTerminalDraws(request, slicer);
  const norm = await normOf(state, physicalOf, slicer);
  const numAmplitudes = state.length / 2;
  const basisIndices = new Uint32Array(Math.min(draws.length, numAmplitudes));
  const occurrences = new Uint32Array(basisIndices.length);
  let numDrawn = 0;
  let cumulative = 0;
  let next = 0;
  let lastPossible = 0;
  for (let from = 0; from < numAmplitudes && next < draws.length; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to && next < draws.length; i++) {
      const physical = physicalOf.at(i);
      const mass = state[2 * physical]! ** 2 + state[2 * physical + 1]! ** 2;
      if (mass === 0) continue;
      cumulative += mass;
      lastPossible = i;
      const first = next;
      while (next < draws.length && draws[next]! * norm < cumulative) next++;
      if (next === first) continue;
      basisIndices[numDrawn] = i;
      occurrences[numDrawn] = next - first;
      numDrawn++;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
  if (next < draws.length) {
    // A draw just below 1, times the norm, may round up to the norm.
    if (numDrawn === 0 || basisIndices[numDrawn - 1] !== lastPossible) {
      basisIndices[numDrawn++] = lastPossible;
    }
    occurrences[numDrawn - 1]! += draws.length - next;
  }
  return {
    basisIndices: basisIndices.slice(0, numDrawn),
    occurrences: occurrences.slice(0, numDrawn),
  };
}

/** Sums all probabilities in the order of the walk, so that both reach the same total. */
async function normOf(
  state: Float64Array,
  physicalOf: BitImages,
  slicer: TimeSlicer,
): Promise<number> {
  const numAmplitudes = state.length / 2;
  let norm = 0;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const physical = physicalOf.at(i);
      norm += state[2 * physical]! ** 2 + state[2 * physical + 1]! ** 2;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
  return norm;
}

/** The masses of a physical qubit. */
export async function qubitMasses(
  state: Float64Array,
  qubit: Qubit,
  slicer: TimeSlicer,
): Promise<QubitMasses> {
  const numAmplitudes = state.length / 2;
  let zero = 0;
  let one = 0;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const mass = state[2 * i]! ** 2 + state[2 * i + 1]! ** 2;
      if ((i >>> qubit) & 1) one += mass;
      else zero += mass;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
  return { zero, one };
}

/**
 * Projects onto `outcome`, renormalises, and leaves the qubit as |left⟩: the outcome itself after a
 * measurement, 0 after a reset.
 *
 * @param mass - Mass of the outcome, as `qubitMasses` returns it; positive.
 */
export async function collapse(
  state: Float64Array,
  qubit: Qubit,
  outcome: 0 | 1,
  left: 0 | 1,
  mass: number,
  slicer: TimeSlicer,
): Promise<void> {
  const scale = 1 / Math.sqrt(mass);
  const mask = 2 ** qubit;
  const numPairs = state.length / 4;
  let base = 0;
  for (let from = 0; from < numPairs; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numPairs);
    for (let pair = from; pair < to; pair++) {
      const kept = 2 * (base + outcome * mask);
      const re = scale * state[kept]!;
      const im = scale * state[kept + 1]!;
      const cleared = 2 * (base + (1 - left) * mask);
      state[cleared] = 0;
      state[cleared + 1] = 0;
      const filled = 2 * (base + left * mask);
      state[filled] = re;
      state[filled + 1] = im;
      base = ((base | mask) + 1) & ~mask;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
}
