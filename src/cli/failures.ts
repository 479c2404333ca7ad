/** Converts errors to messages for stderr and to exit codes. */
import { CommanderError } from 'commander';
import { ApiError, QcsError } from '../client/errors.ts';
import { CodedError, type Fault } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';
import { EXIT_CODES, printable } from './command-io.ts';

/** Codes of errors whose exit code is not `failed`. */
const EXIT_CODE_OF: Readonly<Record<string, number>> = {
  CONFIG_INVALID: EXIT_CODES.usage,
  SERVICE_REQUEST_INVALID: EXIT_CODES.usage,
  CLI_FILE_UNREADABLE: EXIT_CODES.usage,
  CLI_OPTIONS_CONFLICT: EXIT_CODES.usage,
  CLI_EMBEDDED_ONLY: EXIT_CODES.usage,
  CLI_NO_CLUSTER: EXIT_CODES.usage,
  CLI_NO_TARGET: EXIT_CODES.usage,
  CLI_CIRCUIT_REFUSED: EXIT_CODES.usage,
  CLI_KEY_MISSING: EXIT_CODES.usage,
  CLI_KEY_MALFORMED: EXIT_CODES.usage,
  CLI_URL_INVALID: EXIT_CODES.usage,
  CLI_FILE_NOT_FOUND: EXIT_CODES.notFound,
  CLI_NODE_NOT_FOUND: EXIT_CODES.notFound,
  SERVICE_KEY_NOT_FOUND: EXIT_CODES.notFound,
  CLI_NO_ADAPTER: EXIT_CODES.unavailable,
  ENGINE_NO_ADAPTER: EXIT_CODES.unavailable,
  FLEET_PROCESSOR_UNAVAILABLE: EXIT_CODES.unavailable,
  CLI_WATCH_STOPPED: EXIT_CODES.interrupted,
  CLI_INTERRUPTED: EXIT_CODES.interrupted,
  // Errors of the client, at a running service.
  BAD_REQUEST: EXIT_CODES.usage,
  UNAUTHORIZED: EXIT_CODES.usage,
  FORBIDDEN: EXIT_CODES.usage,
  JOB_ID_INVALID: EXIT_CODES.usage,
  NOT_FOUND: EXIT_CODES.notFound,
  SERVICE_UNAVAILABLE: EXIT_CODES.unavailable,
  CONNECTION_FAILED: EXIT_CODES.unavailable,
  JOB_CANCELLED: EXIT_CODES.cancelled,
};

/** Advice on an error of the client. */
const ADVICE_ON: Readonly<Record<string, string>> = {
  UNAUTHORIZED: ' The key is that of QCS_API_KEY or --key-file.',
  JOB_ID_INVALID: ' `qcs jobs` lists them.',
  CONNECTION_FAILED: ' `qcs serve` starts a service here; --url or QCS_URL name another.',
};

/** Exit code for an error of any kind that a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander also throws for help and version, with code 0; wrong usage has code 1.
    return error.exitCode === 1 ? EXIT_CODES.usage : error.exitCode;
  }
  if (error instanceof CodedError || error instanceof QcsError) {
    return EXIT_CODE_OF[error.code] ?? EXIT_CODES.failed;
  }
  return EXIT_CODES.failed;
}

/** The error's message, with a line for each fault that the message does not name. */
export function faultText(error: unknown): string {
  if (error instanceof QcsError) {
    const message = printable(error.message) + (ADVICE_ON[error.code] ?? '');
    return withFaults(message, error instanceof ApiError ? error.details : []);
  }
  if (error instanceof CodedError) return withFaults(error.message, error.faults);
  return error instanceof Error ? error.message : String(error);
}

function withFaults(message: string, faults: readonly Fault[]): string {
  const lines = faults
    .filter((fault) => !message.includes(fault.message))
    .map((fault) => `  ${printable(faultSentence(fault))}`);
  return [message, ...lines].join('\n');
}
