/**
 * Turns of keys: who goes next among keys that want the same, by how much each was given.
 *
 * Each key has a tag for each level, the time that its started tasks were expected to take; the lowest
 * goes next. Whoever starts with a tag behind that of an earlier start is charged as though it had
 * that one, so nobody saves up turns while sending nothing. Keys that are behind go one task each, in
 * the order in which they were last served: were they taken as equal and the older task went first, a
 * key could fall behind a flood for good whenever a third key, that runs elsewhere, moves the time on.
 *
 * Levels are apart: what a key was given at one level is held neither for nor against it at another.
 *
 * @see Goyal, Vin, Cheng, "Start-time fair queueing", 1996: the tags, and the bound that two keys
 *   which both always wait are never further apart than the largest task of each.
 */

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

  /** Charges a key for a task that starts. */
  charge(level: number, key: string, cost: number): void {
    const tags = this.#tags(level);
    const tag = Math.max(tags.virtualTime, this.tagOf(level, key));
    tags.virtualTime = tag;
    tags.tagOf.set(key, tag + cost);
    if (this.#base === undefined && tags.tagOf.size > tags.maxTags) forgetOutdated(tags);
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
}

/** A key that is behind is charged like one that is not known. */
function forgetOutdated(tags: LevelTags): void {
  for (const [key, tag] of tags.tagOf) {
    if (tag <= tags.virtualTime) tags.tagOf.delete(key);
  }
  // So that many keys which are all ahead are not looked through at each start.
  tags.maxTags = Math.max(MAX_TAGS, 2 * tags.tagOf.size);
}
