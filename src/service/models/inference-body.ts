/** From the body of an inference to what its model takes. */
import type { Fault } from '../../errors/coded-error.ts';
import {
  type ClassificationRequest,
  faultsOfClassification,
} from '../../workloads/models/qnn-hybrid/classification-request.ts';
import type { TextRequest } from '../../workloads/models/text-generation/text-request.ts';
import { RequestInvalidError } from '../errors.ts';
import { formFaults } from '../plugins/validation.ts';
import { type ClassificationBody, classificationBody, textBody } from '../schemas/models.ts';

/** A request to classify, and how it is to be answered. */
export interface ReadClassification {
  readonly request: ClassificationRequest;
  /** Whether rows came as `inputs`. */
  readonly isBatch: boolean;
}

/**
 * Reads a request to classify. What the values may be the model checks; where more is wrong than that,
 * its faults are told with the others.
 *
 * @param drawSeed - For a request without one.
 * @throws {RequestInvalidError} naming every fault.
 */
export function readClassification(body: unknown, drawSeed: () => number): ReadClassification {
  const parsed = classificationBody.safeParse(body);
  if (!parsed.success) throw new RequestInvalidError(formFaults(parsed.error));
  const { input, inputs, parameters = {}, ...beside } = parsed.data;
  const { theta, qubits, threshold } = parameters;
  const shots = beside.shots ?? parameters.shots;
  const seed = beside.seed ?? parameters.seed ?? drawSeed();
  const request: ClassificationRequest = {
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
    seed,
  };
  const faults = [...faultsOfRows(parsed.data), ...faultsOfParameters(parsed.data)];
  if (faults.length > 0) {
    const hasRows = request.rows.length > 0;
    throw new RequestInvalidError([...faults, ...(hasRows ? faultsOfClassification(request) : [])]);
  }
  return { isBatch: inputs !== undefined, request };
}

/**
 * Reads a request for text.
 *
 * @throws {RequestInvalidError} naming every fault.
 */
export function readTextRequest(body: unknown): TextRequest {
  const parsed = textBody.safeParse(body);
  if (!parsed.success) throw new RequestInvalidError(formFaults(parsed.error));
  const { input, parameters: { max_tokens: maxTokens, temperature } = {} } = parsed.data;
  return {
    input,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function faultsOfRows({ input, inputs }: ClassificationBody): readonly Fault[] {
  if (input === undefined && inputs === undefined) {
    return [{ path: 'input', message: 'Required: array of 4 numbers; or `inputs` with rows.' }];
  }
  if (input === undefined || inputs === undefined) return [];
  return [{ path: 'inputs', message: 'Stands in place of `input`, not beside it.' }];
}

function faultsOfParameters({ parameters, ...beside }: ClassificationBody): readonly Fault[] {
  const faults: Fault[] = [];
  for (const name of ['shots', 'seed'] as const) {
    if (parameters?.[name] === undefined || beside[name] === undefined) continue;
    faults.push({ path: name, message: `Is given in parameters.${name}, too; give it once.` });
  }
  for (const name of ['qubits', 'threshold'] as const) {
    if (parameters?.[name] === undefined || parameters.theta !== undefined) continue;
    const message = "Is for a circuit of the caller's own and needs parameters.theta.";
    faults.push({ path: `parameters.${name}`, message });
  }
  return faults;
}
