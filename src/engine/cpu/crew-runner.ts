/** A crew as one run sees it: its tasks pause with the run's pacer. */
import type { Pacer } from '../pacer.ts';
import type { MaybePromise } from '../state-operations.ts';
import type { Crew } from './crew.ts';
import type { TaskRunner } from './task-runner.ts';
import type { KernelExports } from './wasm-kernels.ts';

/** The threads, the memory and the kernels of an engine, for the length of a run. */
export class CrewRunner implements TaskRunner {
  readonly #crew: Crew;
  readonly #pacer: Pacer;

  constructor(crew: Crew, pacer: Pacer) {
    this.#crew = crew;
    this.#pacer = pacer;
  }

  get memory(): SharedArrayBuffer {
    return this.#crew.memory;
  }

  get kernels(): KernelExports {
    return this.#crew.kernels;
  }

  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T> {
    const at = this.#crew.allocate(bytes);
    const giveBack = () => this.#crew.release(at);
    try {
      const result = use(at);
      if (result instanceof Promise) return result.finally(giveBack);
      giveBack();
      return result;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  runTask(task: number, numItems: number): MaybePromise<void> {
    return this.#crew.runTask(task, numItems, this.#pacer);
  }
}
