/**
 * One run of a program: a tree of measured outcomes, walked depth first.
 *
 * Shots travel together in a branch, which owns a state, and part only where a measurement gives
 * them different outcomes. Of the two branches the larger waits and the smaller goes on; each
 * waiting branch then has at least as many shots as all that run while it waits, so no more than
 * log2(shots) states wait at any time, however many measurements a circuit has. The alternative,
 * a run a shot, costs the shots times the circuit even where all outcomes agree.
 */
import type { Measure, Reset } from '../../compiler/program.ts';
import { uniformDraw } from '../../math/philox.ts';
import { conditionHolds, wordsFor, writeBit } from '../classical-bits.ts';
import { CountsBuilder } from '../counts-builder.ts';
import type { Counts } from '../engine.ts';
import { TooManyBranchesError } from '../errors.ts';
import { type Pacer, UNITS_PER_CHUNK } from '../pacer.ts';
import { sampleBasisStates } from './basis-samples.ts';
import { collapse, type QubitMasses, qubitMasses } from './collapse.ts';
import type { CollapseStep, PreparedSweep, RunPlan } from './run-plan.ts';

const UNITS_PER_DRAW = 32;

/** Shots with the same outcomes so far, and where they stand. */
interface Branch {
  readonly state: Float64Array;
  readonly bits: Uint32Array;
  readonly shots: Uint32Array;
  /** The next step of the plan. */
  step: number;
  /** The next qubit of that step, where it is a measurement or reset. */
  position: number;
}

/** Shots by the outcome of one measured qubit. */
interface PartedShots {
  readonly zeros: Uint32Array;
  readonly ones: Uint32Array;
}

/** Walks the tree of one run. */
export class ShotTree {
  readonly #plan: RunPlan;
  readonly #seed: number;
  readonly #pacer: Pacer;
  readonly #totalShots: number;
  readonly #maxStates: number;
  readonly #counts: CountsBuilder;
  readonly #waiting: Branch[] = [];
  /** States of finished branches, to be used again. */
  readonly #spareStates: Float64Array[] = [];
  #numStates = 1;
  #statePasses = 0;
  #samplingMs = 0;
  #fractionDone = 0;

  constructor(
    plan: RunPlan,
    { shots, seed, maxStates }: { shots: number; seed: number; maxStates: number },
    pacer: Pacer,
  ) {
    this.#plan = plan;
    this.#seed = seed;
    this.#pacer = pacer;
    this.#totalShots = shots;
    this.#maxStates = maxStates;
    this.#counts = new CountsBuilder(plan.numBits);
  }

  /** Milliseconds spent on the trailing measurements and on sorting the counts. */
  get samplingMs(): number {
    return this.#samplingMs;
  }

  /** One a kernel: this engine takes no two kernels through memory together. */
  get statePasses(): number {
    return this.#statePasses;
  }

  /** Kernels done, weighted by the shots they were done for; in [0, 1], never falls. */
  get fractionDone(): number {
    return Math.min(1, this.#fractionDone);
  }

  /**
   * Runs all shots.
   *
   * @param onFinalState - Called with the state before the trailing measurements, where a plan has
   *   one that serves all shots, also when there are no shots.
   */
  async run(onFinalState?: (state: Float64Array) => Promise<void>): Promise<Counts> {
    if (this.#totalShots > 0 || onFinalState !== undefined) this.#waiting.push(this.#root());
    for (let branch = this.#waiting.pop(); branch !== undefined; branch = this.#waiting.pop()) {
      const leaf = await this.#follow(branch);
      await onFinalState?.(leaf.state);
      const started = performance.now();
      if (leaf.shots.length > 0) await this.#measureAtEnd(leaf);
      this.#samplingMs += performance.now() - started;
      this.#spareStates.push(leaf.state);
    }
    const started = performance.now();
    const counts = await this.#counts.finish(this.#pacer);
    this.#samplingMs += performance.now() - started;
    return counts;
  }

  #root(): Branch {
    const state = new Float64Array(2 * 2 ** this.#plan.numQubits);
    state[0] = 1;
    const shots = new Uint32Array(this.#totalShots);
    for (let shot = 0; shot < shots.length; shot++) shots[shot] = shot;
    const bits = new Uint32Array(wordsFor(this.#plan.numBits));
    return { state, bits, shots, step: 0, position: 0 };
  }

  /** Takes a branch to its end; where it parts, goes on with the smaller part. */
  async #follow(start: Branch): Promise<Branch> {
    let branch = start;
    while (branch.step < this.#plan.steps.length) {
      const step = this.#plan.steps[branch.step]!;
      // A branch that waited in mid-step is in it because the condition held; the step may since
      // have written the bits that the condition reads.
      const holds = branch.position > 0 || conditionHolds(step.condition, branch.bits);
      if (step.kind === 'sweep') {
        if (holds) await this.#applySweep(step, branch);
        else this.#fractionDone += step.kernels.length * this.#weightOfKernel(branch);
      } else if (holds) {
        while (branch.position < step.step.qubits.length) {
          branch = await this.#collapseNext(step, branch);
        }
      }
      branch.step++;
      branch.position = 0;
    }
    return branch;
  }

  async #applySweep({ kernels }: PreparedSweep, branch: Branch): Promise<void> {
    const weight = this.#weightOfKernel(branch);
    this.#statePasses += kernels.length;
    for (const { numGroups, groupsPerChunk, unitsPerGroup, apply } of kernels) {
      for (let from = 0; from < numGroups; from += groupsPerChunk) {
        const to = Math.min(from + groupsPerChunk, numGroups);
        apply(branch.state, from, to);
        this.#fractionDone += (weight * (to - from)) / numGroups;
        if (this.#pacer.spend((to - from) * unitsPerGroup)) await this.#pacer.pause();
      }
    }
  }

  /** What one kernel on this branch is of the whole run; without shots there is one branch. */
  #weightOfKernel(branch: Branch): number {
    const share = this.#totalShots === 0 ? 1 : branch.shots.length / this.#totalShots;
    return share / this.#plan.numKernels;
  }

  /** Measures or resets the branch's next qubit. */
  async #collapseNext({ step, event }: CollapseStep, branch: Branch): Promise<Branch> {
    const masses = await qubitMasses(branch.state, step.qubits[branch.position]!, this.#pacer);
    const parted = await this.#part(branch, event, masses.one / (masses.zero + masses.one));
    if (parted.ones.length === 0) return this.#settle(step, branch, 0, masses);
    if (parted.zeros.length === 0) return this.#settle(step, branch, 1, masses);

    const isZeroSmaller = parted.zeros.length <= parted.ones.length;
    const [smaller, larger] = isZeroSmaller
      ? [parted.zeros, parted.ones]
      : [parted.ones, parted.zeros];
    const goesOn: Branch = {
      ...branch,
      state: this.#copyOf(branch.state),
      bits: branch.bits.slice(),
      shots: smaller,
    };
    const waits: Branch = { ...branch, shots: larger };
    this.#waiting.push(await this.#settle(step, waits, isZeroSmaller ? 1 : 0, masses));
    return this.#settle(step, goesOn, isZeroSmaller ? 0 : 1, masses);
  }

  /** Draws for every shot of a branch and parts them by outcome; certain outcomes need no draw. */
  async #part({ shots, position }: Branch, event: number, one: number): Promise<PartedShots> {
    const none = shots.subarray(0, 0);
    if (one <= 0) return { zeros: shots, ones: none };
    if (one >= 1) return { zeros: none, ones: shots };
    // Zeros fill it from the front, ones from the back; the order within a branch means nothing.
    const parted = new Uint32Array(shots.length);
    let numZeros = 0;
    let firstOne = shots.length;
    const shotsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
    for (let from = 0; from < shots.length; from += shotsPerChunk) {
      const to = Math.min(from + shotsPerChunk, shots.length);
      for (let i = from; i < to; i++) {
        const shot = shots[i]!;
        if (uniformDraw(this.#seed, shot, event, position) < one) parted[--firstOne] = shot;
        else parted[numZeros++] = shot;
      }
      if (this.#pacer.spend(UNITS_PER_DRAW * (to - from))) await this.#pacer.pause();
    }
    return { zeros: parted.subarray(0, numZeros), ones: parted.subarray(numZeros) };
  }

  /** Gives a branch its outcome for the qubit at hand. */
  async #settle(
    step: Measure | Reset,
    branch: Branch,
    outcome: 0 | 1,
    masses: QubitMasses,
  ): Promise<Branch> {
    const qubit = step.qubits[branch.position]!;
    const left = step.kind === 'measure' ? outcome : 0;
    const mass = outcome === 1 ? masses.one : masses.zero;
    await collapse(branch.state, qubit, outcome, left, mass, this.#pacer);
    if (step.kind === 'measure') writeBit(branch.bits, step.bits[branch.position]!, outcome);
    branch.position++;
    return branch;
  }

  /** @throws {TooManyBranchesError} before more is allocated than the engine may hold. */
  #copyOf(state: Float64Array): Float64Array {
    const spare = this.#spareStates.pop();
    if (spare === undefined && this.#numStates >= this.#maxStates) {
      throw new TooManyBranchesError(this.#plan.numQubits, state.byteLength, this.#maxStates);
    }
    if (spare === undefined) this.#numStates++;
    const copy = spare ?? new Float64Array(state.length);
    copy.set(state);
    return copy;
  }

  /** The trailing measurements: one draw a shot. */
  async #measureAtEnd({ state, bits, shots }: Branch): Promise<void> {
    const { measuredWords, physicalOf, terminalEvent } = this.#plan;
    if (measuredWords.length === 0) {
      this.#counts.add(bits, shots.length);
      return;
    }
    const request = { shots, seed: this.#seed, event: terminalEvent };
    await sampleBasisStates(state, physicalOf, request, this.#pacer, (physical, occurrences) => {
      for (const { word, mask, bitsOf } of measuredWords) {
        bits[word] = (bits[word]! & ~mask) | bitsOf.at(physical);
      }
      this.#counts.add(bits, occurrences);
    });
  }
}
