/** A processor whose results, delays and faults a test decides. */

import type { PauliSum } from '../../../src/circuit/observable.ts';
import { wordsFor } from '../../../src/engine/classical-bits.ts';
import { ProcessorUnavailableError, QueueFullError } from '../../../src/fleet/errors.ts';
import type {
  Availability,
  CircuitResult,
  CircuitRun,
  Processor,
  ProcessorSpec,
  RunHooks,
} from '../../../src/fleet/processor.ts';
import { outputsOf } from '../../../src/fleet/run-outputs.ts';
import { isBatch } from '../../../src/fleet/schedule/scheduled-run.ts';
import { circuitOf } from '../../../src/fleet/workers/sent-circuit.ts';

/** A held task, to be let go by the test. */
export interface HeldTask {
  readonly task: CircuitRun;
  readonly hooks: RunHooks;
  finish(): void;
  fail(error: Error): void;
}

/** Runs everything at once with all shots on the outcome 0, unless told to hold it. */
export class FakeProcessor implements Processor {
  readonly spec: ProcessorSpec;
  /** Tasks that ran or were begun. */
  readonly tasks: CircuitRun[] = [];
  readonly held: HeldTask[] = [];
  /** Batch tasks that ran or were begun. */
  readonly batches: CircuitRun[] = [];
  readonly heldBatches: HeldTask[] = [];
  isHolding = false;
  queueLimit = Infinity;
  retryAfterS: number | undefined = 30;
  reason: string | undefined;
  expectedWaitMs = 12.3;
  /** When each held task is said to start. */
  expectedStartAt: number | undefined;
  #maintenance: { readonly reason: string } | undefined;

  constructor(spec: Partial<ProcessorSpec> = {}) {
    this.spec = {
      id: 'statevector-sim',
      name: 'Statevector simulator',
      family: 'statevector',
      maxQubits: 24,
      maxShots: 1_000_000,
      maxGates: 1000,
      target: {
        maxQubits: 20,
        tileQubits: 12,
        contiguousQubits: 2,
        maxDenseQubits: 6,
        chunkQubits: 20,
        precision: 'f64',
      },
      precision: 'f64',
      execution: 'cpu',
      ...spec,
    };
  }

  availability(): Availability {
    const reason = this.#maintenance?.reason ?? this.reason;
    const state = { available: reason === undefined, checkedAt: 1_700_000_000_000 };
    return reason === undefined ? state : { ...state, reason };
  }

  load() {
    return {
      queueDepth: this.#allHeld.length,
      running: 0,
      expectedWaitMs: this.expectedWaitMs,
      expectedWideWaitMs: 45.6,
    };
  }

  expectedRun() {
    return { ms: 1, numEngines: 1 };
  }

  queuePosition(taskId: string): number | undefined {
    const index = this.#allHeld.findIndex(({ task }) => task.id === taskId);
    return index < 0 ? undefined : index;
  }

  expectedStart(taskId: string): number | undefined {
    return this.queuePosition(taskId) === undefined ? undefined : this.expectedStartAt;
  }

  admit(): void {
    const { available, reason } = this.availability();
    if (!available) {
      throw new ProcessorUnavailableError(this.spec.id, reason ?? '', this.retryAfterS);
    }
    if (this.#allHeld.length >= this.queueLimit) {
      throw new QueueFullError(this.spec.id, `${this.queueLimit} circuits`, 7);
    }
  }

  withdraw(): void {}

  run(task: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    if (isBatch(task.request)) {
      this.batches.push(task);
      return this.#runOrHold(task, this.heldBatches, () => zeroBatch(task), hooks, signal);
    }
    this.tasks.push(task);
    return this.#runOrHold(task, this.held, () => zeroResult(task), hooks, signal);
  }

  get #allHeld(): readonly HeldTask[] {
    return [...this.held, ...this.heldBatches];
  }

  #runOrHold(
    task: CircuitRun,
    list: HeldTask[],
    result: () => CircuitResult,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    if (!this.isHolding) {
      hooks.onStarted?.();
      return Promise.resolve(result());
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = list.indexOf(held);
        if (place >= 0) list.splice(place, 1);
      };
      const held: HeldTask = {
        task,
        hooks,
        finish: () => {
          leave();
          resolve(result());
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      list.push(held);
      signal.addEventListener('abort', () => held.fail(signal.reason));
    });
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
  }
}

/** Every circuit's shots on the outcome 0, expectations 1, and what else the task asks for. */
export function zeroBatch({
  circuit,
  request,
}: Pick<CircuitRun, 'circuit' | 'request'>): CircuitResult {
  const { numCircuits = 1, shots = 0, statevector, probabilities, observables } = request;
  const firstOfEach = <A extends Uint32Array | Float64Array>(numbers: A, first: number): A => {
    for (let at = 0; at < numbers.length; at += numbers.length / numCircuits) numbers[at] = first;
    return numbers;
  };
  const numOutcomes = numCircuits * 2 ** circuit.numBits;
  const numReals = numCircuits * 2 * 2 ** circuit.numQubits;
  return {
    outputs: {
      ...(shots > 0 && { counts: firstOfEach(new Uint32Array(numOutcomes), shots) }),
      ...(statevector && { statevectors: firstOfEach(new Float64Array(numReals), 1) }),
      ...(probabilities && { probabilities: firstOfEach(new Float64Array(numOutcomes), 1) }),
      ...(observables && {
        expectations: new Float64Array(numCircuits * observables.length).fill(1),
      }),
    },
    backend: { engine: 'reference', execution: 'cpu', precision: 'f64', hardware: 'a test' },
    timing: { queueMs: 0.1, compileMs: 0.2, executionMs: 0.3 },
  };
}

const normOf = (terms: PauliSum): number =>
  terms.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);

/** All shots on the outcome 0, and what else the task asks for. */
export function zeroResult({
  circuit: given,
  request,
}: Pick<CircuitRun, 'circuit' | 'request'>): CircuitResult {
  const circuit = circuitOf(given);
  const wordsPerOutcome = wordsFor(circuit.numBits);
  const { shots = 0 } = request;
  const isDrawn = shots > 0;
  const statevector = new Float64Array(2 * 2 ** Math.min(circuit.numQubits, 16));
  const probabilities = new Float64Array(2 ** Math.min(circuit.numBits, 16));
  statevector[0] = 1;
  probabilities[0] = 1;
  return {
    outputs: outputsOf({
      counts: {
        numBits: circuit.numBits,
        wordsPerOutcome,
        outcomes: new Uint32Array(isDrawn ? wordsPerOutcome : 0),
        occurrences: isDrawn ? Uint32Array.of(shots) : new Uint32Array(0),
      },
      ...(request.statevector === true ? { statevector } : {}),
      ...(request.probabilities === true ? { probabilities } : {}),
      ...(request.observables === undefined
        ? {}
        : { expectations: request.observables.map((terms, i) => normOf(terms) / (i + 1)) }),
      statePasses: 1,
      timing: { evolutionMs: 0, samplingMs: 0 },
    }),
    compilation: {
      gatesBefore: circuit.operations.length,
      gatesAfter: 1,
      depthBefore: 2,
      depthAfter: 1,
      twoQubitGates: { before: 1, after: 1 },
      widerGates: { before: 0, after: 0 },
      passes: [],
      kernels: 1,
      fusedBlocks: 1,
      sweeps: 1,
      bytesMoved: 128,
    },
    reused: 'nothing',
    backend: { engine: 'reference', execution: 'cpu', precision: 'f64', hardware: 'a test' },
    timing: { queueMs: 0.1, compileMs: 0.2, executionMs: 0.3 },
  };
}
