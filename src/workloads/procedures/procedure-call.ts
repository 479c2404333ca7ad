/** What a pool of processes is asked for, and what it answers. */
import type { Priority, Tier } from '../../fleet/schedule/scheduled-run.ts';
import type { ExecutedOn } from './executed-on.ts';
import type { JsonObject } from './json.ts';

/** Names a procedure: `computation` and `evaluate`, `tpu` and `training`. */
export interface ProcedureAddress {
  readonly owner: string;
  readonly name: string;
}

/** A procedure to run. */
export interface ProcedureCall {
  /** Unique among the calls that wait or run; its circuits are `id/0`, `id/1`, … */
  readonly id: string;
  readonly address: ProcedureAddress;
  /** As it was sent; its form and meaning have been checked. */
  readonly input: JsonObject;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /**
   * From its start to its end, without the time in which its circuits wait for processors and none is on
   * one. Begins anew where the call starts over.
   */
  readonly deadlineMs: number;
  readonly priority: Priority;
  /** The API key whose call it is: keys of one tier take turns. */
  readonly keyId: string;
  readonly tier: Tier;
  /** Where its circuits go; the first available of the pool's processors unless given. */
  readonly processorId?: string;
}

/** How a call is followed. */
export interface ProcedureHooks {
  readonly onStarted?: () => void;
  /** Fraction done in [0, 1], never less than before, but for a start over. */
  readonly onProgress?: (fraction: number, message?: string) => void;
  /** Its process ended under it: it is to run again from its beginning. */
  readonly onStartedOver?: () => void;
  /** It was accepted before, so a full queue takes it, too. */
  readonly readmitted?: boolean;
}

/** What a call gives back. */
export interface ProcedureOutcome {
  /** Of a JSON object. */
  readonly resultJson: string;
  /** Units of work as the procedure counted them; 1 where it counted none. */
  readonly units: number;
  /** What ran its circuits; empty without any. */
  readonly executedOn: readonly ExecutedOn[];
  /** Milliseconds; of the start that came through. */
  readonly timing: { readonly queueMs: number; readonly executionMs: number };
}

/** Calls waiting and under way. */
export interface ProcedureLoad {
  readonly waiting: number;
  readonly running: number;
  /** Those that are there, idle ones among them. */
  readonly processes: number;
  /** Until a call submitted now would start, from the measured run times of recent ones. */
  readonly expectedWaitMs: number;
}
