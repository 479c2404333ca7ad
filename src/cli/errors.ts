/** Errors of the command line. */
import { CodedError, coded, type Fault } from '../errors/coded-error.ts';
import { didYouMean } from '../errors/nearest-names.ts';

/** The file named on the command line does not exist. */
export class FileNotFoundError extends CodedError {
  readonly code = 'CLI_FILE_NOT_FOUND';

  /** @param advice - A sentence after a space, or nothing. */
  constructor(path: string, options?: ErrorOptions, advice = '') {
    super(`There is no file ${path}.${advice}`, [], options);
  }
}

/** The file exists but its content cannot be used. */
export class FileUnreadableError extends CodedError {
  readonly code = 'CLI_FILE_UNREADABLE';

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path} cannot be used: ${why}.`, [], options);
  }
}

/** Options that cannot be combined. */
export class OptionsConflictError extends CodedError {
  readonly code = 'CLI_OPTIONS_CONFLICT';

  /** @param why - A sentence. */
  constructor(why: string) {
    super(`The options do not go together: ${why}`);
  }
}

/** The command is for the embedded database, and the settings name one in PostgreSQL. */
export class EmbeddedOnlyError extends CodedError {
  readonly code = 'CLI_EMBEDDED_ONLY';

  /** @param program - Program of PostgreSQL that does the same. */
  constructor(command: string, program: string) {
    super(
      `\`${command}\` is for the embedded database, and QCS_DATABASE_URL names one in PostgreSQL. Use ${program}.`,
    );
  }
}

/** The command is for a cluster, and the settings name no database in PostgreSQL. */
export class NoClusterError extends coded(
  'CLI_NO_CLUSTER',
  () => '`qcs cluster` is for services on PostgreSQL. QCS_DATABASE_URL must name their database.',
) {}

/** The settings name no database in PostgreSQL into which to copy. */
export class NoTargetError extends coded(
  'CLI_NO_TARGET',
  () =>
    '`qcs migrate` copies into a database in PostgreSQL. QCS_DATABASE_URL must name one that is empty.',
) {}

/** The cluster has no such node. */
export class NodeNotFoundError extends CodedError {
  readonly code = 'CLI_NODE_NOT_FOUND';

  constructor(name: string, known: readonly string[]) {
    const those = known.length === 0 ? 'there are no nodes yet' : `there are ${known.join(', ')}`;
    super(`There is no node "${name.slice(0, 100)}"; ${those}.${didYouMean(name, known)}`);
  }
}

/** WebGPU was requested, and no adapter is usable. */
export class NoUsableAdapterError extends CodedError {
  readonly code = 'CLI_NO_ADAPTER';

  /**
   * @param reason - Why discovery found no adapter, a sentence.
   * @param unused - Adapters that exist but are not used, with the reason for each.
   */
  constructor(
    reason = 'None was found.',
    unused: readonly {
      readonly adapter: { readonly name: string };
      readonly reason: string;
    }[] = [],
  ) {
    const why = unused.map(({ adapter, reason: each }) => `${adapter.name}: ${each}`);
    super(`There is no adapter for the WebGPU engine. ${why.length > 0 ? why.join(' ') : reason}`);
  }
}

/** Ctrl-C interrupted the command. */
export class InterruptedError extends coded('CLI_INTERRUPTED', () => 'Interrupted.') {}

/**
 * The service did not start, closed a connection, or gave a wrong answer, so its figures would mean nothing.
 */
export class LoadFailedError extends CodedError {
  readonly code = 'CLI_LOAD_FAILED';

  /** @param what - The event, without a full stop. */
  constructor(what: string, options?: ErrorOptions) {
    super(`The load was broken off: ${what}.`, [], options);
  }
}

/** Neither the environment nor an option gives a key. */
export class KeyMissingError extends coded(
  'CLI_KEY_MISSING',
  () => 'There is no API key: set QCS_API_KEY, or name a file that holds one with --key-file.',
) {}

/** The key contains characters that no header can carry. The message does not show the key. */
export class KeyMalformedError extends CodedError {
  readonly code = 'CLI_KEY_MALFORMED';

  /** @param source - File name, or the name of the variable. */
  constructor(source: string) {
    super(`${source} holds no API key: one is a line of visible ASCII characters.`);
  }
}

/** The text is not the address of a service. */
export class ServiceUrlError extends coded(
  'CLI_URL_INVALID',
  (text: string) => `"${text}" is no address of a service, such as http://127.0.0.1:8080.`,
) {}

/** The service refused the circuit of the file. */
export class CircuitRefusedError extends CodedError {
  readonly code = 'CLI_CIRCUIT_REFUSED';

  /** @param said - The service's message, a sentence. */
  constructor(file: string, said: string, faults: readonly Fault[], options?: ErrorOptions) {
    super(`${file} is not taken. ${said}`, faults, options);
  }
}

/** Ctrl-C ended the following of a job. */
export class WatchStoppedError extends coded(
  'CLI_WATCH_STOPPED',
  (id: string) =>
    `No longer watching. ${id} goes on; \`qcs jobs follow ${id}\` watches it again, \`qcs jobs cancel ${id}\` ends it.`,
) {}
