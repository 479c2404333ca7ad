/** What a command needs of the process around it; `cli.ts` passes the real one, tests their own. */
import type { TerminalStream } from './progress-bar.ts';

/** Streams, environment, clock and chance of a command. */
export interface CommandIo {
  readonly out: TerminalStream;
  readonly err: TerminalStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Resolves after so many milliseconds; rejects with the signal's reason once that is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls back on Ctrl-C until disposed of. */
  readonly onInterrupt: (listener: () => void) => Disposable;
}

/** Exit codes that scripts can rely on; `--help` of `qcs` lists them. */
export const EXIT_CODES = {
  ok: 0,
  /** It was tried and failed: the circuit, the engine, the database. */
  failed: 1,
  /** It was not tried: wrong arguments, an invalid circuit file, invalid settings. */
  usage: 2,
  /** What was named does not exist: a file, a key, a job. */
  notFound: 3,
  /** The processor asked for is not available, or the service does not answer. */
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

/** Rows as aligned columns under a heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
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

/** What of a program was ignored, a line each, beside what a command prints. */
export function writeWarnings(
  warnings: readonly { readonly message: string }[],
  { err }: Pick<CommandIo, 'err'>,
): void {
  for (const { message } of warnings) err.write(`${message}\n`);
}
