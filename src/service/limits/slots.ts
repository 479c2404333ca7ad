/** A limit on how many of something each subject, such as a key or an address, has at once. */

/** Slots by subject; subjects without any take no memory. */
export class Slots {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a slot.
   *
   * @param limit - Slots of the subject.
   * @returns Gives the slot back when disposed; undefined where all are taken.
   */
  acquire(subject: string, limit: number): Disposable | undefined {
    const taken = this.#taken.get(subject) ?? 0;
    if (taken >= limit) return undefined;
    this.#taken.set(subject, taken + 1);
    return { [Symbol.dispose]: () => this.#release(subject) };
  }

  #release(subject: string): void {
    const left = (this.#taken.get(subject) ?? 1) - 1;
    if (left > 0) this.#taken.set(subject, left);
    else this.#taken.delete(subject);
  }
}
