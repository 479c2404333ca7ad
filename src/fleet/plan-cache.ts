/** The scheduler's plan, made when somebody asks and kept while it still says about the same. */
import type { Plan } from './schedule/scheduler.ts';

/** Where plans take long, one part in so many of the time goes into them at most. */
const TIME_PER_COST = 20;
const LONG_MS = 2;
/** A plan that nothing has outdated still ages: what runs comes closer to its end. */
const MAX_AGE_MS = 100;

/** Keeps the last plan. */
export class PlanCache {
  readonly #make: () => Plan;
  #plan: Plan | undefined;
  #madeAt = 0;
  #costMs = 0;
  #isOutdated = true;

  constructor(make: () => Plan) {
    this.#make = make;
  }

  /** Says that something changed. */
  invalidate(): void {
    this.#isOutdated = true;
  }

  /** The plan as things stand, or stood a moment ago where making another would cost too much. */
  get(): Plan {
    const ageMs = performance.now() - this.#madeAt;
    const isRecent = ageMs < (this.#isOutdated ? this.#longestOutdatedMs : MAX_AGE_MS);
    if (this.#plan !== undefined && isRecent) return this.#plan;
    const begun = performance.now();
    this.#plan = this.#make();
    this.#madeAt = performance.now();
    this.#costMs = this.#madeAt - begun;
    this.#isOutdated = false;
    return this.#plan;
  }

  get #longestOutdatedMs(): number {
    return this.#costMs < LONG_MS ? 0 : TIME_PER_COST * this.#costMs;
  }
}
