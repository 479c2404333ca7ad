/**
 * All outcomes of a run on density matrices, each with its probability.
 *
 * A branch is the density matrix of the shots whose bits have one value. It splits where a qubit is measured or a bit
 * misread. Branches that come to a step with equal bits become one again, as their mixture; bits that nothing reads any
 * more do not keep them apart. So there are as many branches as values of the bits that matter, however many
 * measurements and rounds led to them. States of vectors cannot be mixed: shots on these are walked one by one
 * (`shot-tree.ts`).
 */
import { assignedBits } from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import { assign, conditionHolds, flipBit, readBit, wordsFor, writeBit } from './classical-bits.ts';
import type { DensityStates } from './density-states.ts';
import { TooManyBranchesError, TooManyRoundsError } from './errors.ts';
import type { PlanStep, RunPlan, SaveStep } from './run-plan.ts';
import { UNITS_PER_ROUND } from './shot-tree.ts';
import type { StateBudget } from './state-operations.ts';
import type { TimeSlicer } from './time-slicer.ts';

/** The density matrix of all shots with some bits. */
export interface OutcomeBranch<S> {
  readonly state: S;
  readonly bits: Uint32Array;
  readonly weight: number;
  /** Most loop rounds that any of these shots has begun. */
  readonly rounds: number;
}

/** Branches by the bits that keep them apart. */
type Mixture<S> = Map<string, OutcomeBranch<S>>;

/** A branch with a smaller probability is dropped: it is within rounding, and a loop may never end. */
const NEGLIGIBLE_WEIGHT = 1e-15;

/** Walks the outcomes of one run. */
export class OutcomeWalk<S> {
  readonly #plan: RunPlan;
  readonly #states: DensityStates<S>;
  readonly #budget: StateBudget;
  readonly #slicer: TimeSlicer;
  /** Bits that keep branches apart. */
  readonly #telling: readonly Bit[];
  /** Branches that wait, by the index of their next step. */
  readonly #waiting = new Map<number, Mixture<S>>();
  readonly #held = new Set<S>();
  #onSave: ((step: SaveStep, branch: OutcomeBranch<S>) => Promise<void>) | undefined;
  #statePasses = 0;
  #fractionDone = 0;

  /** @param keepsOutcomes - Whether the bits of the outcome matter in the end. */
  constructor(
    plan: RunPlan,
    states: DensityStates<S>,
    budget: StateBudget,
    slicer: TimeSlicer,
    keepsOutcomes: boolean,
  ) {
    this.#plan = plan;
    this.#states = states;
    this.#budget = budget;
    this.#slicer = slicer;
    const telling = new Set(plan.steps.flatMap(bitsReadBy));
    for (const each of plan.finalAssignments)
      for (const bit of assignedBits(each)) telling.add(bit);
    if (keepsOutcomes) for (let bit = 0; bit < plan.numBits; bit++) telling.add(bit);
    this.#telling = [...telling];
  }

  /** Passes through memory for sweeps, summed over all branches. */
  get statePasses(): number {
    return this.#statePasses;
  }

  /** In [0, 1]; never decreases. */
  get fractionDone(): number {
    return this.#fractionDone;
  }

  /**
   * Follows all outcomes.
   *
   * @param onEnd - Called for each branch with the state before the trailing measurements.
   * @param onSave - Called for each branch that comes to a snapshot.
   * @throws {TooManyBranchesError} if there are more branches than the budget allows.
   * @throws {TooManyRoundsError} if shots that are not negligible go through too many rounds of loops.
   */
  async run(
    onEnd: (branch: OutcomeBranch<S>) => Promise<void>,
    onSave: (step: SaveStep, branch: OutcomeBranch<S>) => Promise<void>,
  ): Promise<void> {
    this.#onSave = onSave;
    const { steps, numRegisterBits } = this.#plan;
    try {
      const state = this.#states.create();
      this.#held.add(state);
      const bits = new Uint32Array(wordsFor(numRegisterBits));
      await this.#arrive(0, { state, bits, weight: 1, rounds: 0 });
      while (this.#waiting.size > 0) {
        // Earliest first, so that all rounds of a loop are done when its end is reached.
        const index = Math.min(...this.#waiting.keys());
        const branches = this.#waiting.get(index)!;
        this.#waiting.delete(index);
        this.#fractionDone = Math.max(this.#fractionDone, index / Math.max(1, steps.length));
        for (const branch of branches.values()) {
          const step = steps[index];
          if (step !== undefined) await this.#take(step, index, branch);
          else {
            await onEnd(branch);
            this.#release(branch.state);
          }
        }
      }
    } finally {
      for (const state of this.#held) this.#release(state);
    }
  }

  /** Takes a branch through a step. */
  async #take(step: PlanStep, index: number, branch: OutcomeBranch<S>): Promise<void> {
    if (step.kind === 'again') return this.#arrive(step.head, branch);
    const holds = conditionHolds(step.condition, branch.bits);
    if (step.kind === 'loop') {
      if (!holds) return this.#arrive(step.end, branch);
      const { maxRounds } = this.#plan;
      if (branch.rounds >= maxRounds) throw new TooManyRoundsError(maxRounds);
      if (this.#slicer.spend(UNITS_PER_ROUND)) await this.#slicer.pause();
      return this.#arrive(index + 1, { ...branch, rounds: branch.rounds + 1 });
    }
    if (!holds) return this.#arrive(index + 1, branch);
    let after: Mixture<S> = new Map([['', branch]]);
    switch (step.kind) {
      case 'assign':
        assign(step, branch.bits);
        break;
      case 'save':
        await this.#onSave?.(step, branch);
        break;
      case 'initialize':
        await this.#states.initialize(branch.state, step.entries);
        break;
      case 'sweep':
        this.#statePasses += step.passes;
        await this.#states.applySweep(branch.state, index, () => {});
        break;
      case 'misread':
        for (const bit of step.bits) {
          after = await this.#split(after, async (each) => {
            const flips = readBit(each.bits, bit) === 1 ? step.p0Given1 : step.p1Given0;
            return [
              flips,
              async (part, isMisread) => {
                if (isMisread === 1) flipBit(part.bits, bit);
              },
            ];
          });
        }
        break;
      case 'collapse': {
        const { step: collapse } = step;
        for (const [i, qubit] of collapse.qubits.entries()) {
          after = await this.#split(after, async (each) => {
            const { zero, one } = await this.#states.qubitMasses(each.state, qubit);
            return [
              one / (zero + one),
              async (part, outcome) => {
                const isMeasured = collapse.kind === 'measure';
                const mass = outcome === 1 ? one : zero;
                await this.#states.collapse(
                  part.state,
                  qubit,
                  outcome,
                  isMeasured ? outcome : 0,
                  mass,
                );
                if (isMeasured) writeBit(part.bits, collapse.bits[i]!, outcome);
              },
            ];
          });
        }
      }
    }
    for (const each of after.values()) await this.#arrive(index + 1, each);
  }

  /**
   * Splits each branch by an outcome.
   *
   * @param measure - Returns the probability of outcome 1, and what brings a part to its outcome.
   */
  async #split(
    branches: Mixture<S>,
    measure: (
      branch: OutcomeBranch<S>,
    ) => Promise<
      readonly [one: number, settle: (part: OutcomeBranch<S>, outcome: 0 | 1) => Promise<void>]
    >,
  ): Promise<Mixture<S>> {
    const out: Mixture<S> = new Map();
    for (const branch of branches.values()) {
      const [one, settle] = await measure(branch);
      const weights = [(1 - one) * branch.weight, one * branch.weight] as const;
      const parts: OutcomeBranch<S>[] = [];
      const followed = ([0, 1] as const).filter((outcome) => weights[outcome] > NEGLIGIBLE_WEIGHT);
      for (const outcome of followed) {
        const isLast = outcome === followed.at(-1);
        const part = {
          ...branch,
          state: isLast ? branch.state : await this.#copyOf(branch.state),
          bits: branch.bits.slice(),
          weight: weights[outcome],
        };
        await settle(part, outcome);
        parts.push(part);
      }
      if (parts.length === 0) this.#release(branch.state);
      for (const part of parts) await this.#join(out, part);
    }
    return out;
  }

  #arrive(index: number, branch: OutcomeBranch<S>): Promise<void> {
    let mixture = this.#waiting.get(index);
    if (mixture === undefined) {
      mixture = new Map();
      this.#waiting.set(index, mixture);
    }
    return this.#join(mixture, branch);
  }

  /** Adds a branch to a mixture; one with equal bits is mixed with it. */
  async #join(mixture: Mixture<S>, branch: OutcomeBranch<S>): Promise<void> {
    const key = this.#telling.map((bit) => readBit(branch.bits, bit)).join('');
    const other = mixture.get(key);
    if (other === undefined) {
      mixture.set(key, branch);
      return;
    }
    const weight = other.weight + branch.weight;
    await this.#states.mix(other.state, branch.state, branch.weight / weight);
    this.#release(branch.state);
    mixture.set(key, { ...other, weight, rounds: Math.max(other.rounds, branch.rounds) });
  }

  async #copyOf(state: S): Promise<S> {
    const { stateBytes, maxStates } = this.#budget;
    if (this.#held.size >= maxStates) {
      throw new TooManyBranchesError(this.#plan.numQubits, stateBytes, maxStates);
    }
    const copy: S = await this.#states.copy(state);
    this.#held.add(copy);
    return copy;
  }

  #release(state: S): void {
    this.#held.delete(state);
    this.#states.release(state);
  }
}

/** Bits that a step depends on. */
function bitsReadBy(step: PlanStep): readonly Bit[] {
  if (step.kind === 'assign') return assignedBits(step);
  const read = step.condition?.bits ?? [];
  return step.kind === 'misread' ? [...step.bits, ...read] : read;
}
