/** Converts errors to messages for stderr and to exit codes. */
import { CommanderError } from 'commander';
import { CodedError } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';
import { EXIT_CODES } from './command-io.ts';

/** Codes of errors whose exit code is not `failed`. */
const EXIT_CODE_OF: Readonly<Record<string, number>> = {
  CONFIG_INVALID: EXIT_CODES.usage,
  SERVICE_REQUEST_INVALID: EXIT_CODES.usage,
  CLI_FILE_UNREADABLE: EXIT_CODES.usage,
  CLI_OPTIONS_CONFLICT: EXIT_CODES.usage,
  CLI_CIRCUIT_REFUSED: EXIT_CODES.usage,
  CLI_KEY_MISSING: EXIT_CODES.usage,
  CLI_KEY_MALFORMED: EXIT_CODES.usage,
  CLI_KEY_REFUSED: EXIT_CODES.usage,
  CLI_URL_INVALID: EXIT_CODES.usage,
  CLI_JOB_ID_INVALID: EXIT_CODES.usage,
  CLI_FILE_NOT_FOUND: EXIT_CODES.notFound,
  CLI_JOB_NOT_FOUND: EXIT_CODES.notFound,
  SERVICE_KEY_NOT_FOUND: EXIT_CODES.notFound,
  CLI_NO_ADAPTER: EXIT_CODES.unavailable,
  ENGINE_NO_ADAPTER: EXIT_CODES.unavailable,
  FLEET_PROCESSOR_UNAVAILABLE: EXIT_CODES.unavailable,
  CLI_SERVICE_UNREACHABLE: EXIT_CODES.unavailable,
  CLI_JOB_CANCELLED: EXIT_CODES.cancelled,
  CLI_WATCH_STOPPED: EXIT_CODES.interrupted,
  CLI_INTERRUPTED: EXIT_CODES.interrupted,
};

/** Exit code for an error of any kind that a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander also throws for help and version, with code 0; wrong usage has code 1.
    return error.exitCode === 1 ? EXIT_CODES.usage : error.exitCode;
  }
  if (error instanceof CodedError) return EXIT_CODE_OF[error.code] ?? EXIT_CODES.failed;
  return EXIT_CODES.failed;
}

/** The error's message, with a line for each fault that the message does not name. */
export function faultText(error: unknown): string {
  if (!(error instanceof CodedError)) return error instanceof Error ? error.message : String(error);
  const lines = error.faults
    .filter((fault) => !error.message.includes(fault.message))
    .map((fault) => `  ${faultSentence(fault)}`);
  return [error.message, ...lines].join('\n');
}
