/** Reads a circuit file as a request body for POST /quantum/circuits. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { jsonFault } from '../errors/json-fault.ts';
import { nearestNames } from '../errors/nearest-names.ts';
import { FileNotFoundError, FileUnreadableError } from './errors.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';

/**
 * Reads the fields of a file. A `.json` file gives its object, or its array as `circuit`; any other file
 * gives its text as `qasm`.
 *
 * @throws {FileNotFoundError | FileUnreadableError}
 */
export async function readCircuitFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(path);
  if (extname(path).toLowerCase() !== '.json') return { qasm: text };
  const content = parseJson(text, path);
  if (Array.isArray(content)) return { circuit: content };
  if (typeof content === 'object' && content !== null) return { ...content };
  throw new FileUnreadableError(path, 'it holds neither a list of gate objects nor a request body');
}

/** Options of the command line that override fields of the file. */
export interface SubmissionOptions {
  readonly target?: string;
  readonly shots?: number;
  readonly seed?: number;
  readonly input?: Readonly<Record<string, number | boolean>>;
}

/** Fields to submit: options first, then the file's fields, then defaults. */
export function submissionFields(
  content: Readonly<Record<string, unknown>>,
  { target, shots, seed, input }: SubmissionOptions,
) {
  return {
    target_processor: DEFAULT_PROCESSOR,
    shots: DEFAULT_SHOTS,
    ...content,
    ...(target !== undefined && { target_processor: target }),
    ...(shots !== undefined && { shots }),
    ...(seed !== undefined && { seed }),
    ...(input !== undefined && { inputs: withInputs(content.inputs, input) }),
  };
}

/** The inputs of a file with those of options, which go first. */
export function withInputs(ofFile: unknown, ofOptions: object): object {
  return typeof ofFile === 'object' ? { ...ofFile, ...ofOptions } : ofOptions;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new FileNotFoundError(path, { cause: error }, await nearFiles(path));
    }
    throw new FileUnreadableError(path, messageOf(error), { cause: error });
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
