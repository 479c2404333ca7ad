/** Semaphore per subject, such as a key or an address: limits how many slots each holds at once. */

/** Slots by subject; subjects without slots take no memory. */
export class Slots {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a slot.
   *
   * @param limit - Number of slots of the subject.
   * @returns Lease of the slot, returned when disposed of; undefined if all slots are taken.
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
