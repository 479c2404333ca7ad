/**
 * Detectors and observables of a text whose REPEAT blocks are kept as loops. They have the form of the circuit: those of
 * a block are written once.
 */
import type { Bit } from '../classical-expression.ts';

/** Declarations between two loops. */
export interface ParityRun {
  readonly detectors: readonly {
    readonly bits: readonly Bit[];
    readonly coordinates: readonly number[];
  }[];
  /** Bits that are added to observables; a bit that comes twice is no part of one. */
  readonly observables: readonly { readonly index: number; readonly bits: readonly Bit[] }[];
}

/** Declarations of a circuit, or of the body of a loop. */
export interface ParityBlock {
  /** Before the first loop, between loops, and after the last one. */
  readonly runs: readonly ParityRun[];
  /** In the order of the circuit's loops. */
  readonly loops: readonly ParityLoop[];
  /** Detectors of one round, those of loops in it as often as they come. */
  readonly numDetectors: number;
}

/** Declarations of the body of a loop. Bits are those of the first round. */
export interface ParityLoop extends ParityBlock {
  readonly count: number;
  /** By how much bits are higher in each next round. */
  readonly numBits: number;
  /** What is added to the coordinates in each next round; missing ones are 0. */
  readonly step: readonly number[];
}

/** The declarations of a whole text. */
export interface RepeatedParities extends ParityBlock {
  readonly numObservables: number;
}

/** Visits all declarations in the order of the text, those of loops once a round, with the bits that they then have. */
export function* runsOf(
  block: ParityBlock,
  shift = 0,
): Generator<{ readonly run: ParityRun; readonly shift: number }> {
  for (const [i, run] of block.runs.entries()) {
    yield { run, shift };
    const loop = block.loops[i];
    if (loop === undefined) continue;
    for (let round = 0; round < loop.count; round++) {
      yield* runsOf(loop, shift + round * loop.numBits);
    }
  }
}
