/**
 * When a slot or a device is free, as planned so far: from some time on, but for one stay that is held
 * for a task which waits for something else, too. What is short enough runs before that stay.
 *
 * One gap is kept, not all of them: more are rare, and looking through lists of stays would make a plan
 * of many tasks quadratic.
 *
 * @see Mu'alem, Feitelson, "Utilization, predictability, workloads, and user runtime estimates in
 *   scheduling the IBM SP2 with backfilling", 2001: what backfilling gains, and what estimates it needs.
 */

/** What runs before a held stay is to fit this many times: estimates err, and it is not to be late. */
const GAP_MARGIN = 2;

/** Free time of one slot or device. Times are milliseconds. */
export class FreeTime {
  /** Free from then … */
  #from: number;
  /** … until then … */
  #until = Number.POSITIVE_INFINITY;
  /** … and again from then on. */
  #after = Number.POSITIVE_INFINITY;

  constructor(from: number) {
    this.#from = from;
  }

  /** When what is free at a time that `fit` gave became so. */
  since(at: number): number {
    return at >= this.#after ? this.#after : this.#from;
  }

  /** When it is free after all that is planned. */
  get end(): number {
    return this.#until === Number.POSITIVE_INFINITY ? this.#from : this.#after;
  }

  /** The earliest time, not before `start`, from which it is free for `ms`. */
  fit(start: number, ms: number): number {
    const at = Math.max(start, this.#from);
    return this.#isInGap(at, ms) ? at : Math.max(start, this.#after);
  }

  /** Takes the time from `start` on for `ms`, which `fit` has given. */
  take(start: number, ms: number): void {
    if (this.#until === Number.POSITIVE_INFINITY && start > this.#from) {
      this.#until = start;
      this.#after = start + ms;
    } else if (this.#isInGap(start, ms)) {
      this.#from = start + ms;
    } else {
      this.#after = start + ms;
    }
  }

  #isInGap(at: number, ms: number): boolean {
    return this.#until === Number.POSITIVE_INFINITY || at + GAP_MARGIN * ms <= this.#until;
  }
}
