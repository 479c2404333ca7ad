/**
 * Circuits of one shape, which differ in their angles and seeds, run in batches and without being
 * compiled: those that came as a batch task, and a parameter sweep that came circuit by circuit. Which
 * of these, batch-rule.ts says.
 *
 * A shape is made ready for a batch task, when a circuit of it comes the second time, or at once where
 * several come together, and kept. What comes after that costs its angles and its shots, alone or with
 * others.
 */
import type { Circuit } from '../../circuit/circuit.ts';
import type { Sweep } from '../../compiler/program.ts';
import { type CompilationReport, reportOn } from '../../compiler/report.ts';
import type { BatchExecutable, BatchRequest } from '../../engine/batch-request.ts';
import type { Counts, Engine } from '../../engine/engine.ts';
import { EXACT_PRECISION, hasExactBatches, type ShapedTask } from './batch-rule.ts';
import { isEngineLost } from './engine-lost.ts';
import type { SentBatch, WorkerBatchOutcome, WorkerOutcome } from './worker-messages.ts';
import { readCircuit, readShape, type WrittenCircuit } from './written-circuit.ts';

/** Shapes remembered, and kept ready where they are to be. */
const MAX_SHAPES = 16;

/** An engine that may have batches. */
export interface MaybeBatchEngine extends Engine {
  prepareBatch?(shape: Circuit): Promise<BatchExecutable>;
}

/** A shape that was met. */
interface Shape {
  readonly text: string;
  ready: ReadyShape | undefined;
  /** Whether circuits of it are run in batches; nobody has looked while it is undefined. */
  takesCircuits: boolean | undefined;
}

interface ReadyShape {
  readonly executable: BatchExecutable;
  readonly report: CompilationReport;
  readonly numBits: number;
}

/** The shapes that one engine knows. */
export class ShapeBatches {
  readonly #engine: MaybeBatchEngine;
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #shapes: Shape[] = [];

  constructor(engine: MaybeBatchEngine) {
    this.#engine = engine;
  }

  /** Whether circuits of the shape can be run here, as far as is known. */
  mayTake({ shape }: WrittenCircuit): boolean {
    const known = this.#shapes.findLast(({ text }) => text === shape);
    return this.#engine.prepareBatch !== undefined && known?.takesCircuits !== false;
  }

  /**
   * Runs circuits of one shape and one number of shots; a single one only if its shape was met before.
   * Notes that the shape was met.
   *
   * @returns An outcome for each, or undefined where they are to be compiled.
   * @throws {CodedError} if the engine is lost.
   * @throws the signal's reason, soon after it aborts.
   */
  async run(
    tasks: readonly [ShapedTask, ...ShapedTask[]],
    signal: AbortSignal,
  ): Promise<readonly WorkerOutcome[] | undefined> {
    const startedAt = performance.now();
    const [{ circuit }] = tasks;
    const known = this.#take(circuit.shape);
    const shape = known ?? newShape(circuit.shape);
    await this.#keep(shape);
    if (known === undefined && tasks.length === 1) return undefined;
    try {
      shape.takesCircuits ??= hasExactBatches(readCircuit(circuit));
      if (!shape.takesCircuits) return undefined;
      shape.ready ??= await this.#prepare(readCircuit(circuit));
      return await runReady(shape.ready, tasks, performance.now() - startedAt, signal);
    } catch (error) {
      if (signal.aborted || isEngineLost(error)) throw error;
      // What is wrong, and with which of them, they are told when they are compiled.
      await dispose(shape);
      shape.takesCircuits = false;
      return undefined;
    }
  }

  /**
   * Runs a batch task.
   *
   * @throws what the engine throws, the signal's reason among it.
   */
  async runTask(
    { shape: sent, request }: SentBatch,
    signal: AbortSignal,
  ): Promise<WorkerBatchOutcome> {
    const startedAt = performance.now();
    if (!('shape' in sent)) {
      // Nothing tells a shape with a matrix from others, so it is not kept.
      const { executable } = await this.#prepare(sent);
      await using _ = executable;
      return await runRequest(executable, request, startedAt, signal);
    }
    const shape = this.#take(sent.shape) ?? newShape(sent.shape);
    await this.#keep(shape);
    shape.ready ??= await this.#prepare(readShape(sent));
    try {
      return await runRequest(shape.ready.executable, request, startedAt, signal);
    } catch (error) {
      // What failed is not tried again as it is.
      if (!signal.aborted) await dispose(shape);
      throw error;
    }
  }

  #take(shape: string): Shape | undefined {
    const place = this.#shapes.findLastIndex(({ text }) => text === shape);
    return place < 0 ? undefined : this.#shapes.splice(place, 1)[0];
  }

  async #keep(shape: Shape): Promise<void> {
    this.#shapes.push(shape);
    const oldest = this.#shapes.length > MAX_SHAPES ? this.#shapes.shift() : undefined;
    if (oldest !== undefined) await dispose(oldest);
  }

  async #prepare(circuit: Circuit): Promise<ReadyShape> {
    const executable = await this.#engine.prepareBatch?.(circuit);
    if (executable === undefined) throw new Error('unreachable: the engine has no batches');
    return { executable, report: reportOnShape(circuit), numBits: circuit.numBits };
  }
}

function newShape(text: string): Shape {
  return { text, ready: undefined, takesCircuits: undefined };
}

async function dispose(shape: Shape): Promise<void> {
  const { ready } = shape;
  shape.ready = undefined;
  await ready?.executable[Symbol.asyncDispose]();
}

/** @param startedAt - When its shape was looked for, on the clock of `performance.now()`. */
async function runRequest(
  executable: BatchExecutable,
  request: BatchRequest,
  startedAt: number,
  signal: AbortSignal,
): Promise<WorkerBatchOutcome> {
  const readyAt = performance.now();
  const batch = await executable.run(request, signal);
  return { batch, compileMs: readyAt - startedAt, executionMs: performance.now() - readyAt };
}

/** @param prepareMs - What it took to make the shape ready. */
async function runReady(
  { executable, report, numBits }: ReadyShape,
  tasks: readonly [ShapedTask, ...ShapedTask[]],
  prepareMs: number,
  signal: AbortSignal,
): Promise<readonly WorkerOutcome[]> {
  const startedAt = performance.now();
  const { shots } = tasks[0].request;
  const { counts = new Uint32Array() } = await executable.run(
    {
      numCircuits: tasks.length,
      angles: Float64Array.from(tasks.flatMap(({ circuit }) => circuit.angles)),
      seeds: tasks.map(({ request }) => request.seed),
      shots,
    },
    signal,
  );
  // Each has its share. What evolution and sampling took apart is not known: the one stands for both.
  const evolutionMs = (performance.now() - startedAt) / tasks.length;
  const compileMs = prepareMs / tasks.length;
  const size = 2 ** numBits;
  return tasks.map((_, i) => ({
    run: {
      counts: countsOf(counts.subarray(i * size, (i + 1) * size), numBits, shots),
      statePasses: 1,
      timing: { evolutionMs, samplingMs: 0 },
    },
    compilation: report,
    compileMs,
  }));
}

/** A circuit is run as it was written, gate by gate on a state that stays where it is. */
function reportOnShape(circuit: Circuit): CompilationReport {
  const sweep: Sweep = { kind: 'sweep', resident: [], kernels: [] };
  const scheduled = { program: { steps: [sweep] }, fusedBlocks: 0 };
  const report = reportOn(circuit, { circuit, passes: [] }, scheduled, EXACT_PRECISION);
  return { ...report, kernels: report.gatesAfter };
}

/** @param dense - How often each value of the register was read. */
function countsOf(dense: Uint32Array, numBits: number, shots: number): Counts {
  const outcomes: number[] = [];
  const occurrences: number[] = [];
  let left = shots;
  for (let value = 0; left > 0; value++) {
    const times = dense[value]!;
    if (times === 0) continue;
    outcomes.push(value);
    occurrences.push(times);
    left -= times;
  }
  return {
    numBits,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.from(outcomes),
    occurrences: Uint32Array.from(occurrences),
  };
}
