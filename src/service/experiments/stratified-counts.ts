/**
 * Counts of a task whose shots are stratified by their number of faults, and which strata the next chunks have.
 *
 * Strata of few faults have so few sets of faults that each is looked at once, so that their error rates are exact. The
 * others are sampled in rounds: each doubles the shots, and gives them to the strata that make the interval long. What a
 * round has follows from the counts before it alone.
 *
 * The rate is Σ P(k) f(k). The interval of each f(k) is Wilson's, and half the length of the sum's is the root of the
 * sum of their squares, on either side: for one stratum it is Wilson's, and it holds where a stratum has no errors yet.
 * Strata that were not looked at may err always.
 *
 * @see Zou & Donner, "Construction of confidence limits about effect measures: a general approach", 2008.
 */
import { numSets, type Stratum } from '../../decoding/fault-strata.ts';
import { CHUNK_SHOTS, type Tally } from '../../fleet/error-counting.ts';
import { type ErrorRate, errorRate } from './error-rate.ts';
import { type CountedChunks, NONE, precisionReached, type StopRule } from './task-counts.ts';

/** The numbers of faults of a task's shots. */
export interface FaultNumbers {
  /** Errors that may happen, and how many do on average. */
  readonly numFaults: number;
  readonly mean: number;
  /** Probability of 0, 1, 2, … faults. */
  readonly probabilities: readonly number[];
  /** Fewer faults than these are taken as corrected. */
  readonly minFaults: number;
}

/** Part of the shots that strata may have whose sets are looked at one by one. */
const ENUMERATED_PART = 1 / 4;
/** Strata beyond those that have at most this part of the rate together are left out. */
const OMITTED_PART = 1e-2;
/** What the rate is taken to be, as a part of the probability of the sampled strata, until there is an error. */
const FIRST_GUESS = 1e-3;

/** Counts of a stratum. */
export interface StratumCounts {
  readonly faults: number;
  readonly shots: number;
  readonly errors: number;
  /** Where each set of faults is looked at once: their number, and the probability of those with errors so far. */
  readonly enumerated?: { readonly sets: number; readonly errorProbability: number };
}

/** Chunks that come one after the other and have one number of faults. */
interface Block {
  readonly faults: number;
  readonly to: number;
}

/** What is stored of a stratified task, besides its counts. */
export interface StoredStrata {
  readonly strata: readonly StratumCounts[];
  readonly blocks: readonly Block[];
  readonly rate: ErrorRate;
  /** Probability of the numbers of faults that were not looked at. */
  readonly omitted: number;
}

/** Counts the chunks of a stratified task. */
export class StratifiedCounts {
  readonly #rule: StopRule;
  readonly #numbers: FaultNumbers;
  readonly #strata = new Map<number, StratumCounts>();
  /** The present round. */
  #blocks: readonly Block[];
  #counted: CountedChunks;
  #fraction = 0;
  readonly #ahead = new Map<number, Tally>();

  /** @param stored - Chunks that were counted before a restart. */
  constructor(
    rule: StopRule,
    numbers: FaultNumbers,
    counted: CountedChunks = NONE,
    stored?: StoredStrata,
  ) {
    this.#rule = rule;
    this.#numbers = numbers;
    this.#counted = counted;
    for (const stratum of stored?.strata ?? []) this.#strata.set(stratum.faults, stratum);
    if (stored === undefined) this.#enumerate();
    this.#blocks = stored?.blocks ?? this.#round();
    this.#fraction = this.#fractionDone();
  }

  get counted(): CountedChunks {
    return this.#counted;
  }

  get fraction(): number {
    return this.#fraction;
  }

  get isDone(): boolean {
    return this.#fraction >= 1;
  }

  /** Chunks that are planned. */
  get mostChunks(): number {
    return this.#blocks.at(-1)?.to ?? 0;
  }

  get expectedChunks(): number {
    return this.mostChunks;
  }

  get stored(): StoredStrata {
    const strata = [...this.#strata.values()].toSorted((a, b) => a.faults - b.faults);
    return { strata, blocks: this.#blocks, rate: this.#rate(), omitted: this.#omitted() };
  }

  /** The shots of planned chunks. */
  strataOf(from: number, to: number): readonly Stratum[] {
    return Array.from({ length: to - from }, (_, i) => {
      const chunk = from + i;
      const at = this.#blocks.findIndex((block) => chunk < block.to);
      const { faults } = this.#blocks[at]!;
      const { enumerated } = this.#strata.get(faults) ?? {};
      if (enumerated === undefined) return { faults, shots: CHUNK_SHOTS };
      const first = CHUNK_SHOTS * (chunk - (this.#blocks[at - 1]?.to ?? 0));
      return { faults, first, shots: Math.min(CHUNK_SHOTS, enumerated.sets - first) };
    });
  }

  /** Adds the tally of a chunk. */
  add(chunk: number, tally: Tally): void {
    this.#ahead.set(chunk, tally);
    while (!this.isDone) {
      const { shots, errors, ms, numChunks } = this.#counted;
      const next = this.#ahead.get(numChunks);
      if (next === undefined) return;
      this.#ahead.delete(numChunks);
      this.#count(this.strataOf(numChunks, numChunks + 1)[0]!.faults, next);
      this.#counted = {
        shots: shots + next.shots,
        errors: errors + next.errors,
        discards: 0,
        ms: ms + next.ms,
        numChunks: numChunks + 1,
      };
      if (numChunks + 1 === this.mostChunks) this.#blocks = [...this.#blocks, ...this.#round()];
      this.#fraction = this.#fractionDone();
    }
    this.#ahead.clear();
  }

  #count(faults: number, { shots, errors, errorProbability }: Tally): void {
    const before = this.#strata.get(faults) ?? { faults, shots: 0, errors: 0 };
    const { enumerated } = before;
    this.#strata.set(faults, {
      faults,
      shots: before.shots + shots,
      errors: before.errors + errors,
      ...(enumerated !== undefined && {
        enumerated: {
          sets: enumerated.sets,
          errorProbability: enumerated.errorProbability + errorProbability,
        },
      }),
    });
  }

  /** Chooses the strata of which each set of faults is looked at. */
  #enumerate(): void {
    const { numFaults, minFaults, probabilities } = this.#numbers;
    let left = ENUMERATED_PART * this.#rule.maxShots;
    for (let faults = minFaults; faults < probabilities.length; faults++) {
      const sets = numSets(numFaults, faults);
      left -= sets;
      if (left < 0) return;
      const enumerated = { sets, errorProbability: 0 };
      this.#strata.set(faults, { faults, shots: 0, errors: 0, enumerated });
    }
  }

  /** Strata that are sampled: the first that are not enumerated, as far as the others hardly matter. */
  #sampled(): readonly StratumCounts[] {
    const { probabilities } = this.#numbers;
    const isSampled = (faults: number) => this.#strata.get(faults)?.enumerated === undefined;
    const strata = probabilities
      .map((probability, faults) => ({ probability, faults }))
      .filter(({ faults }) => faults >= this.#numbers.minFaults && isSampled(faults));
    const sum = (some: typeof strata) =>
      some.reduceRight((total, each) => total + each.probability, 0);
    const { rate } = this.#rate();
    const most = OMITTED_PART * (rate > 0 ? rate : FIRST_GUESS * sum(strata));
    const count = strata.findIndex((_, i) => sum(strata.slice(i)) <= most);
    return strata
      .slice(0, count < 0 ? strata.length : Math.max(1, count))
      .map(({ faults }) => this.#strata.get(faults) ?? { faults, shots: 0, errors: 0 });
  }

  /** The chunks of the next round; none if there are no shots left. */
  #round(): readonly Block[] {
    const { numChunks } = this.#counted;
    const blocks: Block[] = [];
    let to = numChunks;
    const add = (faults: number, chunks: number) => {
      to += chunks;
      if (chunks > 0) blocks.push({ faults, to });
    };
    let planned = this.#counted.shots;
    if (numChunks === 0) {
      for (const { faults, enumerated } of this.#strata.values()) {
        add(faults, Math.ceil(enumerated!.sets / CHUNK_SHOTS));
        planned += enumerated!.sets;
      }
    }
    const sampled = this.#sampled();
    const left = Math.floor((this.#rule.maxShots - planned) / CHUNK_SHOTS);
    const taken = sampled.reduce((sum, { shots }) => sum + shots, 0) / CHUNK_SHOTS;
    // Where there are not enough shots for all, those of the likeliest say most.
    const { probabilities } = this.#numbers;
    const fresh = sampled
      .filter(({ shots }) => shots === 0)
      .toSorted((a, b) => probabilities[b.faults]! - probabilities[a.faults]!)
      .slice(0, left);
    for (const { faults } of fresh) add(faults, 1);
    const budget = Math.min(left, Math.max(sampled.length, taken)) - fresh.length;
    const weights = sampled.map(({ shots, ...of }) =>
      shots === 0 ? 0 : this.#widthOf({ shots, ...of }) * Math.sqrt(shots),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    let [share, given] = [0, 0];
    if (budget > 0 && all > 0) {
      for (const [i, { faults }] of sampled.entries()) {
        share += weights[i]! / all;
        const upTo = Math.round(share * budget);
        add(faults, upTo - given);
        given = upTo;
      }
    }
    return blocks;
  }

  /** Length of a stratum's interval, weighted. */
  #widthOf(stratum: StratumCounts): number {
    const { low, high } = this.#rateOf(stratum);
    return this.#numbers.probabilities[stratum.faults]! * (high - low);
  }

  /** The error rate of a stratum that has shots. */
  #rateOf({ shots, errors, enumerated }: StratumCounts): ErrorRate {
    if (enumerated === undefined) return errorRate({ shots, errors, discards: 0 })!;
    const { sets, errorProbability: rate } = enumerated;
    return { rate, low: rate, high: shots === sets ? rate : 1 };
  }

  #rate(): ErrorRate {
    let [rate, below, above] = [0, 0, 0];
    for (const stratum of this.#strata.values()) {
      if (stratum.shots === 0) continue;
      const probability = this.#numbers.probabilities[stratum.faults]!;
      const own = this.#rateOf(stratum);
      rate += probability * own.rate;
      below += (probability * (own.rate - own.low)) ** 2;
      above += (probability * (own.high - own.rate)) ** 2;
    }
    return {
      rate,
      low: Math.max(0, rate - Math.sqrt(below)),
      high: Math.min(1, rate + Math.sqrt(above) + this.#omitted()),
    };
  }

  #omitted(): number {
    const { minFaults, probabilities } = this.#numbers;
    return probabilities.reduce(
      (sum, probability, faults) =>
        faults < minFaults || (this.#strata.get(faults)?.shots ?? 0) > 0 ? sum : sum + probability,
      0,
    );
  }

  #fractionDone(): number {
    const { maxShots, relativeError } = this.#rule;
    // What is left is less than a chunk.
    if (this.#counted.numChunks === this.mostChunks) return 1;
    const ofErrors =
      relativeError === undefined ? 0 : precisionReached(relativeError, this.#rate());
    return Math.min(1, Math.max(this.#counted.shots / maxShots, ofErrors));
  }
}
