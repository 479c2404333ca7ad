/** The log as the settings want it: the logger's JSON lines as they are, or written for a person. */

/** Where the log goes. */
export interface LogDestination {
  /** Whether it is a terminal. */
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

/** Fields that the logger adds to every line, and those that are written first. */
const OTHER_FIELDS = ['level', 'time', 'pid', 'hostname', 'msg', 'err'];

/**
 * What the logger writes to.
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
 * A line of the log for a person: time, method, path, status and duration of a request; time, level,
 * message and the other fields of all else.
 *
 * @param line - A JSON object, as the logger writes it.
 */
export function prettyLine(line: string): string {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(line);
  const { level, time, msg, method, path, status, ms, err } = fields;
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  // A path may hold what a terminal would act on.
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

/** Of an error as the logger writes it: its stack, or its message where it has none. */
function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('stack' in error && typeof error.stack === 'string') return error.stack;
  return 'message' in error ? String(error.message) : undefined;
}

/** The text with control characters written as escapes. */
function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
