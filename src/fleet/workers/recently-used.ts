/** The entries that were used last. They are few enough to look at each. */
export class RecentlyUsed<Entry> {
  /** In the order of use, the oldest first. */
  readonly #entries: Entry[] = [];
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #weightOf: (entry: Entry) => number;
  #weight = 0;

  /** @param maxWeight - Of all entries together; an entry that is heavier by itself is not kept. */
  constructor(
    maxEntries: number,
    maxWeight = Number.POSITIVE_INFINITY,
    weightOf: (entry: Entry) => number = () => 0,
  ) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
    this.#weightOf = weightOf;
  }

  /** An entry, which stays where it is. */
  find(is: (entry: Entry) => boolean): Entry | undefined {
    return this.#entries.findLast(is);
  }

  /** Takes an entry out; `keep` puts it back as the one that was used last. */
  take(is: (entry: Entry) => boolean): Entry | undefined {
    const place = this.#entries.findLastIndex(is);
    if (place < 0) return undefined;
    const [entry] = this.#entries.splice(place, 1);
    this.#weight -= this.#weightOf(entry!);
    return entry;
  }

  /** Keeps an entry that is not among the kept ones, and returns those that no longer are. */
  keep(entry: Entry): readonly Entry[] {
    const weight = this.#weightOf(entry);
    // A very heavy one would displace all others.
    if (weight > this.#maxWeight) return [entry];
    this.#entries.push(entry);
    this.#weight += weight;
    const dropped: Entry[] = [];
    while (this.#entries.length > this.#maxEntries || this.#weight > this.#maxWeight) {
      const oldest = this.#entries.shift()!;
      this.#weight -= this.#weightOf(oldest);
      dropped.push(oldest);
    }
    return dropped;
  }
}
