/** Jobs whose work procedures do, tasks and TPU jobs: checks of their bodies, and hooks of their runs. */
import type { Fault } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { type JobLabels, type JobPriority, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import type { Json, JsonObject } from '../../workloads/procedures/json.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import type { ProcedureHooks } from '../../workloads/procedures/procedure-call.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { RequestInvalidError } from '../errors.ts';

/** Largest body, bytes: room for as many circuits, matrices and rows as any procedure takes. */
export const MAX_PROCEDURE_BODY_BYTES = 2 * 1024 * 1024;

/** Most characters of all requests of one kind in flight, so that inputs of the largest size do not fill memory. */
export const MAX_CHARACTERS_IN_FLIGHT = 128 * 1024 * 1024;

/** Largest body read in the main thread. A schema with alternatives takes some microseconds a byte where none fits. */
const SMALL_BODY_BYTES = 8192;

/** Entries of any array in an input, fields of any object; the procedures' own bounds are narrower. */
export const MAX_INPUT_LENGTH = 65_536;

/**
 * What is wrong with the input of a procedure, its form first.
 *
 * @param root - Where it stands in the request.
 */
export function inputFaults(
  procedure: Procedure,
  input: JsonObject,
  root: readonly string[],
): readonly Fault[] {
  return faultsAt(root.join('.'), procedure.faultsOf(input));
}

/**
 * Sees to what takes code that the main thread does not load, of an input without other faults.
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

/** Context in which a body of a procedure is read. */
export interface ProcedureContext {
  /** Ids of the processors that circuits may be sent to. */
  readonly simulators: readonly string[];
}

/** The processors that circuits of procedures may be sent to. */
export function simulatorsOf({ processors }: ProcessorDirectory): readonly string[] {
  return processors
    .filter(({ spec }) => spec.family !== 'superconducting')
    .map(({ spec }) => spec.id);
}

/** Circuits of procedures run on simulators; whether one is available is checked when the job is admitted. */
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
 * Whether a body is read in the main thread: a small one without OpenQASM, of which a short text may loop for
 * long, and without an expression, whose parser takes most of a second to load and some 150 MB to hold.
 */
export function isSmallBody(body: unknown, numBytes: number): boolean {
  return numBytes <= SMALL_BODY_BYTES && !holdsText(body);
}

/** Whether anything in the value is called `qasm` or `expression`; it is not nested deeply. */
function holdsText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (name: string) => Object.hasOwn(value, name);
  if (!Array.isArray(value) && (isText('qasm') || isText('expression'))) return true;
  return Object.values(value).some(holdsText);
}

/**
 * Checks the processor that a caller names for its circuits. Of others the agents know.
 *
 * @throws {ProcessorUnavailableError} if it is not available now.
 */
export function checkProcessor(fleet: ProcessorDirectory, id: string | undefined): void {
  const processor = id === undefined ? undefined : fleet.get(id);
  if (processor === undefined) return;
  const { available, reason = '', retryAfterS } = processor.availability();
  if (!available) throw new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS);
}

/** Hooks of a procedure that tell its job. */
export function procedureHooks(hooks: JobHooks): ProcedureHooks {
  return {
    onStarted: () => hooks.started(),
    onProgress: (fraction, message) => hooks.progress(fraction, message),
    onStartedOver: () => hooks.startedOver(),
    readmitted: hooks.readmitted,
  };
}

/** Whether a part of a JSON body is an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields of a submission that every body of a procedure may give. */
export interface ProcedureOptions extends JobLabels {
  readonly priority?: JobPriority;
  /** Id of the simulator that its circuits go to. */
  readonly processor?: string;
}

/** The options of a body as they are named here. */
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
