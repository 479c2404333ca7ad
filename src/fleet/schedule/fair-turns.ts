/**
 * Turns of keys: who goes next among keys that want the same, by how much each was given.
 *
 * Each key has a tag for each level, the time that its started tasks were expected to take; the lowest
 * goes next. A key that begins to wait has at least the tag of the last start, so nobody saves up turns
 * while sending nothing. One that waits may fall behind for want of an engine that others do not need:
 * it keeps what it is behind up to some tasks, for what did not fit just now is to come next, and not
 * more, or a flood that had to wait long would delay whoever comes then.
 *
 * Levels are apart: what a key was given at one level is held neither for nor against it at another.
 *
 * @see Goyal, Vin, Cheng, "Start-time fair queueing", 1996: the tags, and the bound that two keys
 *   which both always wait are never further apart than the largest task of each.
 */

/** Tasks, as large as the one that starts, that a key may be behind … */
const MAX_TASKS_BEHIND = 2;
/** … and milliseconds. */
const MAX_MS_BEHIND = 4;

/** Tags beyond which the outdated ones are looked for. */
const MAX_TAGS = 256;

interface LevelTags {
  readonly tagOf: Map<string, number>;
  /** The tag at which the last task started. */
  virtualTime: number;
  maxTags: number;
}

/** How far keys have come. */
export class FairTurns {
  readonly #numWaiting = new Map<string, number>();
  readonly #levels = new Map<number, LevelTags>();
  readonly #base: FairTurns | undefined;

  /** @param base - Turns that this one goes on from, without changing them: what would become of them. */
  constructor(base?: FairTurns) {
    this.#base = base;
  }

  /** Milliseconds; the key with the lowest goes next. */
  tagOf(level: number, key: string): number {
    return this.#levels.get(level)?.tagOf.get(key) ?? this.#base?.tagOf(level, key) ?? 0;
  }

  /** A task of the key begins to wait at that level. */
  enter(level: number, key: string): void {
    const numWaiting = this.#numWaiting.get(key) ?? 0;
    this.#numWaiting.set(key, numWaiting + 1);
    if (numWaiting > 0) return;
    const { tagOf, virtualTime } = this.#tags(level);
    if (virtualTime > this.tagOf(level, key)) tagOf.set(key, virtualTime);
  }

  /** A task of the key waits no more. */
  leave(key: string): void {
    const numWaiting = (this.#numWaiting.get(key) ?? 0) - 1;
    if (numWaiting > 0) this.#numWaiting.set(key, numWaiting);
    else this.#numWaiting.delete(key);
  }

  /** Stays with what the base says of a key, which may be charged there from now on. */
  keep(level: number, key: string): void {
    this.#tags(level).tagOf.set(key, this.tagOf(level, key));
  }

  /** Charges a key for a task that starts. */
  charge(level: number, key: string, cost: number): void {
    const tags = this.#tags(level);
    const mostBehind = tags.virtualTime - MAX_TASKS_BEHIND * cost - MAX_MS_BEHIND;
    const tag = Math.max(mostBehind, this.tagOf(level, key));
    tags.virtualTime = Math.max(tags.virtualTime, tag);
    tags.tagOf.set(key, tag + cost);
    if (this.#base === undefined && tags.tagOf.size > tags.maxTags) this.#forgetOutdated(tags);
  }

  #virtualTime(level: number): number {
    const tags = this.#levels.get(level);
    if (tags !== undefined) return tags.virtualTime;
    return this.#base === undefined ? 0 : this.#base.#virtualTime(level);
  }

  #tags(level: number): LevelTags {
    let tags = this.#levels.get(level);
    if (tags === undefined) {
      tags = { tagOf: new Map(), virtualTime: this.#virtualTime(level), maxTags: MAX_TAGS };
      this.#levels.set(level, tags);
    }
    return tags;
  }

  /** A key that does not wait enters as though it were not known once the time has passed its tag. */
  #forgetOutdated(tags: LevelTags): void {
    for (const [key, tag] of tags.tagOf) {
      if (tag <= tags.virtualTime && !this.#numWaiting.has(key)) tags.tagOf.delete(key);
    }
    // So that many keys which are all ahead are not looked through at each start.
    tags.maxTags = Math.max(MAX_TAGS, 2 * tags.tagOf.size);
  }
}
