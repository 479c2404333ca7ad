/** How long calls take, by procedure: smoothed over recent ones. */
import type { ProcedureAddress } from './procedure-call.ts';

/** Of a procedure that was never run, milliseconds. */
const FIRST_GUESS_MS = 500;
/** Weight of a new one. */
const WEIGHT = 0.2;

/** Measured times. */
export class RunTimes {
  readonly #meanMs = new Map<string, number>();

  /** Notes one that came through. */
  note(address: ProcedureAddress, executionMs: number): void {
    const key = keyOf(address);
    const mean = this.#meanMs.get(key);
    this.#meanMs.set(key, mean === undefined ? executionMs : mean + WEIGHT * (executionMs - mean));
  }

  /** Milliseconds that one is expected to take; above 0. */
  expected(address: ProcedureAddress): number {
    return Math.max(0.1, this.#meanMs.get(keyOf(address)) ?? FIRST_GUESS_MS);
  }
}

function keyOf({ owner, name }: ProcedureAddress): string {
  return `${owner}/${name}`;
}
