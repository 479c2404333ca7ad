/** A procedure call as the pool accepts it, and its outcome with the processors that ran its circuits. */
import type { Backend } from '../../fleet/processor.ts';
import type { Priority, Tier } from '../../fleet/schedule/scheduled-run.ts';
import type { JsonObject } from './json.ts';

/** Circuits that one backend of one processor ran. */
export interface ExecutedOn {
  readonly processor: string;
  /** With the devices of all the circuits. */
  readonly backend: Backend;
  /** Number of circuits; a batch counts its rows. */
  readonly circuits: number;
  /** Time spent on evolution and sampling, summed over the circuits, milliseconds. */
  readonly executionMs: number;
}

/** Collects the entries of one call. */
export class ExecutionLog {
  readonly #entries = new Map<string, ExecutedOn>();

  /** Records circuits that succeeded. */
  note({ processor, backend, circuits, executionMs }: ExecutedOn): void {
    const { devices = [], ...rest } = backend;
    const key = JSON.stringify([processor, rest]);
    const known = this.#entries.get(key);
    const all = [...new Set([...(known?.backend.devices ?? []), ...devices])].sort();
    this.#entries.set(key, {
      processor,
      backend: all.length === 0 ? rest : { ...rest, devices: all },
      circuits: (known?.circuits ?? 0) + circuits,
      executionMs: (known?.executionMs ?? 0) + executionMs,
    });
  }

  /** The entries, in the order in which the backends were first used. */
  get entries(): readonly ExecutedOn[] {
    return [...this.#entries.values()];
  }
}

/**
 * Address of a procedure: owner and name, such as `computation` and `evaluate` or `tpu` and `training`.
 */
export interface ProcedureAddress {
  readonly owner: string;
  readonly name: string;
}

/** A procedure call. */
export interface ProcedureCall {
  /** Unique among the calls that wait or run; its circuits are `id/0`, `id/1`, … */
  readonly id: string;
  readonly address: ProcedureAddress;
  /** The input as it was sent; validated. */
  readonly input: JsonObject;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /**
   * Deadline from the call's start, milliseconds. The clock stops while its circuits wait for processors
   * and none is on one; it starts anew when the call is run again.
   */
  readonly deadlineMs: number;
  readonly priority: Priority;
  /** The API key whose call it is: keys of one tier take turns. */
  readonly keyId: string;
  readonly tier: Tier;
  /** Processor for its circuits; unless given, the first available one of the pool. */
  readonly processorId?: string;
}

/** Callbacks of a call. */
export interface ProcedureHooks {
  readonly onStarted?: () => void;
  /** Called with the fraction done in [0, 1]; it never decreases, except when the call is run again. */
  readonly onProgress?: (fraction: number, message?: string) => void;
  /** Called when the process ended during the call, which will be run again from its beginning. */
  readonly onStartedOver?: () => void;
  /** Whether the call was accepted earlier; a full queue then takes it, too. */
  readonly readmitted?: boolean;
}

/** Outcome of a call. */
export interface ProcedureOutcome {
  /** The result, a JSON object, as text. */
  readonly resultJson: string;
  /** Units of work as the procedure counted them; 1 where it counted none. */
  readonly units: number;
  /** The processors and backends that ran its circuits; empty without any. */
  readonly executedOn: readonly ExecutedOn[];
  /** Milliseconds, of the attempt that succeeded. */
  readonly timing: { readonly queueMs: number; readonly executionMs: number };
}

/** Calls waiting and running. */
export interface ProcedureLoad {
  readonly waiting: number;
  readonly running: number;
  /** Processes that exist, idle ones included. */
  readonly processes: number;
  /**
   * Estimated time until a call submitted now would start, from the run times of recent calls.
   * Milliseconds.
   */
  readonly expectedWaitMs: number;
}
