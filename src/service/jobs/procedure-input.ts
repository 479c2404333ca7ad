/** Checks of a body whose work a procedure does. */
import type { Fault } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { type JobLabels, type JobPriority, labelsOf } from '../../jobs/job.ts';
import type { Json, JsonObject } from '../../workloads/procedures/json.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import { RequestInvalidError } from '../errors.ts';

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

/** Circuits of tasks run on simulators; whether one is available is for later. */
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

/** Whether a part of a JSON body is an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What bodies say beside the work itself. */
export interface WorkOptions extends JobLabels {
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
}): WorkOptions {
  return {
    ...labelsOf(labels),
    ...(priority !== undefined && { priority }),
    ...(processor !== undefined && { processor }),
  };
}
