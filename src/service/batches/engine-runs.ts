/** Circuits of a batch on the engines of a processor: in short runs, whose lengths follow from earlier ones. */
import { RunSizes } from '../../fleet/batch-chunks.ts';
import type { CircuitResult, Processor } from '../../fleet/processor.ts';
import { widthOfRun } from '../../fleet/schedule/scheduled-run.ts';
import { type Batch, factsOfShape } from '../../fleet/workers/sent-batch.ts';
import type { Job } from '../../jobs/job.ts';
import { ExecutionLog } from '../../workloads/procedures/procedure-call.ts';
import { milliseconds, viewBackend } from '../circuits/backend-view.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { numOutcomeBits } from '../circuits/outcome-labels.ts';
import { type CheckedProgram, numbersOf } from './batch-program.ts';
import { resultsOf } from './batch-result.ts';
import {
  type Chunk,
  type ChunkContext,
  type CircuitRuns,
  type Range,
  type RangeRuns,
  rangesLeft,
} from './circuit-runs.ts';
import { batchFactsOf } from './read-batch.ts';

/** Runs on engines. */
export class EngineRuns implements CircuitRuns {
  readonly areSimulated = true;
  readonly #job: Job;
  readonly #programs: readonly CheckedProgram[];
  readonly #processor: Pick<Processor, 'run'>;
  readonly #log = new ExecutionLog();
  /** By the index of the program. */
  readonly #sizes = new Map<number, RunSizes>();
  #numRuns = 0;
  #compileMs = 0;
  #executionMs = 0;

  constructor(job: Job, programs: readonly CheckedProgram[], processor: Pick<Processor, 'run'>) {
    this.#job = job;
    this.#programs = programs;
    this.#processor = processor;
  }

  *chunks(covered: readonly Range[]): Iterable<Chunk> {
    const most = (program: number) => this.#sizesOf(program).next();
    for (const range of rangesLeft(this.#programs, covered, most)) {
      yield { ranges: [range], start: (context) => [this.#start(range, context)] };
    }
  }

  abandon(): void {}

  get facts(): CircuitRuns['facts'] {
    return {
      executedOn: this.#log.entries.map(({ backend, circuits, executionMs }) => ({
        backend: viewBackend(backend),
        circuits,
        execution_ms: milliseconds(executionMs),
      })),
      compileMs: this.#compileMs,
      executionMs: this.#executionMs,
    };
  }

  #start({ program, from, to }: Range, context: ChunkContext): RangeRuns {
    const sizes = this.#sizesOf(program);
    let spentMs = 0;
    const run = async (asked: Batch) => {
      const expectedMs = sizes.expectedMs(asked.request.numCircuits);
      const { outputs, timing } = await this.#run(asked, expectedMs, context);
      spentMs += timing.compileMs + timing.executionMs;
      return outputs;
    };
    return {
      run: async (asked) => {
        const all = [];
        for (const each of asked) all.push(await run(each));
        return all;
      },
      end: () => sizes.learn(to - from, spentMs),
    };
  }

  async #run(
    batch: Batch,
    expectedMs: number,
    { chunks, onStarted }: ChunkContext,
  ): Promise<CircuitResult> {
    const { id, keyId, priority, target } = this.#job;
    const { tier } = batchFactsOf(this.#job.request);
    const number = this.#numRuns++;
    const endWait = chunks.waits(expectedMs);
    const begin = () => {
      endWait();
      onStarted();
    };
    try {
      const result = await this.#processor.run(
        { id: `${id}/${number}`, keyId, tier, priority, partOf: id, ...batch },
        { onStarted: begin },
        chunks.signal,
      );
      const { backend, timing } = result;
      const { compileMs, executionMs } = timing;
      const { numCircuits: circuits } = batch.request;
      this.#log.note({ processor: target, backend, circuits, executionMs });
      this.#compileMs += compileMs;
      this.#executionMs += executionMs;
      return result;
    } finally {
      endWait();
    }
  }

  #sizesOf(index: number): RunSizes {
    const sizes = this.#sizes.get(index) ?? runSizesOf(this.#programs[index]!);
    this.#sizes.set(index, sizes);
    return sizes;
  }
}

/** Numbers of points that the next runs of a program have. */
function runSizesOf(program: CheckedProgram): RunSizes {
  const { groups, shots = 0, observables, outputs, inputs } = program;
  const results = resultsOf(program).reduce((sum, name) => sum + numbersOf(program, name), 0);
  const counts = outputs.includes('counts') ? 2 * Math.min(shots, 2 ** numOutcomeBits(program)) : 0;
  return new RunSizes({
    numQubits: widthOfRun(groups[0]!.circuit, methodRequestOf(program)),
    numOperations: factsOfShape(groups[0]!.circuit).work.numOperations,
    numTerms: observables.reduce((sum, terms) => sum + terms.length, 0),
    shots,
    numNumbers: inputs.names.length + results + counts,
  });
}
