/** Parts that tasks and TPU jobs share, because procedures do their work: checks of bodies and run hooks. */

import type { Fault } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { isSimulator } from '../../fleet/processor.ts';
import { type JobLabels, type JobPriority, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import type { ProcedureHooks } from '../../workloads/procedures/procedure-call.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { RequestInvalidError } from '../http/errors.ts';

/** Greatest size of a body, bytes; enough for the circuits, matrices and rows that any procedure accepts. */
export const MAX_PROCEDURE_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Greatest total length of all requests of one kind in flight, characters. It bounds the memory of large
 * inputs.
 */
export const MAX_CHARACTERS_IN_FLIGHT = 128 * 1024 * 1024;

/**
 * Greatest size of a body read in the main thread. A schema with alternatives takes some microseconds per
 * byte if none matches.
 */
const SMALL_BODY_BYTES = 8192;

/**
 * Greatest number of entries of an array or fields of an object in an input. Procedures have narrower limits.
 */
export const MAX_INPUT_LENGTH = 65_536;

/**
 * Faults of a procedure's input, form first.
 *
 * @param root - Path of the input in the request.
 */
export function inputFaults(
  procedure: Procedure,
  input: JsonObject,
  root: readonly string[],
): readonly Fault[] {
  return faultsAt(root.join('.'), procedure.faultsOf(input));
}

/**
 * Checks an input, without other faults, with code that the main thread does not load.
 *
 * @param root - Path of the input in the request.
 * @throws {RequestInvalidError} listing every fault.
 */
export async function checkLate(
  procedure: Procedure,
  input: JsonObject,
  root: string,
): Promise<void> {
  const faults = (await procedure.lateFaultsOf?.(input)) ?? [];
  if (faults.length > 0) throw new RequestInvalidError(faultsAt(root, faults));
}

function faultsAt(root: string, faults: readonly Fault[]): readonly Fault[] {
  return faults.map(({ path, ...rest }) => ({
    path: path === '' ? root : `${root}${path.startsWith('[') ? '' : '.'}${path}`,
    ...rest,
  }));
}

/** Context in which the body of a procedure is read. */
export interface ProcedureContext {
  /** Ids of the processors that may run circuits. */
  readonly simulators: readonly string[];
}

/** Processors that may run circuits of procedures. */
export function simulatorsOf({ processors }: ProcessorDirectory): readonly string[] {
  return processors.filter(isSimulator).map(({ spec }) => spec.id);
}

/**
 * Faults of the processor: circuits of procedures run on simulators. Availability is checked on admission.
 */
export function processorFaults(
  { target_processor: id }: { readonly target_processor?: string | undefined },
  simulators: readonly string[],
): readonly Fault[] {
  if (id === undefined || simulators.includes(id)) return [];
  const known = simulators.join(', ');
  const near = didYouMean(id, simulators);
  const message = `There is no simulator ${JSON.stringify(id)}; there are ${known}.${near}`;
  return [{ path: 'target_processor', message }];
}

/**
 * True if a body is read in the main thread: a small one without OpenQASM, because a short text may loop for
 * long, and without an expression, whose parser takes most of a second to load and about 150 MB.
 */
export function isSmallBody(body: unknown, numBytes: number): boolean {
  return numBytes <= SMALL_BODY_BYTES && !holdsText(body);
}

/** True if the value contains a field `qasm` or `expression`. The value is not nested deeply. */
function holdsText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (name: string) => Object.hasOwn(value, name);
  if (!Array.isArray(value) && (isText('qasm') || isText('expression'))) return true;
  return Object.values(value).some(holdsText);
}

/**
 * Checks that the processor named for circuits is available. Without a name, the agents choose.
 *
 * @throws {ProcessorUnavailableError} if it is not available.
 */
export function checkProcessor(fleet: ProcessorDirectory, id: string | undefined): void {
  const processor = id === undefined ? undefined : fleet.get(id);
  if (processor === undefined) return;
  const { available, reason = '', retryAfterS } = processor.availability();
  if (!available) throw new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS);
}

/** Connects a procedure's hooks to its job. */
export function procedureHooks(hooks: JobHooks): ProcedureHooks {
  return {
    onStarted: () => hooks.started(),
    onProgress: (fraction, message) => hooks.progress(fraction, message),
    onStartedOver: () => hooks.startedOver(),
    readmitted: hooks.readmitted,
  };
}

/** Options that every body of a procedure may have. */
export interface ProcedureOptions extends JobLabels {
  readonly priority?: JobPriority;
  /** Id of the simulator for its circuits. */
  readonly processor?: string;
}

/** Reads the options from a body. */
export function optionsOf({
  priority,
  target_processor: processor,
  ...labels
}: {
  readonly priority?: JobPriority | undefined;
  readonly target_processor?: string | undefined;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}): ProcedureOptions {
  return {
    ...labelsOf(labels),
    ...(priority !== undefined && { priority }),
    ...(processor !== undefined && { processor }),
  };
}
