/** A call that runs on a process: its deadline, its circuits, its progress, and how it ends. */
import type { Processor } from '../../fleet/processor.ts';
import type { ChildEnd } from '../../processes/supervised-child.ts';
import { CallCircuits } from './call-circuits.ts';
import { ProcedureDeadlineError } from './errors.ts';
import type { ProcedureCall, ProcedureHooks, ProcedureOutcome } from './procedure-call.ts';
import {
  type CircuitAsked,
  errorOf,
  type FromProcess,
  type ToProcess,
} from './procedure-messages.ts';

/** Outcome of a call on one process. */
export type CallEnd =
  | { readonly kind: 'done'; readonly outcome: Omit<ProcedureOutcome, 'timing'> }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'out-of-memory' }
  /** The process ended during the call. */
  | { readonly kind: 'lost'; readonly end: ChildEnd };

/** A call to start. */
export interface StartingCall {
  readonly call: ProcedureCall;
  readonly hooks: ProcedureHooks;
  readonly signal: AbortSignal;
  /** Processors that may run its circuits, the preferred one first. */
  readonly processors: readonly Processor[];
  readonly onEnd: (end: CallEnd, executionMs: number) => void;
}

/** A running call. */
export class RunningCall {
  readonly #starting: StartingCall;
  readonly #number: number;
  readonly #post: (message: ToProcess) => void;
  readonly #circuits: CallCircuits;
  readonly #startedAt = performance.now();
  readonly #deadline: StopClock;
  readonly #onAbort: () => void;
  #fraction = 0;
  #hasEnded = false;

  /** Sends the call to its process. */
  constructor(starting: StartingCall, number: number, post: (message: ToProcess) => void) {
    this.#starting = starting;
    this.#number = number;
    this.#post = post;
    const { call, signal, processors } = starting;
    this.#circuits = new CallCircuits(call, processors, (isWaiting) => {
      if (this.#hasEnded) return;
      // Waiting for other callers' work does not count towards the deadline.
      if (isWaiting) this.#deadline.pause();
      else this.#deadline.resume();
    });
    const { maxQubits, maxNoisyQubits } = this.#circuits;
    const { owner, name } = call.address;
    const { input, seed, deadlineMs } = call;
    post({ kind: 'call', call: number, owner, name, input, seed, maxQubits, maxNoisyQubits });
    this.#deadline = new StopClock(deadlineMs, () => {
      this.#stop(new ProcedureDeadlineError(deadlineMs));
    });
    this.#onAbort = () => this.#stop(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Whether the caller has been answered; the process may still be computing. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get keyId(): string {
    return this.#starting.call.keyId;
  }

  /**
   * Milliseconds for which its circuits have waited for a processor with none on one; 0 if none waits.
   */
  get waitingMs(): number {
    return this.#circuits.waitingMs;
  }

  /** Milliseconds since its start. */
  get runningMs(): number {
    return performance.now() - this.#startedAt;
  }

  /**
   * Handles a message from the process.
   *
   * @returns Whether the process has finished the call, and can take another (`came-back`) or not
   *   (`came-back-broken`).
   */
  hear(message: FromProcess): 'goes-on' | 'came-back' | 'came-back-broken' {
    if (message.kind === 'ready' || message.call !== this.#number) return 'goes-on';
    switch (message.kind) {
      case 'progress':
        this.#progress(message.fraction, message.message);
        return 'goes-on';
      case 'run':
        void this.#answer(message);
        return 'goes-on';
      case 'done': {
        const { resultJson, units } = message;
        const { executedOn } = this.#circuits;
        this.end({ kind: 'done', outcome: { resultJson, units, executedOn } });
        return 'came-back';
      }
      case 'aborted':
        return 'came-back';
      case 'failed': {
        const { failure } = message;
        if (failure.kind === 'memory') {
          this.end({ kind: 'out-of-memory' });
          return 'came-back-broken';
        }
        const error = errorOf(failure, (circuit) => this.#circuits.failure(circuit));
        this.end({ kind: 'failed', error });
        return message.isUncaught === true ? 'came-back-broken' : 'came-back';
      }
    }
  }

  /** Ends the call, unless it has ended. */
  end(end: CallEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deadline.pause();
    this.#starting.signal.removeEventListener('abort', this.#onAbort);
    this.#circuits.close();
    this.#starting.onEnd(end, this.runningMs);
  }

  /** Rejects the call at once, whether or not the process reacts. */
  #stop(error: unknown): void {
    this.#post({ kind: 'cancel', call: this.#number });
    this.end({ kind: 'failed', error });
  }

  #progress(fraction: number, message: string | undefined): void {
    if (this.#hasEnded || !(fraction >= this.#fraction && fraction <= 1)) return;
    this.#fraction = fraction;
    const { onProgress } = this.#starting.hooks;
    if (message === undefined) onProgress?.(fraction);
    else onProgress?.(fraction, message);
  }

  async #answer(asked: CircuitAsked): Promise<void> {
    if (this.#hasEnded) return;
    const answer = await this.#circuits.run(asked);
    if (answer === undefined || this.#hasEnded) return;
    this.#post({ kind: 'answer', call: this.#number, circuit: asked.circuit, answer });
  }
}

/** A deadline that can be paused; its clock runs from construction. */
export class StopClock {
  readonly #onOver: () => void;
  /** Milliseconds left at `#since`, or while paused. */
  #leftMs: number;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver - Called once the clock has run for `limitMs` milliseconds. */
  constructor(limitMs: number, onOver: () => void) {
    this.#leftMs = limitMs;
    this.#onOver = onOver;
    this.resume();
  }

  /** Stops the clock. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#since;
  }

  /** Restarts the clock. */
  resume(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onOver, Math.max(0, this.#leftMs));
  }
}
