/** A call inside its process: runs the procedure and reports its outcome. */
import type { Procedure } from './procedure.ts';
import { failureOf } from './procedure-failure.ts';
import type { FromProcess, ToProcess } from './procedure-messages.ts';
import { resultJson } from './result-json.ts';
import { SentCircuits } from './sent-circuits.ts';

/** Least interval between progress messages, milliseconds. */
const PROGRESS_INTERVAL_MS = 50;
const MAX_MESSAGE_LENGTH = 200;

/** The parts of its process that a call needs. */
export interface CallSurroundings {
  readonly findProcedure: (owner: string, name: string) => Procedure | undefined;
  readonly maxResultBytes: number;
  readonly post: (message: FromProcess) => void;
  /** Whether the process exceeds its memory limit. */
  readonly hasTooMuchMemory: () => boolean;
}

type Call = Extract<ToProcess, { kind: 'call' }>;

/** A call that this process serves. */
export class ServedCall {
  readonly #call: Call;
  readonly #surroundings: CallSurroundings;
  readonly #controller = new AbortController();
  readonly circuits: SentCircuits;
  #units: number | undefined;
  #fraction = 0;
  #unsent: { readonly message?: string } | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(call: Call, surroundings: CallSurroundings) {
    this.#call = call;
    this.#surroundings = surroundings;
    this.circuits = new SentCircuits(call.call, call, surroundings.post);
  }

  get number(): number {
    return this.#call.call;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Runs the procedure and reports its outcome. Never rejects. */
  async run(): Promise<void> {
    const { owner, name, input, seed } = this.#call;
    const { findProcedure, maxResultBytes } = this.#surroundings;
    try {
      const procedure = findProcedure(owner, name);
      if (procedure === undefined) throw new Error(`There is no procedure ${owner}/${name}.`);
      const result = await procedure.run(input, {
        circuits: this.circuits.runner,
        seed,
        progress: (fraction, message) => this.#progress(fraction, message),
        countUnits: (units) => {
          if (units > 0 && Number.isFinite(units)) this.#units = (this.#units ?? 0) + units;
        },
        signal: this.#controller.signal,
      });
      const json = resultJson(result, maxResultBytes);
      this.#end({ kind: 'done', call: this.number, resultJson: json, units: this.#units ?? 1 });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Aborts the call: its deadline has passed, or it was cancelled. */
  cancel(): void {
    this.#controller.abort();
    this.circuits.close(this.#controller.signal.reason);
  }

  /** Ends the call with an uncaught error, unless it has ended. */
  failUncaught(error: unknown): void {
    const failure = failureOf(error);
    this.#end({ kind: 'failed', call: this.number, failure, isUncaught: true });
  }

  #fail(error: unknown): void {
    const { aborted, reason } = this.#controller.signal;
    if (aborted && error === reason) this.#end({ kind: 'aborted', call: this.number });
    else this.#end({ kind: 'failed', call: this.number, failure: failureOf(error) });
  }

  /** Ends the call because its process exceeds its memory limit. */
  failForMemory(): void {
    this.#end({ kind: 'failed', call: this.number, failure: { kind: 'memory' } });
  }

  #end(message: FromProcess): void {
    if (this.#hasEnded) return;
    this.#sendProgress();
    this.#hasEnded = true;
    this.circuits.close(new Error('The call has ended.'));
    this.#surroundings.post(message);
  }

  /**
   * Reports progress. A report is sent at once if the last is old enough, also within synchronous code.
   * Otherwise it is sent with the next one, by a timer, or before the end.
   */
  #progress(fraction: number, message?: string): void {
    if (this.#hasEnded) return;
    if (fraction > this.#fraction) this.#fraction = Math.min(1, fraction);
    const text = message === undefined ? this.#unsent?.message : message;
    this.#unsent = text === undefined ? {} : { message: text.slice(0, MAX_MESSAGE_LENGTH) };
    const wait = this.#sentAt + PROGRESS_INTERVAL_MS - performance.now();
    if (wait > 0) {
      this.#timer ??= setTimeout(() => this.#sendProgress(), wait);
      return;
    }
    this.#sendProgress();
    // Timers do not run during synchronous code, so the memory is checked here, too.
    if (this.#surroundings.hasTooMuchMemory()) this.failForMemory();
  }

  #sendProgress(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unsent === undefined || this.#hasEnded) return;
    const { message } = this.#unsent;
    this.#unsent = undefined;
    this.#sentAt = performance.now();
    const told = message === undefined ? {} : { message };
    this.#surroundings.post({
      kind: 'progress',
      call: this.number,
      fraction: this.#fraction,
      ...told,
    });
  }
}
