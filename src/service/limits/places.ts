/** How many of something each subject may have at once. */

/** Places by subject; subjects without any take no memory. */
export class Places {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a place.
   *
   * @param limit - Of the subject, at most.
   * @returns What gives the place back; undefined where there is none left.
   */
  take(subject: string, limit: number): Disposable | undefined {
    const taken = this.#taken.get(subject) ?? 0;
    if (taken >= limit) return undefined;
    this.#taken.set(subject, taken + 1);
    return { [Symbol.dispose]: () => this.#giveBack(subject) };
  }

  #giveBack(subject: string): void {
    const left = (this.#taken.get(subject) ?? 1) - 1;
    if (left > 0) this.#taken.set(subject, left);
    else this.#taken.delete(subject);
  }
}
