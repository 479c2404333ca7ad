/** Log output: the logger's JSON lines unchanged, or formatted for people. */

/** Destination of the log. */
export interface LogDestination {
  /** True for a terminal. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Fields that are not listed with the others: the logger's own, and those written first. */
const OTHER_FIELDS = ['level', 'time', 'pid', 'hostname', 'msg', 'err'];

/**
 * Creates the stream that the logger writes to.
 *
 * @param format - By default `pretty` on a terminal, `json` elsewhere.
 */
export function logStream(
  format: 'pretty' | 'json' | undefined,
  destination: LogDestination,
): Pick<LogDestination, 'write'> {
  const isPretty = (format ?? (destination.isTTY ? 'pretty' : 'json')) === 'pretty';
  if (!isPretty) return destination;
  return { write: (line) => destination.write(`${prettyLine(line)}\n`) };
}

/**
 * Formats a log line for people. A request has time, method, path, status and duration; other lines have
 * time, level, message and the other fields.
 *
 * @param line - JSON object, as the logger writes it.
 */
export function prettyLine(line: string): string {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(line);
  const { level, time, msg, method, path, status, ms, err } = fields;
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  // A path may contain control sequences for the terminal.
  if (msg === 'request') return printable(`${at} ${method} ${path} ${status} ${ms} ms`);
  const rest = Object.entries(fields)
    .filter(([name]) => !OTHER_FIELDS.includes(name))
    .map(
      ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
  const head = printable(`${at} ${LEVEL_NAMES[Number(level)] ?? level}: ${msg}${rest.join('')}`);
  const stack = stackOf(err);
  return stack === undefined ? head : `${head}\n${stack.split('\n').map(printable).join('\n')}`;
}

/** Stack of a logged error, or its message if it has none. */
function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('stack' in error && typeof error.stack === 'string') return error.stack;
  return 'message' in error ? String(error.message) : undefined;
}

/** Escapes control characters. */
function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
