/** Runs the circuits of a procedure call, on the service's side, under the call's name and priority. */
import type { Circuit } from '../../circuit/circuit.ts';
import { BatchCutter } from '../../fleet/batch-pieces.ts';
import { CircuitTooLargeError } from '../../fleet/errors.ts';
import type { CircuitRun, Processor } from '../../fleet/processor.ts';
import { circuitWork, widthOfRun } from '../../fleet/schedule/scheduled-run.ts';
import { unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { type ExecutedOn, ExecutionLog } from './executed-on.ts';
import type { ProcedureCall } from './procedure-call.ts';
import { failureOf } from './procedure-failure.ts';
import {
  type BatchAsked,
  type CircuitAnswer,
  type CircuitAsked,
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
type Facts = Pick<CircuitRun, 'id' | 'priority' | 'keyId' | 'tier'>;

/** The circuits of one call. */
export class CallCircuits {
  readonly #call: ProcedureCall;
  readonly #processors: readonly Processor[];
  readonly #controller = new AbortController();
  readonly #shapes: Circuit[] = [];
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
   * Runs the circuit or batch that the process requested. Never rejects.
   *
   * @returns The answer; undefined once the call has ended.
   */
  async run(asked: CircuitAsked | BatchAsked): Promise<Answer | undefined> {
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
      return await (asked.kind === 'run'
        ? this.#runCircuit(asked, onBegun)
        : this.#runBatch(asked, onBegun));
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

  async #runCircuit(
    { circuit: n, packed, request }: CircuitAsked,
    onBegun: OnBegun,
  ): Promise<Answer> {
    const circuit = unpackCircuit(packed);
    const task = { ...this.#facts(n), circuit, request };
    const numQubits = widthOfRun(circuitWork(circuit), request);
    const { processor, result } = await runOnFirst(
      this.#processors,
      async (on, hooks, signal) => {
        checkWidth(numQubits, on);
        return await on.run(task, hooks, signal);
      },
      this.#controller.signal,
      onBegun,
    );
    const { outputs, backend, timing } = result;
    this.#log.note({ processor, backend, circuits: 1, executionMs: timing.executionMs });
    return { outputs, timing };
  }

  async #runBatch(
    { circuit: n, slot, shape, request }: BatchAsked,
    onBegun: OnBegun,
  ): Promise<Answer> {
    if (shape !== undefined) this.#shapes[slot % MAX_SHAPES] = shape;
    const known = this.#shapes[slot];
    if (known === undefined) throw new Error(`No shape was sent for slot ${slot}.`);
    let [numPieces, numRunning, numLeft] = [0, 0, request.numCircuits];
    let executionMs = 0;
    const outputs = await this.#cutter.run(
      { circuit: known, request },
      async (piece, onStarted, signal) => {
        const task = { ...this.#facts(n), ...piece };
        const id = `${task.id}/${numPieces++}`;
        let isRunning = false;
        const follow = (running: boolean) => {
          if (running) onStarted();
          numRunning += Number(running) - Number(isRunning);
          isRunning = running;
          onBegun(numRunning > 0);
        };
        try {
          const { processor, result } = await runOnFirst(
            this.#processors,
            async (on, hooks, ownSignal) => await on.run({ ...task, id }, hooks, ownSignal),
            signal,
            follow,
          );
          const { backend, timing } = result;
          const circuits = piece.request.numCircuits;
          numLeft -= circuits;
          executionMs += timing.executionMs;
          this.#log.note({ processor, backend, circuits, executionMs: timing.executionMs });
          return result;
        } finally {
          // After the last piece the answer follows at once, and the call does not wait.
          if (numLeft > 0) follow(false);
        }
      },
      this.#controller.signal,
    );
    return { outputs, timing: { executionMs } };
  }

  #facts(circuit: number): Facts {
    const { id, priority, keyId, tier } = this.#call;
    return { id: `${id}/${circuit}`, priority, keyId, tier };
  }
}

/**
 * Refuses a circuit that no engine is wide enough for now: a call with a deadline cannot wait for one to
 * return.
 */
function checkWidth(numQubits: number, { spec }: Processor): void {
  if (numQubits > spec.maxQubits) throw new CircuitTooLargeError(numQubits, spec);
}
