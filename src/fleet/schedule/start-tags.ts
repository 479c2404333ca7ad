/**
 * Start tags: which of several keys goes next, by how much each was given before.
 *
 * Each key has a tag for each level, the cost of its started items; the lowest tag goes next. A key that
 * begins to wait gets at least the tag of the last start, so nobody saves up turns while sending nothing.
 * A key that waits may fall behind because it needs an engine that others do not need. It keeps that
 * credit up to `MAX_ITEMS_BEHIND` items, so that what did not fit just now comes next. It keeps no more,
 * or a flood that had to wait long would delay whoever comes then.
 *
 * Levels are apart: what a key was given at one level does not count at another.
 *
 * An item rises one level for each `ageingMs` that it has waited, unless its key was given a start within
 * the last `ageingMs`. So a steady stream of urgent work keeps no key from a start for long, and a flood,
 * which waits long because of itself, does not rise above what others send meanwhile.
 *
 * @see Goyal, Vin, Cheng, "Start-time fair queueing", 1996: the tags, and the bound that two keys
 *   which both always wait are never further apart than the largest item of each.
 */

/** A key may be behind by this many items, each as large as the one that starts … */
const MAX_ITEMS_BEHIND = 2;
/** … and by this many milliseconds. */
const MAX_MS_BEHIND = 4;

/** Beyond this many tags the outdated ones are removed. */
const MAX_TAGS = 256;

interface LevelTags {
  readonly tagOf: Map<string, number>;
  /** The tag at which the last item started. */
  virtualTime: number;
  maxTags: number;
}

/** Tags of keys, shared by all queues whose items compete for the same. Times are milliseconds. */
export class StartTags {
  readonly #ageingMs: number;
  readonly #base: StartTags | undefined;
  readonly #numWaiting = new Map<string, number>();
  readonly #levels = new Map<number, LevelTags>();
  /** When a key was last given a start, the longest ago first. */
  readonly #lastStarts = new Map<string, number>();

  /**
   * @param ageingMs - Waiting that raises an item by one level.
   * @param base - Tags that these continue from without changing them; see `ahead`.
   */
  constructor(ageingMs: number, base?: StartTags) {
    this.#ageingMs = ageingMs;
    this.#base = base;
  }

  /** A copy to look ahead with: charging it leaves these tags as they are. */
  ahead(): StartTags {
    return new StartTags(this.#ageingMs, this);
  }

  /** Tag of a key, milliseconds; the lowest goes next. */
  tagOf(level: number, key: string): number {
    return this.#levels.get(level)?.tagOf.get(key) ?? this.#base?.tagOf(level, key) ?? 0;
  }

  /** Level of a waiting item now: the one it came with, or a lower one by ageing. Negative levels stay. */
  levelAt(level: number, key: string, since: number, now: number): number {
    if (level < 0) return level;
    const lastStart = this.#lastStartOf(key);
    if (lastStart !== undefined && now - lastStart < this.#ageingMs) return level;
    return Math.max(0, level - Math.floor((now - since) / this.#ageingMs));
  }

  /** Counts an item of the key that begins to wait at that level. */
  enter(level: number, key: string): void {
    const numWaiting = this.#numWaiting.get(key) ?? 0;
    this.#numWaiting.set(key, numWaiting + 1);
    if (numWaiting > 0) return;
    const { tagOf, virtualTime } = this.#tags(level);
    if (virtualTime > this.tagOf(level, key)) tagOf.set(key, virtualTime);
  }

  /** Counts an item of the key that waits no more. */
  leave(key: string): void {
    const numWaiting = (this.#numWaiting.get(key) ?? 0) - 1;
    if (numWaiting > 0) this.#numWaiting.set(key, numWaiting);
    else this.#numWaiting.delete(key);
  }

  /** Fixes the base's tag of a key, which may be charged there from now on. */
  keep(level: number, key: string): void {
    this.#tags(level).tagOf.set(key, this.tagOf(level, key));
  }

  /** Charges a key for an item that starts. */
  charge(level: number, key: string, cost: number): void {
    const tags = this.#tags(level);
    const mostBehind = tags.virtualTime - MAX_ITEMS_BEHIND * cost - MAX_MS_BEHIND;
    const tag = Math.max(mostBehind, this.tagOf(level, key));
    tags.virtualTime = Math.max(tags.virtualTime, tag);
    tags.tagOf.set(key, tag + cost);
    if (this.#base === undefined && tags.tagOf.size > tags.maxTags) this.#forgetOutdated(tags);
  }

  /** Notes that a key was given a start: its items do not age for `ageingMs`. */
  noteStart(key: string, now: number): void {
    this.#lastStarts.delete(key);
    this.#lastStarts.set(key, now);
    for (const [other, at] of this.#lastStarts) {
      if (now - at < this.#ageingMs) break;
      this.#lastStarts.delete(other);
    }
  }

  #lastStartOf(key: string): number | undefined {
    const own = this.#lastStarts.get(key);
    return own === undefined && this.#base !== undefined ? this.#base.#lastStartOf(key) : own;
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

  /** Removes tags that time has passed of keys that do not wait: such a key enters as though unknown. */
  #forgetOutdated(tags: LevelTags): void {
    for (const [key, tag] of tags.tagOf) {
      if (tag <= tags.virtualTime && !this.#numWaiting.has(key)) tags.tagOf.delete(key);
    }
    // Where all of many keys are ahead, the next starts do not scan them again.
    tags.maxTags = Math.max(MAX_TAGS, 2 * tags.tagOf.size);
  }
}
