/** Runs the circuits of a procedure call, on the service's side, under the call's name and priority. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { BatchCutter } from '../../fleet/batch-chunks.ts';
import { CircuitTooLargeError } from '../../fleet/errors.ts';
import type { CircuitResult, Processor } from '../../fleet/processor.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import {
  type BatchRunRequest,
  type CircuitRequest,
  circuitWork,
  isBatch,
  widthOfRun,
} from '../../fleet/schedule/scheduled-run.ts';
import { unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { type ExecutedOn, ExecutionLog, type ProcedureCall } from './procedure-call.ts';
import {
  type CircuitAnswer,
  type CircuitAsked,
  failureOf,
  MAX_OUTSTANDING,
  MAX_SHAPES,
} from './procedure-messages.ts';
import { type OnBegun, preferredProcessor, runOnFirst } from './processor-turn.ts';

/**
 * Circuit failures kept for each call, so that their original error can be thrown again. A procedure that
 * continues past this many has handled them itself.
 */
const MAX_KEPT_FAILURES = 64;

type Answer = CircuitAnswer['answer'];

/** The circuits of one call. */
export class CallCircuits {
  readonly #call: ProcedureCall;
  readonly #processors: readonly Processor[];
  readonly #controller = new AbortController();
  readonly #shapes: DynamicCircuit[] = [];
  readonly #failures = new Map<number, unknown>();
  readonly #log = new ExecutionLog();
  readonly #cutter = new BatchCutter();
  readonly #onWaiting: (isWaiting: boolean) => void;
  #numOutstanding = 0;
  #numBegun = 0;
  #waitingSince: number | undefined;

  /**
   * @param processors - The processors that may run them, the preferred one first.
   * @param onWaiting - Called when the circuits begin to wait for a processor, with the start time as
   *   `waitingMs`, and when they stop waiting.
   */
  constructor(
    call: ProcedureCall,
    processors: readonly Processor[],
    onWaiting: (isWaiting: boolean) => void,
  ) {
    this.#call = call;
    this.#processors = processors;
    this.#onWaiting = onWaiting;
  }

  /**
   * Milliseconds for which circuits have been in flight without any of them on a processor; 0 if none
   * waits.
   */
  get waitingMs(): number {
    return this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince;
  }

  get maxQubits(): number {
    return preferredProcessor(this.#processors)?.spec.maxQubits ?? 0;
  }

  get maxNoisyQubits(): number {
    return preferredProcessor(this.#processors)?.spec.maxNoisyQubits ?? this.maxQubits;
  }

  get executedOn(): readonly ExecutedOn[] {
    return this.#log.entries;
  }

  /** The error that a circuit of the call failed with. */
  failure(circuit: number): unknown {
    return this.#failures.get(circuit) ?? new Error(`Circuit ${circuit} of the call failed.`);
  }

  /**
   * Runs the circuits that the process requested. Never rejects.
   *
   * @returns The answer; undefined once the call has ended.
   */
  async run(asked: CircuitAsked): Promise<Answer | undefined> {
    // Before the first await: slots must be filled in the order of the messages.
    const { signal } = this.#controller;
    this.#numOutstanding++;
    let [hasBegun, isOver] = [false, false];
    const onBegun = (begun: boolean) => {
      if (begun === hasBegun || isOver) return;
      hasBegun = begun;
      this.#numBegun += begun ? 1 : -1;
      this.#follow();
    };
    this.#follow();
    try {
      if (this.#numOutstanding > MAX_OUTSTANDING) throw new Error('More circuits than agreed.');
      const [circuit, { request }] = [this.#circuitOf(asked), asked];
      const outputs = isBatch(request)
        ? await this.#runChunks(asked.circuit, circuit, request, onBegun)
        : (await this.#runChunk(`${asked.circuit}`, circuit, request, signal, onBegun)).outputs;
      return { outputs };
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#failures.set(asked.circuit, error);
      if (this.#failures.size > MAX_KEPT_FAILURES) {
        for (const oldest of this.#failures.keys()) {
          this.#failures.delete(oldest);
          break;
        }
      }
      return { failure: failureOf(error) };
    } finally {
      // Both at once: in between, the call would seem to wait again.
      isOver = true;
      this.#numOutstanding--;
      if (hasBegun) this.#numBegun--;
      this.#follow();
    }
  }

  /** Aborts every circuit in flight. */
  close(): void {
    if (this.#numOutstanding === 0) return;
    this.#controller.abort(new DOMException('The call has ended.', 'AbortError'));
  }

  #follow(): void {
    const isWaiting = this.#numOutstanding > 0 && this.#numBegun === 0;
    if (isWaiting === (this.#waitingSince !== undefined)) return;
    this.#waitingSince = isWaiting ? performance.now() : undefined;
    this.#onWaiting(isWaiting);
  }

  /** The circuit itself or, of several, their shape: one object for as long as its slot holds it. */
  #circuitOf({ slot, packed }: CircuitAsked): DynamicCircuit {
    const sent = packed && unpackCircuit(packed);
    if (slot !== undefined && sent !== undefined) this.#shapes[slot % MAX_SHAPES] = sent;
    const circuit = sent ?? this.#shapes[slot!];
    if (circuit === undefined) throw new Error(`No shape was sent for slot ${slot}.`);
    return circuit;
  }

  async #runChunks(
    n: number,
    shape: DynamicCircuit,
    request: BatchRunRequest,
    onBegun: OnBegun,
  ): Promise<RunOutputs> {
    let [numChunks, numRunning, numLeft] = [0, 0, request.numCircuits];
    return await this.#cutter.run(
      { circuit: shape, request },
      async (chunk, onStarted, signal) => {
        let isRunning = false;
        const follow = (running: boolean) => {
          if (running) onStarted();
          numRunning += Number(running) - Number(isRunning);
          isRunning = running;
          onBegun(numRunning > 0);
        };
        try {
          const id = `${n}/${numChunks++}`;
          const result = await this.#runChunk(id, chunk.circuit, chunk.request, signal, follow);
          numLeft -= chunk.request.numCircuits;
          return result;
        } finally {
          // After the last chunk the answer follows at once, and the call does not wait.
          if (numLeft > 0) follow(false);
        }
      },
      this.#controller.signal,
    );
  }

  async #runChunk(
    id: string,
    circuit: DynamicCircuit,
    request: CircuitRequest,
    signal: AbortSignal,
    onBegun: OnBegun,
  ): Promise<CircuitResult> {
    const { priority, keyId, tier } = this.#call;
    const run = { id: `${this.#call.id}/${id}`, priority, keyId, tier, circuit, request };
    const numQubits = widthOfRun(circuitWork(circuit), request);
    const { processor, result } = await runOnFirst(
      this.#processors,
      async (on, hooks, ownSignal) => {
        checkWidth(numQubits, on);
        // Readmitted: the call was accepted, and bounds its own circuits in flight.
        return await on.run(run, { ...hooks, readmitted: true }, ownSignal);
      },
      signal,
      onBegun,
    );
    const { backend, timing } = result;
    const circuits = request.numCircuits ?? 1;
    this.#log.note({ processor, backend, circuits, executionMs: timing.executionMs });
    return result;
  }
}

/**
 * Refuses a circuit that no engine is wide enough for now: a call with a deadline cannot wait for one to
 * return.
 */
function checkWidth(numQubits: number, { spec }: Processor): void {
  if (numQubits > spec.maxQubits) throw new CircuitTooLargeError(numQubits, spec);
}
