/** Reads a circuit file as a request body for POST /quantum/circuits or, with a sweep, for POST /quantum/batches. */

import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { InputValue } from '../circuit/input-columns.ts';
import type { Fault } from '../errors/coded-error.ts';
import { jsonFault } from '../errors/json-fault.ts';
import { nearestNames } from '../errors/nearest-names.ts';
import { FileNotFoundError, FileUnreadableError, OptionsConflictError } from './errors.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';
import type { ShotFileOptions } from './shot-files.ts';
import type { StateFileOptions } from './state-file.ts';
import type { SweepOptions } from './sweep-options.ts';

/**
 * Reads the fields of a file. A `.json` file gives its object, or its array as `circuit`, and a `.stim` file its text
 * as `stim`; a `.ll` or `.bc` file gives its text or bitcode as `qir`; any other file gives its text as `qasm`. The noise of an option replaces that of the file.
 *
 * @throws {FileNotFoundError | FileUnreadableError}
 */
export async function readCircuitFile(
  path: string,
  { noise }: Pick<SubmissionOptions, 'noise'> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const content = await readContent(path);
  return noise === undefined ? content : { ...content, noise: await readNoise(noise) };
}

async function readContent(path: string): Promise<Readonly<Record<string, unknown>>> {
  const extension = extname(path).toLowerCase();
  if (extension === '.bc') return { qir: (await readBytes(path)).toString('base64') };
  const text = await readText(path);
  if (extension === '.ll') return { qir: text };
  if (extension === '.stim') return { stim: text };
  if (extension !== '.json') return { qasm: text };
  const content = parseJson(text, path);
  if (Array.isArray(content)) return { circuit: content };
  if (typeof content === 'object' && content !== null) return { ...content };
  throw new FileUnreadableError(path, 'it holds neither a list of gate objects nor a request body');
}

/** A noise model: that of a `.json` file, or a name. */
async function readNoise(noise: string): Promise<unknown> {
  if (extname(noise).toLowerCase() !== '.json') return { model: noise };
  return parseJson(await readText(noise), noise);
}

/** Options of the command line that override fields of the file. */
export interface SubmissionOptions {
  readonly target?: string;
  readonly shots?: number;
  readonly seed?: number;
  readonly input?: Readonly<Record<string, InputValue>>;
  /** A file with a noise model, or the name of one. */
  readonly noise?: string;
  readonly method?: string;
  readonly maxBondDimension?: number;
  readonly truncationThreshold?: number;
  readonly approximate?: boolean;
  readonly maxTerms?: number;
  readonly minCoefficient?: number;
  readonly maxWeight?: number;
}

/** Options that choose and configure an engine. */
export interface EngineChoice {
  readonly engine?: 'cpu' | 'reference' | 'webgpu';
  readonly threads?: number;
  readonly precision?: 'f32' | 'f64';
}

/** Options of `qcs run`. */
export interface RunOptions
  extends EngineChoice,
    SubmissionOptions,
    ShotFileOptions,
    StateFileOptions {
  readonly repeat?: number;
  readonly json?: boolean;
}

/** Fields of the method that options give. */
function methodFieldsOf({
  method,
  maxBondDimension,
  truncationThreshold,
  approximate,
  maxTerms,
  minCoefficient,
  maxWeight,
}: SubmissionOptions) {
  return {
    ...(method !== undefined && { method }),
    ...(maxBondDimension !== undefined && { max_bond_dimension: maxBondDimension }),
    ...(truncationThreshold !== undefined && { truncation_threshold: truncationThreshold }),
    ...(approximate !== undefined && { approximate }),
    ...(maxTerms !== undefined && { max_terms: maxTerms }),
    ...(minCoefficient !== undefined && { min_coefficient: minCoefficient }),
    ...(maxWeight !== undefined && { max_weight: maxWeight }),
  };
}

/** Fields to submit: options first, then the file's fields, then defaults. */
export function submissionFields(
  content: Readonly<Record<string, unknown>>,
  options: SubmissionOptions,
) {
  const { target, shots, seed, input } = options;
  return {
    target_processor: DEFAULT_PROCESSOR,
    shots: DEFAULT_SHOTS,
    ...content,
    ...(target !== undefined && { target_processor: target }),
    ...(shots !== undefined && { shots }),
    ...(seed !== undefined && { seed }),
    ...(input !== undefined && { inputs: withInputs(content.inputs, input) }),
    ...methodFieldsOf(options),
  };
}

/** The inputs of a file with those of options, which go first. */
function withInputs(ofFile: unknown, ofOptions: object): object {
  return typeof ofFile === 'object' ? { ...ofFile, ...ofOptions } : ofOptions;
}

/**
 * Body of a batch of one program: the circuit of a file with its sweep. Values are exact unless an option sets shots:
 * those of a file are for its counts.
 *
 * @throws {OptionsConflictError}
 */
export function sweepBody(
  content: Readonly<Record<string, unknown>>,
  options: SubmissionOptions & SweepOptions,
) {
  const { target, shots, seed, input = {}, sweep = {}, observable, gradient } = options;
  const both = Object.keys(sweep).find((name) => Object.hasOwn(input, name));
  if (both !== undefined) {
    throw new OptionsConflictError(`The input ${both} is given by --input and by --sweep.`);
  }
  // A sweep ignores the fields for the answer and the name of a circuit; the others are checked.
  const { return: _return, basis_states: _states, ...asked } = content;
  const { priority: _priority, name: _name, tags: _tags, ...known } = asked;
  const { target_processor, shots: shotsOfFile, seed: seedOfFile, inputs, ...source } = known;
  const observables = observable ?? source.observables;
  if (gradient === true && observables === undefined) {
    throw new OptionsConflictError(
      '--gradient is of expectation values. Add an --observable, such as --observable "Z0".',
    );
  }
  const counts = { return: ['counts'], shots: shots ?? shotsOfFile ?? DEFAULT_SHOTS };
  const values = {
    return: ['expectation', ...(gradient === true ? ['gradient'] : [])],
    observables,
    ...(shots !== undefined && { shots }),
  };
  const ownSeed = seed ?? seedOfFile;
  return {
    target_processor: target ?? target_processor ?? DEFAULT_PROCESSOR,
    programs: [
      {
        ...source,
        ...methodFieldsOf(options),
        inputs: withInputs(inputs, { ...input, ...sweep }),
        ...(observables === undefined ? counts : values),
        ...(ownSeed !== undefined && { seed: ownSeed }),
      },
    ],
  };
}

/** Beginning of the paths of faults that are in the circuit of a file. */
const PROGRAM_PATH = 'programs[0].';

/** A service's message about a sweep, with paths in the file instead of the batch. */
export function messageOfFile(message: string): string {
  return message.replace(PROGRAM_PATH, '');
}

/** Faults of a sweep, with paths in the file instead of the batch. */
export function faultsOfFile(faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => ({
    ...fault,
    path: fault.path.startsWith(PROGRAM_PATH) ? fault.path.slice(PROGRAM_PATH.length) : fault.path,
  }));
}

/** @throws {FileNotFoundError | FileUnreadableError} */
export async function readText(path: string): Promise<string> {
  return (await readBytes(path)).toString('utf8');
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new FileNotFoundError(path, { cause: error }, await nearFiles(path));
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new FileUnreadableError(path, why, { cause: error });
  }
}

/** Lists files in the same folder with similar names. */
async function nearFiles(path: string): Promise<string> {
  const folder = dirname(path);
  const near = nearestNames(basename(path), await readdir(folder).catch(() => []));
  return near.length === 0
    ? ''
    : ` Did you mean ${near.map((name) => join(folder, name)).join(' or ')}?`;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = jsonFault(text).replace(/\.$/, '');
    throw new FileUnreadableError(path, `it is not JSON: ${where}`, { cause: error });
  }
}
