/**
 * First come, first served, with removal from the middle and ranks, each in O(log n).
 *
 * Entries sit in an array in order of arrival; a removed one leaves a hole. A Fenwick tree over the
 * array counts the live entries before a place. Holes are squeezed out once they outnumber the
 * live entries, which costs O(1) a removal on average. A linked list would remove in O(1) but could
 * not tell a rank without walking.
 */

/** Below this many places, holes are not worth squeezing out. */
const MIN_PLACES = 64;

/** One entry's place in a lane. */
export interface LaneNode<T> {
  readonly value: T;
  /** Place in the array; moves when holes are squeezed out. */
  place: number;
  isLive: boolean;
}

/** Values in order of arrival. */
export class Lane<T> {
  #nodes: LaneNode<T>[] = [];
  /** Fenwick tree, one-based: #tree[i] counts live nodes in places (i − lowbit(i), i]. */
  #tree: number[] = [0];
  #head = 0;
  #numLive = 0;

  get length(): number {
    return this.#numLive;
  }

  /** The oldest live value, of those that are wanted: past the others it walks, in O(n). */
  first(isWanted?: (value: T) => boolean): LaneNode<T> | undefined {
    while (this.#head < this.#nodes.length && !this.#nodes[this.#head]!.isLive) this.#head++;
    const oldest = this.#nodes[this.#head];
    if (isWanted === undefined || oldest === undefined || isWanted(oldest.value)) return oldest;
    for (let place = this.#head + 1; place < this.#nodes.length; place++) {
      const node = this.#nodes[place]!;
      if (node.isLive && isWanted(node.value)) return node;
    }
    return undefined;
  }

  push(value: T): LaneNode<T> {
    const node: LaneNode<T> = { value, place: this.#nodes.length, isLive: true };
    this.#append(node);
    this.#numLive++;
    return node;
  }

  /** Takes a live node out. */
  remove(node: LaneNode<T>): void {
    node.isLive = false;
    this.#numLive--;
    for (let i = node.place + 1; i < this.#tree.length; i += i & -i) this.#tree[i]!--;
    if (this.#nodes.length > MIN_PLACES && this.#numLive * 2 < this.#nodes.length) this.#squeeze();
  }

  /**
   * Live values that satisfy the predicate.
   *
   * @param predicate - True for a prefix of the lane, in order of arrival, and false after it.
   */
  countPrefix(predicate: (value: T) => boolean): number {
    let low = this.#head;
    let high = this.#nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (predicate(this.#nodes[middle]!.value)) low = middle + 1;
      else high = middle;
    }
    return this.#numBefore(low);
  }

  /** Live values in order of arrival. */
  *values(): Generator<T> {
    for (const node of this.#nodes) if (node.isLive) yield node.value;
  }

  /** Live nodes in places 0 … place − 1. */
  #numBefore(place: number): number {
    let count = 0;
    for (let i = place; i > 0; i -= i & -i) count += this.#tree[i]!;
    return count;
  }

  #append(node: LaneNode<T>): void {
    node.place = this.#nodes.length;
    this.#nodes.push(node);
    const i = this.#nodes.length;
    // The new tree node covers the last lowbit(i) places, all but one of which are counted already.
    this.#tree.push(1 + this.#numBefore(i - 1) - this.#numBefore(i - (i & -i)));
  }

  #squeeze(): void {
    const live = this.#nodes.filter((node) => node.isLive);
    this.#nodes = [];
    this.#tree = [0];
    this.#head = 0;
    for (const node of live) this.#append(node);
  }
}
