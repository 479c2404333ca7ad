/** Calls inside their process, one after the other: runs the procedure of each and reports its outcome. */

import type { ParentPort } from '../../processes/parent-port.ts';
import { ProcedureResultError } from './errors.ts';
import type { Procedure } from './procedure.ts';
import {
  type FromProcess,
  failureOf,
  type ProcessSetup,
  type ToProcess,
} from './procedure-messages.ts';
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

/** Deepest nesting of a result; a cyclic value exceeds it. */
const MAX_DEPTH = 100;

/**
 * Serialises a result to JSON; throws where JSON would lose or change a value.
 *
 * @throws {ProcedureResultError} if the text exceeds `maxBytes` bytes of UTF-8.
 * @throws {Error} naming the place of a value that is not JSON: a bug of the procedure.
 */
export function resultJson(result: unknown, maxBytes: number): string {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new Error(`The result is ${nameOf(result)} and not a JSON object.`);
  }
  const wrong = wrongPart(result, MAX_DEPTH);
  if (wrong !== undefined) throw new Error(`The result is not JSON: ${wrong}.`);
  const json = JSON.stringify(result);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) throw new ProcedureResultError(bytes, maxBytes);
  return json;
}

/** Describes the first value that JSON would drop, change or refuse; undefined if there is none. */
function wrongPart(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `it has the number ${value}`;
    case 'object':
      if (value === null) return undefined;
      if (depth === 0) return `it is more than ${MAX_DEPTH} levels deep, or refers to itself`;
      return Array.isArray(value) ? wrongItem(value, depth) : wrongField(value, depth);
    default:
      return `it has ${nameOf(value)}`;
  }
}

function wrongItem(items: readonly unknown[], depth: number): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const wrong = wrongPart(items[i], depth - 1);
    if (wrong !== undefined) return `${wrong}, at [${i}]`;
  }
  return undefined;
}

function wrongField(value: object, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return `it has ${nameOf(value)}`;
  }
  for (const [name, field] of Object.entries(value)) {
    // An optional field: JSON leaves it out.
    if (field === undefined) continue;
    const wrong = wrongPart(field, depth - 1);
    if (wrong !== undefined) return `${wrong}, at ${name}`;
  }
  return undefined;
}

function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return value === null ? 'null' : `${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  return `an object of class ${value.constructor?.name ?? 'unknown'}`;
}

/** Interval of the memory check during calls that yield to timers, milliseconds. */
const LOOK_EVERY_MS = 100;

/** A module that exports procedures. */
export interface ProcedureCatalog {
  findProcedure(owner: string, name: string): Procedure | undefined;
  /** Loads slow modules before the process is ready, so that no call's deadline pays for it. */
  preload?(): Promise<void>;
}

/**
 * Serves calls until the process ends. Tells the service when it is ready.
 *
 * @returns A handler for uncaught errors; it returns false if no call is to blame.
 */
export function serveProcedures(
  { findProcedure }: ProcedureCatalog,
  { maxResultBytes, maxRssBytes }: Pick<ProcessSetup, 'maxResultBytes' | 'maxRssBytes'>,
  port: ParentPort<ToProcess, FromProcess>,
): (error: unknown) => boolean {
  const { rss } = process.memoryUsage;
  const hasTooMuchMemory = () => rss() > maxRssBytes;
  const post = (message: FromProcess) => port.post(message);
  let current: ServedCall | undefined;
  const start = async (message: Extract<ToProcess, { kind: 'call' }>) => {
    const call = new ServedCall(message, {
      findProcedure,
      maxResultBytes,
      post,
      hasTooMuchMemory,
    });
    current = call;
    const timer = setInterval(() => {
      if (hasTooMuchMemory()) call.failForMemory();
    }, LOOK_EVERY_MS);
    await call.run();
    clearInterval(timer);
  };
  port.onMessage((message) => {
    switch (message.kind) {
      case 'call':
        void start(message);
        return;
      case 'cancel':
        if (current?.number === message.call) current.cancel();
        return;
      case 'answer':
        current?.circuits.answer(message);
    }
  });
  port.post({ kind: 'ready' });
  return (error) => {
    if (current === undefined || current.hasEnded) return false;
    current.failUncaught(error);
    return true;
  };
}
