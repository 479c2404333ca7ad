/**
 * Time that engines spent, from the results of processors, which run the circuits and batches of all kinds of
 * work. Self-tests are not counted.
 *
 * Sums are kept here and become counters at a scrape, because the library looks labels up on each increment,
 * and thousands of results arrive per second.
 */

import type { Registry } from 'prom-client';
import { givesMeans } from '../../circuit/outputs.ts';
import type { CircuitResult } from '../../fleet/processor.ts';
import {
  type CircuitRequest,
  type CircuitWork,
  methodOf,
  type RunMethod,
} from '../../fleet/schedule/scheduled-run.ts';
import { REUSES, type Reuse } from '../../fleet/workers/worker-messages.ts';
import { registerTotals, type Total } from './totals.ts';

interface Labels {
  readonly processor: string;
  readonly engine: string;
  readonly work: 'circuit' | 'batch';
}

interface Sums {
  readonly labels: Labels;
  tasks: number;
  circuits: number;
  executionMs: number;
  compileMs: number;
}

/** Metrics of engines. */
export class EngineMetrics {
  readonly #sums = new Map<string, Sums>();
  readonly #reuses = new Map<string, Reuses>();
  readonly #noisy = new Map<string, NoisyCircuits>();
  /** By processor. */
  readonly #trajectories = new Map<string, number>();
  /** By processor. */
  readonly #violations = new Map<string, number>();

  constructor(registry: Registry) {
    const ofSums = (name: string, help: string, read: (of: Sums) => number): void =>
      registerTotals(registry, name, help, ['processor', 'engine', 'work'], () =>
        [...this.#sums.values()].map((each): Total<keyof Labels> => [each.labels, read(each)]),
      );
    const ofProcessors = (name: string, help: string, totals: ReadonlyMap<string, number>): void =>
      registerTotals(registry, name, help, ['processor'], () =>
        [...totals].map(([processor, total]): Total<'processor'> => [{ processor }, total]),
      );
    ofSums(
      'qcs_engine_tasks_total',
      'Circuits and batches that engines completed.',
      ({ tasks }) => tasks,
    );
    ofSums(
      'qcs_engine_circuits_total',
      'Circuits that engines completed, those of batches each.',
      ({ circuits }) => circuits,
    );
    ofSums(
      'qcs_engine_execution_seconds_total',
      'Time that engines spent on evolution and sampling.',
      ({ executionMs }) => executionMs / 1000,
    );
    ofSums(
      'qcs_engine_compile_seconds_total',
      'Time that workers spent on making circuits ready.',
      ({ compileMs }) => compileMs / 1000,
    );
    registerTotals(
      registry,
      'qcs_engine_reuse_total',
      'Circuits by what the engine still had of an earlier one: nothing, its shape with other angles, or the program.',
      ['processor', 'engine', 'reused'],
      () =>
        [...this.#reuses.values()].flatMap(({ labels, counts }) =>
          REUSES.map(
            (reused): Total<'processor' | 'engine' | 'reused'> => [
              { ...labels, reused },
              counts[reused],
            ],
          ),
        ),
    );
    registerTotals(
      registry,
      'qcs_noisy_circuits_total',
      'Circuits with noise that engines completed, those of batches each, by method.',
      ['processor', 'method'],
      () =>
        [...this.#noisy.values()].map(
          ({ labels, circuits }): Total<'processor' | 'method'> => [labels, circuits],
        ),
    );
    ofProcessors(
      'qcs_trajectories_total',
      'Different trajectories that circuits took, those of batches not counted.',
      this.#trajectories,
    );
    ofProcessors(
      'qcs_engine_violations_total',
      'Results that broke an invariant (ENGINE_INVARIANT) and were not answered.',
      this.#violations,
    );
  }

  /** Counts circuits that have noise, by the method that computed them. */
  countNoise(
    processor: string,
    { noise }: Pick<CircuitWork, 'noise'>,
    request: Pick<CircuitRequest, 'method'>,
    circuits: number,
    trajectories = 0,
  ): void {
    if (noise === undefined) return;
    const method = methodOf({ noise }, request);
    const key = `${processor} ${method}`;
    const sums = this.#noisy.get(key) ?? { labels: { processor, method }, circuits: 0 };
    sums.circuits += circuits;
    this.#noisy.set(key, sums);
    if (!givesMeans(method)) return;
    this.#trajectories.set(processor, (this.#trajectories.get(processor) ?? 0) + trajectories);
  }

  /** Counts the reuses of a circuit. */
  countReuse(processor: string, { backend: { engine }, reused }: CircuitResult): void {
    if (reused === undefined) return;
    const key = `${processor} ${engine}`;
    let reuses = this.#reuses.get(key);
    if (reuses === undefined) {
      reuses = {
        labels: { processor, engine },
        counts: { nothing: 0, shape: 0, program: 0 },
      };
      this.#reuses.set(key, reuses);
    }
    reuses.counts[reused]++;
  }

  /** Starts the series of a processor, so that the first violation is visible as an increase. */
  serve(processor: string): void {
    this.#violations.set(processor, this.#violations.get(processor) ?? 0);
  }

  /** Counts a result that was not answered, because it cannot be right. */
  countViolation(processor: string): void {
    this.#violations.set(processor, (this.#violations.get(processor) ?? 0) + 1);
  }

  /** Counts one result. */
  count(
    processor: string,
    work: Labels['work'],
    numCircuits: number,
    { backend: { engine }, timing }: Pick<CircuitResult, 'backend' | 'timing'>,
  ): void {
    const key = `${processor} ${engine} ${work}`;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      const labels = { processor, engine, work };
      sums = { labels, tasks: 0, circuits: 0, executionMs: 0, compileMs: 0 };
      this.#sums.set(key, sums);
    }
    sums.tasks++;
    sums.circuits += numCircuits;
    sums.executionMs += timing.executionMs;
    sums.compileMs += timing.compileMs;
  }
}

/** Reuses by circuits of a processor, by the thing reused. */
interface Reuses {
  readonly labels: Pick<Labels, 'processor' | 'engine'>;
  readonly counts: Record<Reuse, number>;
}

/** Circuits with noise of a processor, by method. */
interface NoisyCircuits {
  readonly labels: { readonly processor: string; readonly method: RunMethod };
  circuits: number;
}
