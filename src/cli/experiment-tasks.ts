/** The tasks of `qcs experiment`: each circuit with each decoder. */
import { basename, extname } from 'node:path';
import { MAX_CIRCUIT_QUBITS } from '../circuit/circuit-limits.ts';
import { readStim } from '../circuit/stim/read-stim.ts';
import { strongIdOf } from '../service/experiments/check-task.ts';
import type { TaskBody } from '../service/experiments/experiment-schema.ts';
import { readCircuitFile } from './circuit-file.ts';
import { FileUnreadableError, OptionsConflictError } from './errors.ts';
import type { AddressOptions } from './jobs/service-client.ts';

/** Options of the command. */
export interface ExperimentOptions extends AddressOptions {
  readonly decoder?: readonly string[];
  readonly maxShots: number;
  readonly maxErrors?: number;
  readonly relativeError?: number;
  readonly seed?: number;
  readonly postselectDetectors?: 'all' | readonly number[];
  readonly postselectDetectorsWithNonZero4thCoord?: boolean;
  readonly postselectObservables?: readonly number[];
  readonly sampling?: 'stratified';
  readonly minFaults?: number;
  readonly metadata?: readonly string[];
  readonly saveResume?: string;
  readonly target: string;
  readonly submit?: boolean;
  readonly estimate?: boolean;
  readonly csv?: boolean;
}

/** A task of the experiment. */
export interface NamedTask {
  readonly file: string;
  readonly body: Partial<TaskBody> & { readonly decoder: NonNullable<TaskBody['decoder']> };
  readonly strongId: string;
}

/** Each circuit with each decoder. */
export async function tasksOf(
  files: readonly string[],
  options: ExperimentOptions,
): Promise<readonly NamedTask[]> {
  const { decoder: decoders = ['matching'] } = options;
  const ofShots = samplingOf(options);
  const tasks = new Map<string, NamedTask>();
  for (const file of files) {
    const content: Partial<TaskBody> = await readCircuitFile(file);
    const postselect = postselectionOf(file, content, options);
    const problem = {
      ...content,
      ...(postselect !== undefined && { postselect }),
      ...(ofShots !== undefined && { sampling: ofShots }),
      metadata: { ...metadataOf(file), ...fieldsIn(options.metadata ?? [], '--metadata') },
    };
    // The cast is safe: the option takes these names alone.
    for (const decoder of decoders as readonly NonNullable<TaskBody['decoder']>[]) {
      const { noise, sampling } = problem;
      const strongId = strongIdOf(problem, { noise, decoder, sampling });
      if (tasks.has(strongId)) {
        const why = `${file} is given twice, with the decoder ${decoder} and the same metadata.`;
        throw new OptionsConflictError(why);
      }
      tasks.set(strongId, { file, body: { ...problem, decoder }, strongId });
    }
  }
  return [...tasks.values()];
}

/** How shots are taken; undefined as the circuit has them. */
function samplingOf({
  sampling: method,
  minFaults,
  saveResume,
  csv,
}: ExperimentOptions): TaskBody['sampling'] {
  if (method === undefined) {
    if (minFaults !== undefined) {
      throw new OptionsConflictError('--min-faults is of --sampling stratified.');
    }
    return undefined;
  }
  if (saveResume !== undefined || csv === true) {
    const option = csv === true ? '--csv' : '--save-resume';
    throw new OptionsConflictError(
      `${option} writes a table of Sinter's, which has no place for the rate of stratified shots.`,
    );
  }
  return { method, ...(minFaults !== undefined && { min_faults: minFaults }) };
}

function postselectionOf(
  file: string,
  { stim }: Partial<TaskBody>,
  {
    postselectDetectors: asked,
    postselectDetectorsWithNonZero4thCoord: byCoordinate = false,
    postselectObservables: observables,
  }: ExperimentOptions,
): TaskBody['postselect'] {
  const chosen = new Set(asked === 'all' ? [] : asked);
  if (asked === 'all' || byCoordinate) {
    if (stim === undefined) {
      throw new FileUnreadableError(file, 'detectors are chosen by number, unless it is a .stim');
    }
    const limits = { maxQubits: MAX_CIRCUIT_QUBITS, maxGates: Number.MAX_SAFE_INTEGER };
    for (const [i, coordinates] of readStim(stim, limits).coordinates.entries()) {
      if (asked === 'all' || (coordinates[3] ?? 0) !== 0) chosen.add(i);
    }
  }
  const detectors = [...chosen].sort((a, b) => a - b);
  if (detectors.length === 0 && observables === undefined) return undefined;
  return {
    ...(detectors.length > 0 && { detectors }),
    ...(observables !== undefined && { observables: [...observables] }),
  };
}

/** What the name of a file says, such as `d=3,p=0.001.stim`, as Sinter reads it; or else its path. */
function metadataOf(file: string): object {
  const name = basename(file, extname(file));
  return name.includes('=') ? fieldsIn(name.split(','), file) : { path: file };
}

/** Fields of texts such as `d=3`. */
function fieldsIn(texts: readonly string[], where: string): object {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value] = text.split(/=(.*)/s, 2);
      if (name === '' || value === undefined) {
        throw new OptionsConflictError(
          `${where} has "${text}"; metadata are written as name=value.`,
        );
      }
      return [name, value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );
}
