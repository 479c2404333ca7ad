/** An experiment as a visitor enters it, and the request that follows from the entries. */
import type { ExperimentSubmissionInput, ExperimentTaskInput } from '../../client/api-types.ts';
import { type Fault, FieldError, faultsBelow } from '../shell/faults.ts';

/** Decoders of the service, with a few words about each. */
export const DECODERS = [
  ['matching', 'matching: minimum-weight perfect matching'],
  ['union_find', 'union find: a little faster, less exact'],
  ['bp_osd', 'BP+OSD: errors of any size, of colour codes too'],
  ['lookup', 'lookup: the likeliest flips, of small codes'],
  ['none', 'none: counts the flips of the observables'],
] as const satisfies readonly (readonly [ExperimentSubmissionInput['decoder'], string])[];
export type Decoder = (typeof DECODERS)[number][0];

/** Entered fields. Numbers are texts; empty ones are left out of the request. */
export interface ExperimentDraft {
  /** A circuit in Stim's format, or tasks as JSON. */
  readonly text: string;
  /** Decoder of the tasks that name none. */
  readonly decoder: Decoder;
  readonly processor: string;
  readonly maxShots: string;
  readonly maxErrors: string;
  readonly relativeError: string;
  readonly seed: string;
  readonly name: string;
}

/**
 * The request of a draft.
 *
 * @throws {FieldError} with the path of each field that is wrong, named as in the request.
 */
export function submissionOf(draft: ExperimentDraft): ExperimentSubmissionInput {
  const faults: Fault[] = [];
  const count = (path: string, text: string, what: string, least = 1) => {
    const number = Number(text);
    if (text.trim() === '') return undefined;
    if (Number.isSafeInteger(number) && number >= least) return number;
    faults.push({ path, message: `${what} are a whole number from ${least} on.` });
    return undefined;
  };
  const tasks = tasksOf(draft.text, faults);
  const maxShots = count('max_shots', draft.maxShots, 'Shots');
  const maxErrors = count('max_errors', draft.maxErrors, 'Errors');
  const seed = draft.seed.trim() === '' ? undefined : Number(draft.seed);
  if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0)) {
    faults.push({ path: 'seed', message: 'The seed is a whole number from 0 on.' });
  }
  const relative = draft.relativeError.trim() === '' ? undefined : Number(draft.relativeError);
  if (relative !== undefined && !(relative > 0 && relative <= 1)) {
    const message = 'The relative error is a number above 0 and at most 1.';
    faults.push({ path: 'relative_error', message });
  }
  if (faults.length > 0) throw new FieldError(faults);
  const name = draft.name.trim();
  return {
    tasks,
    target_processor: draft.processor,
    decoder: draft.decoder,
    ...(maxShots !== undefined && { max_shots: maxShots }),
    ...(maxErrors !== undefined && { max_errors: maxErrors }),
    ...(relative !== undefined && { relative_error: relative }),
    ...(seed !== undefined && { seed }),
    ...(name !== '' && { name }),
  };
}

/** Messages of the faults of tasks, with the number of the task if the path has one. */
export function taskFaults(error: unknown): readonly string[] {
  return faultsBelow(error, 'tasks').map(({ path, message }) => {
    const [, task] = /^tasks\[(\d+)\]/.exec(path) ?? [];
    return task === undefined ? message : `Task ${task}: ${message}`;
  });
}

/** Tasks of a text. The service checks each of them, and answers with the path of what is wrong. */
function tasksOf(text: string, faults: Fault[]): readonly ExperimentTaskInput[] {
  if (text.trim() === '') {
    faults.push({ path: 'tasks', message: 'Enter a circuit in Stim’s format, or tasks as JSON.' });
    return [];
  }
  if (!/^\s*[[{]/.test(text)) return [{ stim: text }];
  try {
    const read: unknown = JSON.parse(text);
    const given: unknown = Array.isArray(read)
      ? read
      : (Reflect.get(Object(read), 'tasks') ?? [read]);
    if (Array.isArray(given) && given.length > 0) return given;
    faults.push({ path: 'tasks', message: 'There are no tasks in the JSON.' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    faults.push({ path: 'tasks', message: `The JSON cannot be read: ${message}` });
  }
  return [];
}
