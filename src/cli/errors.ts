/** Errors of the command line. */
import { coded, type Fault } from '../errors/coded-error.ts';
import { didYouMean } from '../errors/nearest-names.ts';

/** The file named on the command line does not exist. `advice` is a sentence after a space. */
export class FileNotFoundError extends coded(
  'CLI_FILE_NOT_FOUND',
  (path: string, options?: ErrorOptions, advice?: string) => ({
    message: `There is no file ${path}.${advice ?? ''}`,
    ...options,
  }),
) {}

/** The file exists but its content cannot be used. */
export class FileUnreadableError extends coded(
  'CLI_FILE_UNREADABLE',
  (path: string, why: string, options?: ErrorOptions) => ({
    message: `${path} cannot be used: ${why}.`,
    ...options,
  }),
) {}

/** A file cannot be written. */
export class FileUnwritableError extends coded(
  'CLI_FILE_UNWRITABLE',
  (path: string, why: string, options?: ErrorOptions) => ({
    message: `${path} cannot be written: ${why}.`,
    ...options,
  }),
) {}

/** No errors that flip one or two detectors flip a logical observable and no detector. */
export class NoGraphlikeErrorError extends coded(
  'CLI_NO_GRAPHLIKE_ERROR',
  (path: string) =>
    `${path} has no graphlike logical error: no errors that flip one or two detectors each together flip an observable and no detector.`,
) {}

/** Options that cannot be combined; `why` is a sentence. */
export class OptionsConflictError extends coded(
  'CLI_OPTIONS_CONFLICT',
  (why: string) => `The options do not go together: ${why}`,
) {}

/**
 * The command is for the embedded database, and the settings name one in PostgreSQL, whose `program` does the same.
 */
export class EmbeddedOnlyError extends coded(
  'CLI_EMBEDDED_ONLY',
  (command: string, program: string) =>
    `\`${command}\` is for the embedded database, and QCS_DATABASE_URL names one in PostgreSQL. Use ${program}.`,
) {}

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
export class NodeNotFoundError extends coded(
  'CLI_NODE_NOT_FOUND',
  (name: string, known: readonly string[]) => {
    const those = known.length === 0 ? 'there are no nodes yet' : `there are ${known.join(', ')}`;
    return `There is no node "${name.slice(0, 100)}"; ${those}.${didYouMean(name, known)}`;
  },
) {}

/**
 * WebGPU was requested, and no adapter is usable: discovery found none, for a `reason` that is a sentence, or uses none
 * of those that exist.
 */
export class NoUsableAdapterError extends coded(
  'CLI_NO_ADAPTER',
  (
    reason?: string,
    unused: readonly {
      readonly adapter: { readonly name: string };
      readonly reason: string;
    }[] = [],
  ) => {
    const why = unused.map(({ adapter, reason: each }) => `${adapter.name}: ${each}`).join(' ');
    return `There is no adapter for the WebGPU engine. ${why || (reason ?? 'None was found.')}`;
  },
) {}

/** Ctrl-C interrupted the command. */
export class InterruptedError extends coded('CLI_INTERRUPTED', () => 'Interrupted.') {}

/**
 * The service did not start, closed a connection, or gave a wrong answer, so its figures would mean nothing. `what` is
 * the event, without a full stop.
 */
export class LoadFailedError extends coded(
  'CLI_LOAD_FAILED',
  (what: string, options?: ErrorOptions) => ({
    message: `The load was broken off: ${what}.`,
    ...options,
  }),
) {}

/** Neither the environment nor an option gives a key. */
export class KeyMissingError extends coded(
  'CLI_KEY_MISSING',
  () => 'There is no API key: set QCS_API_KEY, or name a file that holds one with --key-file.',
) {}

/**
 * The key contains characters that no header can carry. The message does not show the key, but its `source`: the name
 * of the file or variable.
 */
export class KeyMalformedError extends coded(
  'CLI_KEY_MALFORMED',
  (source: string) => `${source} holds no API key: one is a line of visible ASCII characters.`,
) {}

/** The text is not the address of a service. */
export class ServiceUrlError extends coded(
  'CLI_URL_INVALID',
  (text: string) => `"${text}" is no address of a service, such as http://127.0.0.1:8080.`,
) {}

/** The service refused the circuit of the file; `said` is its message, a sentence. */
export class CircuitRefusedError extends coded(
  'CLI_CIRCUIT_REFUSED',
  (file: string, said: string, faults: readonly Fault[], options?: ErrorOptions) => ({
    message: `${file} is not taken. ${said}`,
    faults,
    ...options,
  }),
) {}

/** Ctrl-C ended the following of a job. */
export class WatchStoppedError extends coded(
  'CLI_WATCH_STOPPED',
  (id: string) =>
    `No longer watching. ${id} goes on; \`qcs jobs follow ${id}\` watches it again, \`qcs jobs cancel ${id}\` ends it.`,
) {}
