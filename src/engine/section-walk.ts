/**
 * Takes branches through sections of gates and noise (`NoiseSection`).
 *
 * Shots without jumps share one state, which goes through segments as long as possible. If all survivals are known
 * beforehand, so are the sites of the next jumps, and a branch goes straight to the first of them. Otherwise a copy of
 * the state is taken through a segment: the shots that survive continue with it, the others take the segment in shorter
 * parts from its start. Survivals never increase, so this finds the first site after which S ≤ u.
 *
 * Segments begin at multiples of their lengths, which are powers of two, so that few are ever compiled.
 */
import type { Program } from '../compiler/program.ts';
import { uniformDraw } from '../math/philox.ts';
import { conditionHolds } from './classical-bits.ts';
import type { SectionStep } from './run-plan.ts';
import {
  type DrawSource,
  drawThresholds,
  numUpTo,
  type OrderedShots,
  type SectionProgress,
  type SiteOdds,
  siteOdds,
  someShots,
} from './section-progress.ts';
import { type BranchOperations, type ShotGroup, squaredNorm } from './state-operations.ts';
import { UNITS_PER_DRAW } from './terminal-measurement.ts';
import type { TimeSlicer } from './time-slicer.ts';

/** A branch in or before a section of gates and noise. */
export interface TravellingBranch<S> {
  state: S;
  readonly bits: Uint32Array;
  shots: ShotGroup;
  readonly rounds: number;
  /** Absent outside sections of gates and noise. */
  progress?: SectionProgress | undefined;
}

/** The tree of shots, as the walk uses it. */
export interface WalkHost<S, B extends TravellingBranch<S>> {
  readonly operations: BranchOperations<S>;
  readonly slicer: TimeSlicer;
  readonly seed: number;
  /** Multiplies a state by 2^16. */
  readonly rescaling: Program;
  /** @throws {TooManyBranchesError} before more is allocated than the engine may hold. */
  copyOf(state: S): Promise<S>;
  release(state: S): void;
  /** Parts shots from a branch; the other part waits with its own state. */
  branchOff(branch: B, state: S, shots: ShotGroup, progress: SectionProgress): B;
  wait(branch: B): void;
  /** Counts a pass of a state through memory. */
  onPass(): void;
  /** Counts elements that shots have passed. */
  onElements(numElements: number, numShots: number): void;
}

/** Jumps that a trial of a segment may be expected to find; with more, a shorter segment is tried. */
const MOST_EXPECTED_JUMPS = 0.7;
/** Squares of norms below this are brought back to the middle of the range of single precision. */
const SMALL_NORM = 2 ** -24;
const RESCALING_OF_NORM = 2 ** 32;

/** Takes branches through the sections of gates and noise of one run. */
export class SectionWalk<S, B extends TravellingBranch<S>> {
  readonly #host: WalkHost<S, B>;
  /** Odds of sections without conditions. */
  readonly #odds = new Map<SectionStep, SiteOdds>();

  constructor(host: WalkHost<S, B>) {
    this.#host = host;
  }

  /** Takes a branch to the end of a section. If it splits, continues with the smaller part. */
  async pass(step: SectionStep, start: B): Promise<B> {
    let branch = start;
    branch.progress ??= await this.#enter(step, branch);
    for (;;) {
      const progress: SectionProgress = branch.progress!;
      if (progress.isJumping) branch = await this.#jump(step, branch, progress);
      else if (progress.element === progress.sites.numElements) break;
      else if (progress.sites.isKnown) branch = await this.#goToJump(step, branch, progress);
      else branch = await this.#goOn(step, branch, progress);
    }
    const { norm } = branch.progress!;
    if (norm !== undefined && norm < SMALL_NORM) await this.#restoredNorm(branch);
    branch.progress = undefined;
    return branch;
  }

  #oddsOf(step: SectionStep, bits: Uint32Array): SiteOdds {
    const known = this.#odds.get(step);
    if (known !== undefined) return known;
    const odds = siteOdds(step, bits);
    if (step.section.sites.every(({ condition }) => condition === undefined)) {
      this.#odds.set(step, odds);
    }
    return odds;
  }

  async #enter(step: SectionStep, branch: B): Promise<SectionProgress> {
    const sites = this.#oddsOf(step, branch.bits);
    const progress: SectionProgress = {
      sites,
      shots: { numbers: new Uint32Array(0), keys: new Float64Array(0) },
      element: 0,
      survival: 1,
      norm: undefined,
      limit: undefined,
      numJumps: 0,
      isJumping: false,
      choices: undefined,
    };
    const isNoisy = sites.hazards[sites.numElements]! > 0;
    if (isNoisy) await this.#draw(step, branch, progress);
    return progress;
  }

  /** Draws the next thresholds of all shots of a branch. */
  async #draw(step: SectionStep, branch: B, progress: SectionProgress): Promise<void> {
    const { element, sites, numJumps } = progress;
    const source = this.#source(step, branch);
    progress.shots = await drawThresholds(
      branch.shots,
      sites,
      element,
      numJumps,
      source,
      this.#host.slicer,
    );
    branch.shots = groupOf(progress.shots);
  }

  #source({ event }: SectionStep, { rounds }: B): DrawSource {
    return { seed: this.#host.seed, event, rounds };
  }

  /** Goes to the next jump of any shot; the shots that jump there part from the others. */
  async #goToJump(step: SectionStep, branch: B, progress: SectionProgress): Promise<B> {
    const { shots, sites } = progress;
    const next = shots.keys[0] ?? sites.numElements;
    while (progress.element < next) {
      await this.#advance(step, branch, progress, segmentEnd(progress.element, next, sites));
    }
    if (next === sites.numElements) return branch;
    return this.#partAt(branch, progress, numUpTo(shots.keys, next), { isJumping: true });
  }

  /** Goes on where survivals depend on the state. */
  async #goOn(step: SectionStep, branch: B, progress: SectionProgress): Promise<B> {
    const { sites, element, limit, shots } = progress;
    if (limit === element + 1) {
      progress.isJumping = true;
      return branch;
    }
    const most = limit === undefined ? sites.numElements : limit - 1;
    const end = trialEnd(element, most, sites, branch.shots.count);
    const decay = Math.exp(sites.decay[element]! - sites.decay[end]!);
    if (sites.numUnknown[element] === sites.numUnknown[end]) {
      const survival = progress.survival * decay;
      const numJumping = numUpTo(shots.keys, 1 - survival);
      if (numJumping === 0) {
        await this.#advance(step, branch, progress, end);
        progress.survival = survival;
        return branch;
      }
      return await this.#partAt(branch, progress, numJumping, { limit: end });
    }
    progress.norm ??= await this.#normOf(branch.state);
    const trial = await this.#host.copyOf(branch.state);
    await this.#apply(step.section.segment(element, end), trial, branch.bits);
    const norm = await this.#normOf(trial);
    const survival = Math.min(
      progress.survival,
      progress.survival * decay * (norm / progress.norm),
    );
    const numJumping = numUpTo(shots.keys, 1 - survival);
    if (numJumping === branch.shots.count) {
      this.#host.release(trial);
      progress.limit = end;
      return branch;
    }
    this.#host.onElements(end - element, branch.shots.count - numJumping);
    const beyond = { element: end, survival, norm };
    if (numJumping === 0) {
      this.#host.release(branch.state);
      branch.state = trial;
      Object.assign(progress, beyond);
      return branch;
    }
    const rest = { ...progress, ...beyond, shots: someShots(shots, numJumping, shots.keys.length) };
    const surviving = this.#host.branchOff(branch, trial, groupOf(rest.shots), rest);
    progress.shots = someShots(shots, 0, numJumping);
    progress.limit = end;
    branch.shots = groupOf(progress.shots);
    return this.#smallerOf(branch, surviving);
  }

  /** Takes a branch through a segment. */
  async #advance(
    step: SectionStep,
    branch: B,
    progress: SectionProgress,
    end: number,
  ): Promise<void> {
    await this.#apply(step.section.segment(progress.element, end), branch.state, branch.bits);
    this.#host.onElements(end - progress.element, branch.shots.count);
    progress.element = end;
  }

  /** Parts the first shots from the others, with a change of their `SectionProgress`. */
  async #partAt(
    branch: B,
    progress: SectionProgress,
    count: number,
    change: Partial<SectionProgress>,
  ): Promise<B> {
    const { shots } = progress;
    if (count === shots.keys.length) {
      Object.assign(progress, change);
      return branch;
    }
    const some = { ...progress, ...change, shots: someShots(shots, 0, count) };
    progress.shots = someShots(shots, count, shots.keys.length);
    branch.shots = groupOf(progress.shots);
    const copy = await this.#host.copyOf(branch.state);
    return this.#smallerOf(branch, this.#host.branchOff(branch, copy, groupOf(some.shots), some));
  }

  /** Lets the larger branch wait. */
  #smallerOf(a: B, b: B): B {
    const [smaller, larger] = a.shots.count <= b.shots.count ? [a, b] : [b, a];
    this.#host.wait(larger);
    return smaller;
  }

  /** Lets the shots of a branch jump at the site of the next element. */
  async #jump(step: SectionStep, branch: B, progress: SectionProgress): Promise<B> {
    const { section } = step;
    const { element } = progress;
    const site = section.sites[element]!;
    if (progress.choices === undefined) {
      await this.#apply(section.gates(element), branch.state, branch.bits);
      const weights = await this.#jumpWeights(step, branch, element);
      if (weights === undefined) {
        // A survival that fell by rounding alone: no jump is possible, so none happens.
        await this.#stay(step, branch, progress);
        return branch;
      }
      await this.#choose(step, branch, progress, weights);
    }
    const rarest = rarestChoice(progress.choices!);
    if (rarest.count < branch.shots.count)
      return await this.#partByChoice(branch, progress, rarest);
    const program = site.jump(rarest.choice);
    if (program !== undefined) await this.#apply(program, branch.state, branch.bits);
    this.#host.onElements(1, branch.shots.count);
    if (!site.jumpsAreUnitary) progress.norm = await this.#restoredNorm(branch);
    progress.element = element + 1;
    progress.survival = 1;
    progress.limit = undefined;
    progress.isJumping = false;
    progress.choices = undefined;
    progress.numJumps++;
    await this.#draw(step, branch, progress);
    return branch;
  }

  /**
   * Weights of the jumps on a state before a site; undefined if none is possible. Each operator is tried on a copy: the
   * norm that it leaves is exact where a difference of probabilities would keep no digit.
   */
  async #jumpWeights(
    { section }: SectionStep,
    { state, bits }: B,
    element: number,
  ): Promise<ArrayLike<number> | undefined> {
    const site = section.sites[element]!;
    const { jumpWeights, jumpsAreUnitary } = site;
    if (jumpsAreUnitary) return jumpWeights;
    const weights: number[] = [];
    for (let index = 0; index < jumpWeights.length; index++) {
      const copy = await this.#host.copyOf(state);
      const program = site.jump(index);
      if (program !== undefined) await this.#apply(program, copy, bits);
      weights.push(jumpWeights[index]! * (await this.#normOf(copy)));
      this.#host.release(copy);
    }
    return weights.some((weight) => weight > 0) ? weights : undefined;
  }

  /** Draws the jump of every shot, and puts the shots in the order of their jumps. */
  async #choose(
    step: SectionStep,
    branch: B,
    progress: SectionProgress,
    weights: ArrayLike<number>,
  ): Promise<void> {
    const { slicer } = this.#host;
    const chosen = chooseJumps(
      progress.shots,
      weights,
      progress.numJumps,
      this.#source(step, branch),
    );
    Object.assign(progress, chosen);
    branch.shots = groupOf(progress.shots);
    if (slicer.spend(UNITS_PER_DRAW * branch.shots.count)) await slicer.pause();
  }

  /** Parts the shots of the rarest jump from the others, which wait. */
  async #partByChoice(branch: B, progress: SectionProgress, rarest: ChoiceRun): Promise<B> {
    const [rare, others] = partedByChoice(progress.shots, progress.choices!, rarest);
    Object.assign(progress, others);
    branch.shots = groupOf(progress.shots);
    const copy = await this.#host.copyOf(branch.state);
    const shots = groupOf(rare.shots);
    const parted = this.#host.branchOff(branch, copy, shots, { ...progress, ...rare });
    this.#host.wait(branch);
    return parted;
  }

  /** Applies the main operator of a site after its gates, to shots that cannot jump there. */
  async #stay(step: SectionStep, branch: B, progress: SectionProgress): Promise<void> {
    const { section } = step;
    const { element } = progress;
    const main = section.main(element);
    if (main !== undefined) await this.#apply(main, branch.state, branch.bits);
    this.#host.onElements(1, branch.shots.count);
    progress.element = element + 1;
    progress.norm = undefined;
    progress.limit = undefined;
    progress.isJumping = false;
  }

  /** ‖ψ‖², after the state was brought back from the edge of its range. */
  async #restoredNorm({ state, bits }: B): Promise<number> {
    let norm = await this.#normOf(state);
    while (norm < SMALL_NORM && norm > 0) {
      await this.#apply(this.#host.rescaling, state, bits);
      norm *= RESCALING_OF_NORM;
    }
    return norm;
  }

  #normOf(state: S): Promise<number> {
    return squaredNorm(this.#host.operations, state);
  }

  async #apply(program: Program, state: S, bits: Uint32Array): Promise<void> {
    const { operations, onPass } = this.#host;
    if (operations.applyStepOf === undefined) throw new Error('unreachable: no trajectories here');
    for (const [index, { kind, condition }] of program.steps.entries()) {
      if (kind !== 'sweep' && kind !== 'exchange')
        throw new Error(`unreachable: ${kind} in a section`);
      if (!conditionHolds(condition, bits)) continue;
      onPass();
      const applying = operations.applyStepOf(program, state, index, () => {});
      if (applying !== undefined) await applying;
    }
  }
}

const groupOf = ({ numbers }: OrderedShots): ShotGroup => ({ count: numbers.length, numbers });

/** End of the longest segment from an element that does not go beyond another. */
function segmentEnd(element: number, most: number, { numElements }: SiteOdds): number {
  // A segment that would reach beyond the last element ends there.
  const reach = most === numElements ? Number.POSITIVE_INFINITY : most;
  let length = 1;
  while (element % (2 * length) === 0 && element + length < most && element + 2 * length <= reach) {
    length *= 2;
  }
  return Math.min(element + length, numElements);
}

/** End of a segment that is worth a trial. */
function trialEnd(element: number, most: number, sites: SiteOdds, numShots: number): number {
  const { hazards } = sites;
  let end = segmentEnd(element, most, sites);
  while (
    end - element > 1 &&
    numShots * (hazards[end]! - hazards[element]!) > MOST_EXPECTED_JUMPS
  ) {
    let length = 1;
    while (element + 2 * length < end) length *= 2;
    end = element + length;
  }
  return end;
}

/** Shots in the order of their jumps. */
export interface ChosenJumps {
  readonly shots: OrderedShots;
  /** The jump of each shot, ascending. */
  readonly choices: Uint16Array;
}

/** Shots with the same jump, a range of the list. */
export interface ChoiceRun {
  readonly choice: number;
  readonly from: number;
  readonly count: number;
}

/**
 * Draws the jump of every shot. A single possible jump takes no draw.
 *
 * @param weights - Relative probabilities of the jumps, not all 0.
 * @param numJumps - Jumps of the shots so far.
 */
function chooseJumps(
  { numbers, keys }: OrderedShots,
  weights: ArrayLike<number>,
  numJumps: number,
  { seed, event, rounds }: DrawSource,
): ChosenJumps {
  const cumulative = Float64Array.from(weights);
  for (let i = 1; i < cumulative.length; i++) cumulative[i]! += cumulative[i - 1]!;
  const total = cumulative.at(-1)!;
  // By rounding, a draw times the sum may reach the sum.
  const last = cumulative.indexOf(total);
  const position = 2 * numJumps + 1;
  const chosen = new Uint16Array(numbers.length);
  // Index of the first shot of each choice.
  const starts = new Uint32Array(cumulative.length + 1);
  for (let i = 0; i < chosen.length; i++) {
    const shot = numbers[i]!;
    const u = cumulative.length === 1 ? 0 : uniformDraw(seed, shot, event, position, rounds);
    const choice = Math.min(last, numUpTo(cumulative, u * total));
    chosen[i] = choice;
    starts[choice + 1]!++;
  }
  for (let choice = 1; choice < starts.length; choice++) starts[choice]! += starts[choice - 1]!;
  const shots = { numbers: new Uint32Array(chosen.length), keys: new Float64Array(chosen.length) };
  const choices = new Uint16Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) {
    const choice = chosen[i]!;
    const at = starts[choice]!++;
    shots.numbers[at] = numbers[i]!;
    shots.keys[at] = keys[i]!;
    choices[at] = choice;
  }
  return { shots, choices };
}

/** The jump that the fewest shots take, the first of several. */
function rarestChoice(choices: Uint16Array): ChoiceRun {
  let best: ChoiceRun = { choice: choices[0]!, from: 0, count: choices.length };
  for (let from = 0; from < choices.length; ) {
    const choice = choices[from]!;
    let to = from + 1;
    while (to < choices.length && choices[to] === choice) to++;
    if (to - from < best.count) best = { choice, from, count: to - from };
    from = to;
  }
  return best;
}

/** The shots of one jump, and the others. */
function partedByChoice(
  shots: OrderedShots,
  choices: Uint16Array,
  { from, count }: ChoiceRun,
): readonly [ChosenJumps, ChosenJumps] {
  const to = from + count;
  const without = <T extends Uint16Array | Uint32Array | Float64Array>(all: T): T => {
    const rest = all.slice(count) as T;
    rest.set(all.subarray(0, from));
    return rest;
  };
  return [
    { shots: someShots(shots, from, to), choices: choices.slice(from, to) },
    {
      shots: { numbers: without(shots.numbers), keys: without(shots.keys) },
      choices: without(choices),
    },
  ];
}
