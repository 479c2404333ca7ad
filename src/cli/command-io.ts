/** Environment of a command, real in `cli.ts` and fake in tests: streams, clock and randomness. Writers of output. */
import { InterruptedError } from './errors.ts';

/** Part of `process.stderr` that commands use. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Streams, environment, clock and randomness of a command. */
export interface CommandIo {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Resolves after the given milliseconds; rejects with the signal's reason if that is aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls the listener on Ctrl-C until the result is disposed of. */
  readonly onInterrupt: (listener: () => void) => Disposable;
}

/** A signal that Ctrl-C aborts with an error. Dispose of it when the work has ended. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #listener: Disposable;

  constructor(
    { onInterrupt }: Pick<CommandIo, 'onInterrupt'>,
    errorOf: () => Error = () => new InterruptedError(),
  ) {
    this.#listener = onInterrupt(() => this.#controller.abort(errorOf()));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#listener[Symbol.dispose]();
  }
}

/** Exit codes that scripts can rely on; `--help` of `qcs` lists them. */
export const EXIT_CODES = {
  ok: 0,
  /** The operation was tried and failed: the circuit, the engine, the database. */
  failed: 1,
  /** The operation was not tried: wrong arguments, an invalid circuit file, invalid settings. */
  usage: 2,
  /** The named thing does not exist: a file, a key, a job. */
  notFound: 3,
  /** The requested processor is not available, or the service does not answer. */
  unavailable: 4,
  /** The job that was followed was cancelled. */
  cancelled: 5,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

/** Writes one line of JSON. */
export function writeJson({ out }: Pick<CommandIo, 'out'>, value: unknown): void {
  out.write(`${JSON.stringify(value)}\n`);
}

/** Writes a value as one line of JSON if that is asked for, and otherwise its text. */
export function writeEither(
  io: Pick<CommandIo, 'out'>,
  { json }: { readonly json?: boolean },
  value: unknown,
  text: string,
): void {
  if (json === true) writeJson(io, value);
  else io.out.write(`${text}\n`);
}

/** Formats rows as aligned columns under a heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  // There may be a million rows, more than a function takes as arguments.
  const widths = heading.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), title.length),
  );
  return [heading, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes a warning per line for the parts of a program that were ignored. */
export function writeWarnings(
  warnings: readonly { readonly message: string }[],
  { err }: Pick<CommandIo, 'err'>,
): void {
  for (const { message } of warnings) err.write(`${message}\n`);
}

/** Removes control sequences of a terminal; returns one line. */
export function printable(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Formats JSON over several lines and escapes all control characters, including those that JSON allows. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replace(
    /[^\P{Cc}\n]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
