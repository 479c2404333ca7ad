/** Environment of a command: streams, clock and randomness. `cli.ts` passes the real one, tests a fake. */
import type { TerminalStream } from './progress-bar.ts';

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
export function writeJson(io: CommandIo, value: unknown): void {
  io.out.write(`${JSON.stringify(value)}\n`);
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
