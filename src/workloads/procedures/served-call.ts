/** One call inside its process: runs the procedure and tells what becomes of it. */
import type { Procedure } from './procedure.ts';
import { failureOf } from './procedure-failure.ts';
import type { FromProcess, ToProcess } from './procedure-messages.ts';
import { resultJson } from './result-json.ts';
import { SentCircuits } from './sent-circuits.ts';

/** What is told of progress goes out at most this often. */
const PROGRESS_INTERVAL_MS = 50;
const MAX_MESSAGE_LENGTH = 200;

/** What a call needs of its process. */
export interface CallSurroundings {
  readonly findProcedure: (owner: string, name: string) => Procedure | undefined;
  readonly maxResultBytes: number;
  readonly post: (message: FromProcess) => void;
  /** Whether the process has more memory than it may. */
  readonly hasTooMuchMemory: () => boolean;
}

type Call = Extract<ToProcess, { kind: 'call' }>;

/** A call. */
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
    this.circuits = new SentCircuits(call.call, call.maxQubits, surroundings.post);
  }

  get number(): number {
    return this.#call.call;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Runs the procedure to its end, whatever that is. */
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

  /** Its time is over, or nobody wants it any more. */
  cancel(): void {
    this.#controller.abort();
    this.circuits.close(this.#controller.signal.reason);
  }

  /** Ends it with an error that nobody waited for, unless it has ended. */
  failUncaught(error: unknown): void {
    const failure = failureOf(error);
    this.#end({ kind: 'failed', call: this.number, failure, isUncaught: true });
  }

  #fail(error: unknown): void {
    const { aborted, reason } = this.#controller.signal;
    if (aborted && error === reason) this.#end({ kind: 'aborted', call: this.number });
    else this.#end({ kind: 'failed', call: this.number, failure: failureOf(error) });
  }

  /** Ends it for the memory that its process has. */
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
   * Sent at once where the last was some time ago, also from within a synchronous stretch; otherwise
   * with the next one, by the timer once the stretch is over, or before the end.
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
    // Timers do not run within a synchronous stretch, so the memory is looked at here, too.
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
