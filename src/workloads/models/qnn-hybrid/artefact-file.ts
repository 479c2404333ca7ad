/** Finds, reads and validates the file of the deployed model. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InvalidArtefactError } from '../../errors.ts';
import { type ModelArtefact, modelArtefact } from './model-card.ts';
import { ANSATZES } from './reuploading-ansatz.ts';

/** Path of the file: beside `src/` in a checkout, beside `dist/` in the package. */
export const ARTEFACT_FILE = fileURLToPath(
  new URL('../../../../models/qnn-hybrid.json', import.meta.url),
);

/**
 * Reads the file and validates its form, the hash of its parameters, and their number against the
 * circuit's.
 *
 * @throws {InvalidArtefactError} if it is invalid.
 */
export function readArtefact(file: string = ARTEFACT_FILE): ModelArtefact {
  const parsed = modelArtefact.safeParse(readJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidArtefactError(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { parameters, card } = parsed.data;
  const { ansatz, qubits, layers, theta } = parameters;
  const wanted = ANSATZES[ansatz].parametersPerQubit * qubits * layers;
  if (theta.length !== wanted) {
    throw new InvalidArtefactError(
      `It has ${theta.length} parameters; its circuit takes ${wanted}`,
    );
  }
  if (card.circuit.threshold !== parameters.threshold) {
    throw new InvalidArtefactError('Its card names another threshold than its parameters have');
  }
  if (contentHash(parameters) !== card.parameter_hash) {
    throw new InvalidArtefactError('The parameters are not those that the card was made for');
  }
  return parsed.data;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArtefactError('It cannot be read, or is no JSON', { cause: error });
  }
}

/** SHA-256 of the value as JSON with sorted fields, whose order does not matter: `sha256:` and 64 hex digits. */
export function contentHash(content: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex')}`;
}

/** The same value with the fields of its objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]));
}
