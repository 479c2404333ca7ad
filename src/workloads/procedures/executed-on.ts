/** The processors and backends that ran the circuits of a call, for the job's record. */
import type { Backend } from '../../fleet/processor.ts';

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
