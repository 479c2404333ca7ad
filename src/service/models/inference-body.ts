/** Reads inference requests from bodies. */
import type { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import type { ClassificationRequest } from '../../workloads/models/qnn-hybrid/classification-request.ts';
import type { TextRequest } from '../../workloads/models/text-generation/text-request.ts';
import { RequestInvalidError } from '../errors.ts';
import { type ClassificationBody, classificationBody, textBody } from '../schemas/models.ts';
import {
  limitFaultsOfClassification,
  limitFaultsOfText,
  meaningFaultsOfClassification,
  readableClassificationOf,
} from './inference-faults.ts';
import { type SizedBody, sizedClassification, sizedText } from './inference-sizes.ts';

/** Classification request, with the form of its answer. */
interface ReadClassification {
  readonly request: ClassificationRequest;
  /** True if rows came as `inputs`. */
  readonly isBatch: boolean;
}

/**
 * Reads a classification request. The model checks its limits; if the body has other faults, limits are
 * checked here too, so that one answer lists all faults.
 *
 * @param drawSeed - Draws a seed for a request without one.
 * @throws {RequestInvalidError} listing every fault.
 */
export function readClassification(body: unknown, drawSeed: () => number): ReadClassification {
  const sized = sizedClassification(body);
  const parsed = classificationBody.safeParse(sized.body);
  const formed = formFaultsBeside(sized, parsed.error, classificationBody);
  const read = parsed.success ? parsed.data : readableClassificationOf(sized.body);
  const faults = read ? [...formed, ...meaningFaultsOfClassification(read)] : formed;
  if (!parsed.success || faults.length > 0) {
    throw new RequestInvalidError([...faults, ...(read ? limitFaultsOfClassification(read) : [])]);
  }
  return { isBatch: parsed.data.inputs !== undefined, request: requestOf(parsed.data, drawSeed) };
}

function requestOf(
  { input, inputs, parameters = {}, ...beside }: ClassificationBody,
  drawSeed: () => number,
): ClassificationRequest {
  const { theta, qubits, threshold } = parameters;
  const shots = beside.shots ?? parameters.shots;
  return {
    rows: inputs ?? (input === undefined ? [] : [input]),
    pathOf: (row) => (inputs === undefined ? 'input' : `inputs[${row}]`),
    ...(theta && {
      own: {
        theta,
        ...(qubits !== undefined && { numQubits: qubits }),
        ...(threshold !== undefined && { threshold }),
      },
    }),
    ...(shots !== undefined && { shots }),
    shotsPath: beside.shots === undefined ? 'parameters.shots' : 'shots',
    seed: beside.seed ?? parameters.seed ?? drawSeed(),
  };
}

/**
 * Reads a text request. The model checks its limits; if the body has other faults, limits are checked here
 * too, so that one answer lists all faults.
 *
 * @param maxTokensBound - The operator's limit of tokens.
 * @throws {RequestInvalidError} listing every fault.
 */
export function readTextRequest(body: unknown, maxTokensBound: number): TextRequest {
  const sized = sizedText(body);
  const parsed = textBody.safeParse(sized.body);
  if (!parsed.success) {
    const faults = formFaultsBeside(sized, parsed.error, textBody);
    throw new RequestInvalidError([...faults, ...limitFaultsOfText(sized.body, maxTokensBound)]);
  }
  const { input, parameters: { max_tokens: maxTokens, temperature } = {} } = parsed.data;
  return {
    input,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Faults of size and of form, without the faults of form for nulls that replace overlong parts. */
function formFaultsBeside(
  { body, faults }: SizedBody,
  error: z.ZodError | undefined,
  schema: z.ZodType,
): readonly Fault[] {
  if (error === undefined) return faults;
  const paths = new Set(faults.map(({ path }) => path));
  return [...faults, ...formFaults(error, schema, body).filter(({ path }) => !paths.has(path))];
}
