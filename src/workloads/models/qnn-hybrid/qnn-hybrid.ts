/**
 * The model `qnn-hybrid`: rows become circuits of one shape, which run as one batch on a processor, and
 * their counts become decisions.
 *
 * It runs on the first of its processors that is available: the fleet, or the double-precision simulator
 * while the fleet is in maintenance or fails its self-tests (batch-runner.ts). Its self-test classifies
 * flowers with known exact expectation values, the same way as a request.
 */

import { ProcessorUnavailableError, QueueFullError } from '../../../fleet/errors.ts';
import { HealthMonitor } from '../../../fleet/health-monitor.ts';
import type {
  Availability,
  Backend,
  CircuitResult,
  CircuitRun,
  Processor,
  RunHooks,
} from '../../../fleet/processor.ts';
import { addToSeed } from '../../../math/philox.ts';
import { angleRows, type ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { ModelUnavailableError } from '../../errors.ts';
import type { Model } from '../model.ts';
import { BatchRunner } from './batch-runner.ts';
import {
  type ClassificationRequest,
  checkClassification,
  ownCircuitOf,
} from './classification-request.ts';
import { scaleRow } from './feature-scaler.ts';
import { classAbove } from './fit-classifier.ts';
import type { ModelArtefact, ModelCard } from './model-card.ts';
import { QNN_HYBRID_ID } from './model-id.ts';
import { ANSATZES } from './reuploading-ansatz.ts';
import {
  marginInShotNoise,
  sampledExpectation,
  timesBitZeroClear,
} from './sampled-expectations.ts';

/** Caller of an inference, for the scheduler. */
export interface Requester extends Pick<CircuitRun, 'keyId' | 'tier' | 'priority'> {
  /** Longest wait until the inference starts, milliseconds; 30,000 unless given. */
  readonly maxWaitMs?: number;
}

/** One row's answer. */
export interface ClassifiedRow {
  /** ⟨Z₀⟩ estimated from the shots. */
  readonly expectation: number;
  readonly prediction: 0 | 1;
  readonly marginInShotNoise: number;
  /** Names of the features that were clamped to their range. */
  readonly outOfRange: readonly string[];
  /** Number of shots with each outcome, qubit 0 the lowest bit; length 2^numQubits. */
  readonly counts: Uint32Array;
}

/** An inference's answer. */
export interface Classification {
  readonly mode: 'trained' | 'custom';
  readonly labels: readonly string[];
  readonly threshold: number;
  readonly numQubits: number;
  readonly numLayers: number;
  readonly numParameters: number;
  readonly shots: number;
  readonly seed: number;
  readonly processor: string;
  readonly backend: Backend;
  readonly timing: CircuitResult['timing'];
  readonly rows: readonly ClassifiedRow[];
}

/** Settings of the model. */
export interface QnnHybridOptions {
  readonly artefact: ModelArtefact;
  /** Processors that may run it, the preferred one first. */
  readonly processors: readonly Processor[];
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Interval between self-tests, milliseconds; that of processors unless given. */
  readonly selfTestIntervalMs?: number;
}

/** A circuit to run, and how to decide from its counts. */
interface Classifier {
  readonly mode: Classification['mode'];
  readonly circuit: ParametricCircuit;
  readonly theta: readonly number[];
  readonly threshold: number;
  readonly numLayers: number;
}

/** Longest wait of a caller, milliseconds; then it receives a Retry-After. */
const MAX_WAIT_MS = 30_000;

const SELF_TEST_SEED = 17;
/**
 * Allowed deviation in standard errors. The seed is fixed, so all healthy engines draw the same shots.
 */
const SELF_TEST_MARGIN = 6;
/** Priority of self-tests: ahead of requests, because they determine whether requests can run. */
const SELF_TESTER: Requester = {
  keyId: 'self-test',
  tier: 'enterprise',
  priority: 'high',
  maxWaitMs: Number.POSITIVE_INFINITY,
};

/** The classifier. */
export class QnnHybrid implements Model {
  readonly id = QNN_HYBRID_ID;
  readonly name: string;
  readonly task = 'classification';
  readonly description: string;
  readonly card: ModelCard;
  /** Known answers: flowers of the data, and the exact circuit's value for each. */
  readonly knownAnswers: ModelArtefact['known_answers'];
  readonly #options: QnnHybridOptions;
  readonly #deployed: Classifier;
  readonly #monitor: HealthMonitor;
  readonly #runner: BatchRunner;
  #numTasks = 0;
  /** Fault that the last self-test found; null before the first. */
  #finding: string | undefined | null = null;
  #lastSelfTest: Classification | undefined;
  /** Whether no processor was available for the first self-test; it runs as soon as one is. */
  #lacksProcessor = false;

  constructor(options: QnnHybridOptions) {
    const { artefact, now, selfTestIntervalMs } = options;
    const { parameters, card } = artefact;
    this.#options = options;
    this.#runner = new BatchRunner(this.id, options.processors);
    this.card = card;
    this.name = card.name;
    this.description = card.description;
    this.knownAnswers = artefact.known_answers;
    this.#deployed = {
      mode: 'trained',
      circuit: ANSATZES[parameters.ansatz].build({
        numQubits: parameters.qubits,
        numLayers: parameters.layers,
      }),
      theta: parameters.theta,
      threshold: parameters.threshold,
      numLayers: parameters.layers,
    };
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#selfTest(onStarted, signal),
      // The processor reports a stalled queue; `availability` asks it each time.
      lastSignOfLife: () => performance.now(),
      onChange: () => {},
      now,
      ...(selfTestIntervalMs !== undefined && { intervalMs: selfTestIntervalMs }),
    });
  }

  availability(): Availability {
    const { hasProcessor } = this.#runner;
    if (this.#lacksProcessor && hasProcessor) {
      this.#lacksProcessor = false;
      void this.#monitor.check();
    }
    const outcome = this.#monitor.availability;
    if (hasProcessor || !outcome.available) return outcome;
    return { available: false, checkedAt: outcome.checkedAt, ...this.#runner.whyNone() };
  }

  /** Results for the known answers in the last self-test that passed; undefined before it. */
  lastSelfTest(): Classification | undefined {
    return this.#lastSelfTest;
  }

  async start(): Promise<void> {
    await this.#monitor.check();
  }

  async close(graceMs = 0): Promise<void> {
    this.#monitor.close();
    await this.#runner.close(graceMs);
  }

  /**
   * Classifies rows; each answer is estimated from shots of its own.
   *
   * @throws {InvalidInferenceError} naming every fault.
   * @throws {ModelUnavailableError} at once if unavailable.
   * @throws as `Processor.run`.
   */
  async classify(
    request: ClassificationRequest,
    requester: Requester,
    signal: AbortSignal,
  ): Promise<Classification> {
    checkClassification(request);
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ModelUnavailableError(this.id, reason, retryAfterS);
    try {
      return await this.#classify(request, requester, {}, signal);
    } catch (error) {
      if (!signal.aborted && !isRefusal(error)) void this.#monitor.check();
      throw error;
    }
  }

  async #classify(
    { rows, own, shots = this.card.circuit.shots_per_circuit, seed }: ClassificationRequest,
    requester: Requester,
    hooks: Pick<RunHooks, 'onStarted' | 'readmitted'>,
    signal: AbortSignal,
  ): Promise<Classification> {
    const classifier = own === undefined ? this.#deployed : classifierOf(own);
    const { circuit, theta, threshold, mode, numLayers } = classifier;
    const { maxWaitMs = MAX_WAIT_MS, ...whose } = requester;
    const scaled = own === undefined ? rows.map((row) => this.#scale(row)) : rows.map(unscaled);
    const inputs = scaled.map(({ values }) => values);
    const task: CircuitRun = {
      ...whose,
      id: `${this.id}:${this.#numTasks++}`,
      circuit: circuit.shape,
      request: {
        numCircuits: rows.length,
        angles: angleRows(circuit, theta, inputs),
        shots,
        seeds: rows.map((_, k) => addToSeed(seed, k)),
      },
    };
    const { processor, result } = await this.#runner.run(task, hooks, maxWaitMs, signal);
    const { counts } = result.outputs;
    if (counts === undefined) throw new Error('unreachable: shots without counts');
    const size = 2 ** circuit.shape.numBits;
    return {
      mode,
      labels: this.card.labels,
      threshold,
      numQubits: circuit.shape.numQubits,
      numLayers,
      numParameters: theta.length,
      shots,
      seed,
      processor,
      backend: result.backend,
      timing: result.timing,
      rows: scaled.map(({ outOfRange }, k) => {
        const ofRow = counts.subarray(k * size, (k + 1) * size);
        return {
          ...decide(ofRow, shots, threshold),
          outOfRange: outOfRange.map((f) => this.card.feature_names[f]!),
          counts: ofRow,
        };
      }),
    };
  }

  #scale(row: readonly number[]) {
    const { minimums, maximums } = this.#options.artefact.parameters;
    return scaleRow({ minimums, maximums }, row);
  }

  /** Runs the self-test; resolves to the fault found. */
  async #selfTest(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#runner.hasProcessor) return this.#withoutProcessor();
    try {
      const found = await this.#classify(
        {
          rows: this.knownAnswers.map(({ input }) => input),
          pathOf: (row) => `known_answers[${row}]`,
          seed: SELF_TEST_SEED,
        },
        SELF_TESTER,
        // Readmitted: a full queue of requests is no fault of the model.
        { onStarted, readmitted: true },
        signal,
      );
      this.#finding = this.#whatIsWrong(found.rows);
      if (this.#finding === undefined) this.#lastSelfTest = found;
      return this.#finding;
    } catch (error) {
      if (isRefusal(error)) return this.#withoutProcessor();
      throw error;
    }
  }

  /** The self-test's finding on the model stands meanwhile; `availability` asks processors each time. */
  #withoutProcessor(): string | undefined {
    if (this.#finding !== null) return this.#finding;
    this.#lacksProcessor = true;
    return this.#runner.whyNone().reason;
  }

  #whatIsWrong(rows: readonly ClassifiedRow[]): string | undefined {
    const { shots_per_circuit: shots } = this.card.circuit;
    const wrong = rows.findIndex((row, k) => isFarFrom(this.knownAnswers[k]!, row, shots));
    if (wrong < 0) return undefined;
    return `The self-test found an expectation of ${rows[wrong]!.expectation} for ${this.knownAnswers[wrong]!.name}, not ${this.knownAnswers[wrong]!.expectation}.`;
  }
}

/**
 * Whether an error is unrelated to the model: a full queue, a wait that was too long, or a processor that
 * left.
 */
function isRefusal(error: unknown): boolean {
  return [QueueFullError, ProcessorUnavailableError, ModelUnavailableError].some(
    (refusal) => error instanceof refusal,
  );
}

function classifierOf(own: NonNullable<ClassificationRequest['own']>): Classifier {
  const { theta, threshold = 0 } = own;
  return { ...ownCircuitOf(own), mode: 'custom', theta, threshold };
}

function unscaled(values: readonly number[]) {
  return { values, outOfRange: [] };
}

/** Classification from the counts. */
function decide(
  counts: Uint32Array,
  shots: number,
  threshold: number,
): Pick<ClassifiedRow, 'expectation' | 'prediction' | 'marginInShotNoise'> {
  const timesClear = timesBitZeroClear(counts);
  const expectation = sampledExpectation(timesClear, shots);
  return {
    expectation,
    prediction: classAbove(threshold, expectation),
    marginInShotNoise: marginInShotNoise(timesClear, shots, threshold),
  };
}

/** Uses the shot noise of the exact value, so that a wrong estimate cannot widen the tolerance. */
function isFarFrom(
  { expectation }: { readonly expectation: number },
  found: ClassifiedRow,
  shots: number,
): boolean {
  const noise = Math.sqrt(Math.max(1 / shots, 1 - expectation ** 2) / shots);
  return Math.abs(found.expectation - expectation) > SELF_TEST_MARGIN * noise;
}
