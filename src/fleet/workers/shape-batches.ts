/**
 * Circuits of one shape, which differ in their angles and seeds, run in batches and without being
 * compiled: those that came as a batch run, and a parameter sweep that came circuit by circuit.
 *
 * A shape is prepared for a batch run when a circuit of it comes the second time, or at once if several
 * come together, and kept. Later circuits then cost their angles and shots, alone or with others.
 *
 * Circuits of a list are run in batches where this is faster and gives the same counts for the same seed
 * as the compiled circuit. The same counts take double precision: amplitudes computed in another order
 * differ by roundings, and in single precision one draw in ten million falls to the other side of a
 * boundary. They also take a circuit whose every qubit is measured: of another one, the compiler may drop
 * gates that no measurement shows, which keeps the distribution but gives a seed another sample of it.
 *
 * A batch is faster because it skips the compiler, which takes longer than all the rest. So a single
 * circuit is run as a batch once its shape is known. A circuit that comes again unchanged is kept
 * compiled, which is faster yet where it is wide; so circuits without angles are never run as batches.
 * Measured by bench/worker-batches.ts.
 */
import type { Circuit, DynamicCircuit } from '../../circuit/circuit.ts';
import { askedFields } from '../../circuit/outputs.ts';
import type { Sweep } from '../../compiler/program.ts';
import { type CompilationReport, reportOn } from '../../compiler/report.ts';
import type { BatchExecutable } from '../../engine/batch-request.ts';
import type { Engine } from '../../engine/engine.ts';
import { countsOfValues } from '../run-outputs.ts';
import {
  EXACT_PRECISION,
  hasExactBatches,
  isForBatches,
  isNarrow,
  isRunTogether,
} from '../run-together.ts';
import { type BatchRunRequest, isBatch } from '../schedule/scheduled-run.ts';
import { RecentlyUsed } from './recently-used.ts';
import {
  isSameCircuit,
  numOperationsOfSent,
  readCircuit,
  type WrittenCircuit,
} from './sent-circuit.ts';
import {
  isEngineLost,
  type Reuse,
  type RunOutcome,
  type SentBatch,
  type SentCircuit,
  type SentRun,
} from './worker-messages.ts';

/** Shapes remembered, and kept ready where they are to be. */
const MAX_SHAPES = 16;

/**
 * Time that a run takes of its engine, without that of others on the same cores: on the CPU the processor
 * time of this thread, which does its share of the work while other threads of the engine do theirs; on an
 * adapter, time as it passes.
 */
export class OwnTime {
  readonly #startedAt = performance.now();
  readonly #processorTime: NodeJS.CpuUsage | undefined;

  constructor(engine: Pick<Engine, 'name'>) {
    this.#processorTime = engine.name === 'cpu' ? process.threadCpuUsage() : undefined;
  }

  /** Since it was made, milliseconds. */
  get elapsedMs(): number {
    if (this.#processorTime === undefined) return performance.now() - this.#startedAt;
    const { user, system } = process.threadCpuUsage(this.#processorTime);
    return (user + system) / 1000;
  }
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
  readonly #engine: Engine;
  readonly #shapes = new RecentlyUsed<Shape>(MAX_SHAPES);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Whether circuits of the shape can be run here, as far as is known. */
  mayTake({ shape }: WrittenCircuit): boolean {
    const known = this.#shapes.find(({ text }) => text === shape);
    return this.#engine.prepare.batch !== undefined && known?.takesCircuits !== false;
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
    runs: readonly [ShapedRun, ...ShapedRun[]],
    signal: AbortSignal,
  ): Promise<readonly RunOutcome[] | undefined> {
    const startedAt = performance.now();
    const ownTime = new OwnTime(this.#engine);
    const [{ circuit }] = runs;
    const known = this.#take(circuit.shape);
    const shape = known ?? newShape(circuit.shape);
    await this.#keep(shape);
    if (known === undefined && runs.length === 1) return undefined;
    try {
      const reused = shape.ready === undefined ? 'nothing' : 'shape';
      if (shape.ready === undefined || shape.takesCircuits === undefined) {
        const read = readCircuit(circuit);
        shape.takesCircuits = hasExactBatches(read);
        if (!hasExactBatches(read)) return undefined;
        shape.ready ??= await this.#prepare(read);
      }
      if (!shape.takesCircuits) return undefined;
      const prepareMs = performance.now() - startedAt;
      return await runReady(shape.ready, runs, { prepareMs, ownTime, reused }, signal);
    } catch (error) {
      if (signal.aborted || isEngineLost(error)) throw error;
      // Each circuit gets its own error when it is compiled.
      await dispose(shape);
      shape.takesCircuits = false;
      return undefined;
    }
  }

  /**
   * Runs a batch run.
   *
   * @returns Undefined if its circuits are to be run one by one.
   * @throws what the engine throws, the signal's reason among it.
   */
  async runBatch(
    { circuit: sent, request }: SentBatch,
    signal: AbortSignal,
  ): Promise<RunOutcome | undefined> {
    if (!isNarrow(sent.numQubits) || !isForBatches(request)) return undefined;
    const start = { at: performance.now(), ownTime: new OwnTime(this.#engine) };
    if (!('shape' in sent)) {
      // Nothing tells a shape with a matrix from others, so it is not kept.
      if (!this.#takes(sent, request)) return undefined;
      const { executable } = await this.#prepare(sent);
      await using _ = executable;
      return await runRequest(executable, request, start, signal);
    }
    const shape = this.#take(sent.shape) ?? newShape(sent.shape);
    await this.#keep(shape);
    if (shape.ready === undefined || request.countsOfSingles === true) {
      const circuit = readCircuit(sent);
      if (!this.#takes(circuit, request)) return undefined;
      shape.ready ??= await this.#prepare(circuit);
    }
    try {
      return await runRequest(shape.ready.executable, request, start, signal);
    } catch (error) {
      // A shape that failed is prepared anew the next time.
      if (!signal.aborted) await dispose(shape);
      throw error;
    }
  }

  /** Whether the engine's batches give the requested outputs. */
  #takes(shape: DynamicCircuit, request: BatchRunRequest): shape is Circuit {
    return this.#engine.prepare.batch !== undefined && isRunTogether(shape, request);
  }

  #take(shape: string): Shape | undefined {
    return this.#shapes.take(({ text }) => text === shape);
  }

  async #keep(shape: Shape): Promise<void> {
    for (const dropped of this.#shapes.keep(shape)) await dispose(dropped);
  }

  async #prepare(circuit: Circuit): Promise<ReadyShape> {
    const executable = await this.#engine.prepare.batch?.(circuit);
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

/** @param start - When its shape was looked for, on the clock of `performance.now()`. */
async function runRequest(
  executable: BatchExecutable,
  request: BatchRunRequest,
  start: { readonly at: number; readonly ownTime: OwnTime },
  signal: AbortSignal,
): Promise<RunOutcome> {
  const readyAt = performance.now();
  const outputs = await executable.run(request, signal);
  const executionMs = performance.now() - readyAt;
  const { elapsedMs: ownMs } = start.ownTime;
  return { outputs, compileMs: readyAt - start.at, executionMs, ownMs };
}

/** Time that it took to make a shape ready, and whether it was known. */
interface Taken {
  readonly prepareMs: number;
  /** Running since before. */
  readonly ownTime: OwnTime;
  readonly reused: Reuse;
}

async function runReady(
  { executable, report, numBits }: ReadyShape,
  runs: readonly [ShapedRun, ...ShapedRun[]],
  { prepareMs, ownTime, reused }: Taken,
  signal: AbortSignal,
): Promise<readonly RunOutcome[]> {
  const startedAt = performance.now();
  const { shots = 0 } = runs[0].request;
  const { counts = new Uint32Array() } = await executable.run(
    {
      numCircuits: runs.length,
      angles: Float64Array.from(runs.flatMap(({ circuit }) => circuit.angles)),
      seeds: runs.map(({ request }) => request.seed ?? 0),
      shots,
    },
    signal,
  );
  // Each has its share.
  const executionMs = (performance.now() - startedAt) / runs.length;
  const compileMs = prepareMs / runs.length;
  const ownMs = ownTime.elapsedMs / runs.length;
  const size = 2 ** numBits;
  return runs.map((_, i) => ({
    outputs: {
      countsByRow: [countsOfValues(counts.subarray(i * size, (i + 1) * size), numBits, shots)],
      statePasses: [1],
    },
    compilation: report,
    reused,
    compileMs,
    executionMs,
    ownMs,
  }));
}

/** A circuit is run as it was written, gate by gate on a state that stays where it is. */
function reportOnShape(circuit: Circuit): CompilationReport {
  const sweep: Sweep = { kind: 'sweep', resident: [], kernels: [] };
  const scheduled = { program: { steps: [sweep] }, fusedBlocks: 0 };
  const report = reportOn(circuit, { circuit, passes: [] }, scheduled, EXACT_PRECISION);
  return { ...report, kernels: report.gatesAfter };
}

/** Beyond this, telling a shape from others costs more than it is likely to save. */
const MAX_OPERATIONS = 512;
const MAX_SHOTS = 1_000_000;
/** Nothing is heard while a batch runs, so it is to be short. */
const MAX_BATCH_NS = 5e6;
/** Outcomes that callers wait for are not held back for a batch run that may take longer. */
const MAX_BRIEF_NS = 1e6;
/** Upper bounds of the time of a circuit in a batch, nanoseconds. */
const NS_PER_AMPLITUDE = 1;
const NS_PER_OPERATION = 20;
const NS_PER_SHOT = 20;

/** A run whose circuit is in writing. */
export type ShapedRun = SentRun & { readonly circuit: WrittenCircuit };

/** Whether a run may be run in a batch, as far as can be told without reading its circuit. */
export function mayBeBatched(run: SentRun): run is ShapedRun {
  const { circuit, request } = run;
  const { shots = 0 } = request;
  return (
    !isBatch(request) &&
    run.precision === EXACT_PRECISION &&
    'shape' in circuit &&
    (request.method ?? 'statevector') === 'statevector' &&
    circuit.angles.length > 0 &&
    isNarrow(circuit.numQubits) &&
    circuit.numOperations <= MAX_OPERATIONS &&
    shots > 0 &&
    shots <= MAX_SHOTS &&
    askedFields(request).length === 0
  );
}

/**
 * Takes those out of a list that are to be run with a run: of the same shape, with as many shots, and
 * together not too long. None where all are the same circuit, which is compiled once and kept.
 */
export function takeOfSameShape(run: ShapedRun, waiting: SentRun[]): readonly ShapedRun[] {
  const taken = new Set<ShapedRun>();
  let isSweep = false;
  let room = MAX_BATCH_NS - costNs(run);
  for (const other of waiting) {
    if (!mayBeBatched(other) || !isSameShape(run, other)) continue;
    room -= costNs(other);
    if (room < 0) break;
    taken.add(other);
    isSweep ||= !isSameCircuit(run.circuit, other.circuit);
  }
  if (!isSweep) return [];
  const left = waiting.filter((other) => !mayBeBatched(other) || !taken.has(other));
  waiting.splice(0, waiting.length, ...left);
  return [...taken];
}

/** Whether a batch run is over in no time. */
export function isBriefBatch(circuit: SentCircuit, request: BatchRunRequest): boolean {
  const { numCircuits, shots = 0, observables = [] } = request;
  const numTrips = observables.reduce(
    (sum, terms) => sum + terms.length,
    numOperationsOfSent(circuit) + 1,
  );
  const ns = numTrips * nsOfTrip(circuit.numQubits) + NS_PER_SHOT * shots;
  return numCircuits * ns <= MAX_BRIEF_NS;
}

function isSameShape(a: ShapedRun, b: ShapedRun): boolean {
  if (a.request.shots !== b.request.shots) return false;
  return a.circuit === b.circuit || a.circuit.shape === b.circuit.shape;
}

function costNs({ circuit, request }: ShapedRun): number {
  return nsOfTrip(circuit.numQubits) * circuit.numOperations + NS_PER_SHOT * (request.shots ?? 0);
}

function nsOfTrip(numQubits: number): number {
  return NS_PER_OPERATION + NS_PER_AMPLITUDE * 2 ** numQubits;
}
