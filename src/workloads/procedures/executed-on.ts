/** What ran the circuits of a call, for its record. */
import type { Backend } from '../../fleet/processor.ts';

/** Circuits that one backend of one processor ran. */
export interface ExecutedOn {
  readonly processor: string;
  /** With the devices of all of them. */
  readonly backend: Backend;
  /** A batch counts its rows. */
  readonly circuits: number;
  /** Evolution and sampling of all of them, milliseconds. */
  readonly executionMs: number;
}

/** Gathers it. */
export class ExecutionLog {
  readonly #entries = new Map<string, ExecutedOn>();

  /** Notes circuits that came through. */
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

  /** In the order in which the backends were first used. */
  get entries(): readonly ExecutedOn[] {
    return [...this.#entries.values()];
  }
}
