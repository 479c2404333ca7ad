/**
 * The shots of one run as a tree of measured outcomes, walked depth first.
 *
 * Shots travel together in a branch, which owns a state, and split only where a measurement gives
 * them different outcomes. Of the two branches the larger waits and the smaller goes on. Each
 * waiting branch then has at least as many shots as all that run while it waits, so at most
 * log2(shots) states wait at any time, however many measurements a circuit has. The alternative,
 * one run for each shot, costs shots times circuit even if all outcomes agree.
 */
import type { Measure, Program, Reset } from '../compiler/program.ts';
import { uniformDraw } from '../math/philox.ts';
import { assign, conditionHolds, flipBit, readBit, wordsFor, writeBit } from './classical-bits.ts';
import { CountsBuilder } from './counts-builder.ts';
import type { Counts, CountsFinish, RunRequest, ShotRange } from './engine.ts';
import { TooManyBranchesError, TooManyRoundsError } from './errors.ts';
import { misreadCounts } from './final-misreads.ts';
import type { CollapseStep, MisreadStep, RunPlan, SaveStep } from './run-plan.ts';
import { SectionWalk, type TravellingBranch } from './section-walk.ts';
import type { BranchOperations, QubitMasses, ShotGroup, StateBudget } from './state-operations.ts';
import {
  type Finish,
  finishedOutcome,
  recordSamples,
  registerOf,
  UNITS_PER_DRAW,
} from './terminal-measurement.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from './time-slicer.ts';

/** Shots with equal outcomes and equal noise so far, and their position in the plan. */
interface Branch<S> extends TravellingBranch<S> {
  /** Index of the next step of the plan. */
  step: number;
  /** Index of the next qubit or bit within that step, if it is a measurement, a reset or a misreading. */
  position: number;
  /** Number of loop rounds that these shots have begun. */
  rounds: number;
}

/** Shots before the trailing measurements. */
export interface FinalBranch<S> {
  readonly state: S;
  /** The register; not to be kept. */
  readonly bits: Uint32Array;
  readonly numShots: number;
}

/** The shots of a branch, split by the outcome of one measured qubit. */
interface PartedShots {
  readonly zeros: ShotGroup;
  readonly ones: ShotGroup;
}

/** Work units of beginning a loop round, so that a loop without gates pauses, too. */
export const UNITS_PER_ROUND = 64;

const NO_SHOTS: ShotGroup = { count: 0 };

/** Walks the tree of outcomes of one run. */
export class ShotTree<S> {
  readonly #plan: RunPlan;
  readonly #operations: BranchOperations<S>;
  readonly #budget: StateBudget;
  readonly #seed: number;
  readonly #range: ShotRange;
  readonly #totalShots: number;
  /** Whether the caller that joins the ranges of shots applies the misreadings at the end. */
  readonly #isPart: boolean;
  readonly #slicer: TimeSlicer;
  readonly #counts: CountsBuilder;
  /** Turns a register that is counted into an outcome. */
  readonly #finish: Finish;
  readonly #noise: SectionWalk<S, Branch<S>> | undefined;
  readonly #waiting: Branch<S>[] = [];
  /** States not yet released. */
  readonly #held = new Set<S>();
  #statePasses = 0;
  #numLeaves = 0;
  #samplingMs = 0;
  #fractionDone = 0;
  /** Fraction done when the current step began, and the fraction that one of its passes adds. */
  #fractionBefore = 0;
  #fractionPerPass = 0;
  #onSave: ((step: SaveStep, branch: FinalBranch<S>) => Promise<void>) | undefined;
  readonly #onPasses = (passesDone: number): void => {
    this.#fractionDone = this.#fractionBefore + passesDone * this.#fractionPerPass;
  };

  /** @param rescaling - Program that rescales small states, if the plan has noise. */
  constructor(
    plan: RunPlan,
    operations: BranchOperations<S>,
    budget: StateBudget,
    { shots, seed, shotRange }: Pick<RunRequest, 'shots' | 'seed' | 'shotRange'>,
    slicer: TimeSlicer,
    rescaling?: Program,
  ) {
    this.#plan = plan;
    this.#operations = operations;
    this.#budget = budget;
    this.#seed = seed;
    this.#range = shotRange ?? { from: 0, to: shots };
    this.#totalShots = this.#range.to - this.#range.from;
    this.#isPart = shotRange !== undefined;
    this.#slicer = slicer;
    this.#finish = plan.finalMisreads.length > 0 ? registerOf(plan) : plan;
    this.#counts = new CountsBuilder(this.#finish.numBits);
    this.#noise = rescaling === undefined ? undefined : this.#noiseWalk(rescaling);
  }

  /** Milliseconds spent on the trailing measurements and on sorting the counts. */
  get samplingMs(): number {
    return this.#samplingMs;
  }

  /** Passes through memory for sweeps, summed over all branches. */
  get statePasses(): number {
    return this.#statePasses;
  }

  /** Branches that were taken to the end. */
  get numLeaves(): number {
    return this.#numLeaves;
  }

  /** Steps that the counts lack; undefined where they are those of outcomes. */
  get countsFinish(): CountsFinish | undefined {
    if (!this.#isPart || this.#finish === this.#plan) return undefined;
    const { numBits, numRegisterBits, finalMisreads, misreadEvent, finalAssignments } = this.#plan;
    return { numBits, numRegisterBits, finalMisreads, misreadEvent, finalAssignments };
  }

  /** Passes done, weighted by their shots; in [0, 1], never decreases. */
  get fractionDone(): number {
    return Math.min(1, this.#fractionDone);
  }

  /**
   * Runs all shots. Releases every state at the end, also after a failure.
   *
   * @param onFinalState - Called for each branch with its state before the trailing measurements; also when there are
   *   no shots.
   * @param onSave - Called for each branch that comes to a snapshot; also when there are no shots.
   */
  async run(
    onFinalState?: (branch: FinalBranch<S>) => Promise<void>,
    onSave?: (step: SaveStep, branch: FinalBranch<S>) => Promise<void>,
  ): Promise<Counts> {
    this.#onSave = onSave;
    const hasSaves = onSave !== undefined && this.#plan.steps.some(({ kind }) => kind === 'save');
    try {
      if (this.#totalShots > 0 || onFinalState !== undefined || hasSaves) {
        this.#waiting.push(this.#root());
      }
      for (let branch = this.#waiting.pop(); branch !== undefined; branch = this.#waiting.pop()) {
        const leaf = await this.#follow(branch);
        this.#numLeaves++;
        if (onFinalState !== undefined) {
          await onFinalState({ state: leaf.state, bits: leaf.bits, numShots: leaf.shots.count });
        }
        const started = performance.now();
        if (leaf.shots.count > 0) await this.#measureAtEnd(leaf);
        this.#samplingMs += performance.now() - started;
        this.#release(leaf.state);
      }
    } finally {
      for (const state of this.#held) this.#release(state);
    }
    const started = performance.now();
    let counts = await this.#counts.finish(this.#slicer);
    if (this.#finish !== this.#plan && !this.#isPart) {
      counts = await misreadCounts(counts, this.#plan, this.#seed, this.#slicer);
    }
    this.#samplingMs += performance.now() - started;
    return counts;
  }

  #root(): Branch<S> {
    const state = this.#operations.create();
    this.#held.add(state);
    const bits = new Uint32Array(wordsFor(this.#plan.numRegisterBits));
    const { from } = this.#range;
    const count = this.#totalShots;
    // Shots from 0 on need no list of their numbers.
    const shots =
      from === 0
        ? { count }
        : { count, numbers: Uint32Array.from({ length: count }, (_, i) => from + i) };
    return { state, bits, shots, step: 0, position: 0, rounds: 0 };
  }

  #release(state: S): void {
    this.#held.delete(state);
    this.#operations.release(state);
  }

  /** Runs a branch to its end. If it splits, continues with the smaller part. */
  async #follow(start: Branch<S>): Promise<Branch<S>> {
    let branch = start;
    const { steps } = this.#plan;
    while (branch.step < steps.length) {
      const step = steps[branch.step]!;
      // A branch that waited in mid-step is inside it because the condition held then; the step may
      // since have written the bits that the condition reads.
      const holds = branch.position > 0 || conditionHolds(step.condition, branch.bits);
      if (step.kind === 'again') {
        branch.step = step.head;
        continue;
      }
      if (step.kind === 'loop') {
        if (holds) await this.#beginRound(branch);
        branch.step = holds ? branch.step + 1 : step.end;
        continue;
      }
      if (step.kind === 'assign') {
        if (holds) assign(step, branch.bits);
      } else if (step.kind === 'initialize') {
        if (this.#operations.initialize === undefined)
          throw new Error('unreachable: an initial state on an engine without basis indices');
        await this.#operations.initialize(branch.state, step.entries);
      } else if (step.kind === 'save') {
        const { state, bits, shots } = branch;
        await this.#onSave?.(step, { state, bits, numShots: shots.count });
      } else if (step.kind === 'section') {
        if (this.#noise === undefined) throw new Error('unreachable: noise in a plain program');
        branch = await this.#noise.pass(step, branch);
      } else if (step.kind === 'sweep') {
        this.#fractionBefore = this.#fractionDone;
        this.#fractionPerPass = this.#weightOfPass(branch.shots);
        if (holds) {
          this.#statePasses += step.passes;
          const applying = this.#operations.applySweep(branch.state, branch.step, this.#onPasses);
          if (applying !== undefined) await applying;
        }
        this.#onPasses(step.passes);
      } else if (holds && step.kind === 'misread') {
        while (branch.position < step.bits.length) branch = await this.#misreadNext(step, branch);
      } else if (holds && step.kind === 'collapse') {
        // Without shots there is nothing after the first outcome: only snapshots before it were asked for.
        if (branch.shots.count === 0) return branch;
        while (branch.position < step.step.qubits.length) {
          branch = await this.#collapseNext(step, branch);
        }
      }
      branch.step++;
      branch.position = 0;
    }
    return branch;
  }

  async #beginRound(branch: Branch<S>): Promise<void> {
    const { maxRounds } = this.#plan;
    if (++branch.rounds > maxRounds) throw new TooManyRoundsError(maxRounds);
    if (this.#slicer.spend(UNITS_PER_ROUND)) await this.#slicer.pause();
  }

  /** Fraction of the whole run that one pass for these shots is. */
  #weightOfPass({ count }: ShotGroup): number {
    if (this.#plan.numPasses === 0) return 0;
    const share = this.#totalShots === 0 ? 1 : count / this.#totalShots;
    return share / this.#plan.numPasses;
  }

  #noiseWalk(rescaling: Program): SectionWalk<S, Branch<S>> {
    return new SectionWalk({
      operations: this.#operations,
      slicer: this.#slicer,
      seed: this.#seed,
      rescaling,
      copyOf: (state) => this.#copyOf(state),
      release: (state) => this.#release(state),
      branchOff: (branch, state, shots, progress) => ({
        ...branch,
        state,
        bits: branch.bits.slice(),
        shots,
        progress,
      }),
      wait: (branch) => this.#waiting.push(branch),
      onPass: () => {
        this.#statePasses++;
      },
      onElements: (numElements, numShots) => {
        this.#fractionDone += numElements * this.#weightOfPass({ count: numShots });
      },
    });
  }

  /** Measures or resets the next qubit of a branch. */
  async #collapseNext({ step, event }: CollapseStep, branch: Branch<S>): Promise<Branch<S>> {
    const qubit = step.qubits[branch.position]!;
    const masses = await this.#operations.qubitMasses(branch.state, qubit);
    const one = masses.one / (masses.zero + masses.one);
    return this.#split(branch, event, one, (part, outcome) =>
      this.#settle(step, part, outcome, masses),
    );
  }

  /** Misreads the next bit of a branch, or leaves it unchanged. */
  #misreadNext(step: MisreadStep, branch: Branch<S>): Promise<Branch<S>> {
    const bit = step.bits[branch.position]!;
    const flips = readBit(branch.bits, bit) === 1 ? step.p0Given1 : step.p1Given0;
    return this.#split(branch, step.event, flips, async (part, isMisread) => {
      if (isMisread === 1) flipBit(part.bits, bit);
      part.position++;
      return part;
    });
  }

  /**
   * Splits a branch by an outcome, and returns the part that goes on.
   *
   * @param one - Probability of outcome 1.
   * @param settle - Brings a part to its outcome.
   */
  async #split(
    branch: Branch<S>,
    event: number,
    one: number,
    settle: (part: Branch<S>, outcome: 0 | 1) => Promise<Branch<S>>,
  ): Promise<Branch<S>> {
    const { zeros, ones } = await this.#part(branch, event, one);
    if (ones.count === 0) return settle(branch, 0);
    if (zeros.count === 0) return settle(branch, 1);

    const isZeroSmaller = zeros.count <= ones.count;
    const [smaller, larger] = isZeroSmaller ? [zeros, ones] : [ones, zeros];
    const goesOn: Branch<S> = {
      ...branch,
      state: await this.#copyOf(branch.state),
      bits: branch.bits.slice(),
      shots: smaller,
    };
    const waits: Branch<S> = { ...branch, shots: larger };
    this.#waiting.push(await settle(waits, isZeroSmaller ? 1 : 0));
    return settle(goesOn, isZeroSmaller ? 0 : 1);
  }

  /**
   * Draws for every shot of a branch and splits the shots by outcome. A certain outcome takes no
   * draw.
   */
  async #part(branch: Branch<S>, event: number, one: number): Promise<PartedShots> {
    const { shots, position, rounds } = branch;
    if (one <= 0) return { zeros: shots, ones: NO_SHOTS };
    if (one >= 1) return { zeros: NO_SHOTS, ones: shots };
    const { count, numbers } = shots;
    // Zeros fill the array from the front, ones from the back; the order within a branch does not
    // matter.
    const parted = new Uint32Array(count);
    let numZeros = 0;
    let firstOne = count;
    const shotsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
    for (let from = 0; from < count; from += shotsPerChunk) {
      const to = Math.min(from + shotsPerChunk, count);
      for (let i = from; i < to; i++) {
        const shot = numbers === undefined ? i : numbers[i]!;
        if (uniformDraw(this.#seed, shot, event, position, rounds) < one) parted[--firstOne] = shot;
        else parted[numZeros++] = shot;
      }
      if (this.#slicer.spend(UNITS_PER_DRAW * (to - from))) await this.#slicer.pause();
    }
    return {
      zeros: { count: numZeros, numbers: parted.subarray(0, numZeros) },
      ones: { count: count - numZeros, numbers: parted.subarray(numZeros) },
    };
  }

  /** Collapses a branch's current qubit to its outcome. */
  async #settle(
    step: Measure | Reset,
    branch: Branch<S>,
    outcome: 0 | 1,
    masses: QubitMasses,
  ): Promise<Branch<S>> {
    const qubit = step.qubits[branch.position]!;
    const left = step.kind === 'measure' ? outcome : 0;
    const mass = outcome === 1 ? masses.one : masses.zero;
    await this.#operations.collapse(branch.state, qubit, outcome, left, mass);
    if (step.kind === 'measure') writeBit(branch.bits, step.bits[branch.position]!, outcome);
    branch.position++;
    return branch;
  }

  /**
   * Copies a state.
   *
   * @throws {TooManyBranchesError} before more is allocated than the engine may hold.
   */
  async #copyOf(state: S): Promise<S> {
    const { stateBytes, maxStates } = this.#budget;
    if (this.#held.size >= maxStates) {
      throw new TooManyBranchesError(this.#plan.numQubits, stateBytes, maxStates);
    }
    const copy: S = await this.#operations.copy(state);
    this.#held.add(copy);
    return copy;
  }

  /** Performs the trailing measurements, with one draw a shot. */
  async #measureAtEnd({ state, bits, shots }: Branch<S>): Promise<void> {
    const { measuredWords, terminalEvent } = this.#plan;
    const request = { shots, seed: this.#seed, event: terminalEvent };
    if (this.#operations.countShots !== undefined) {
      await this.#operations.countShots(state, request, bits, (register, numShots) =>
        this.#counts.add(finishedOutcome(this.#finish, register), numShots),
      );
      return;
    }
    if (measuredWords.length === 0) {
      this.#counts.add(finishedOutcome(this.#finish, bits), shots.count);
      return;
    }
    if (this.#operations.sample === undefined) throw new Error('unreachable: no way to sample');
    const sampling = this.#operations.sample(state, request);
    const samples = sampling instanceof Promise ? await sampling : sampling;
    recordSamples(this.#counts, samples, { ...this.#finish, measuredWords }, bits);
  }
}
