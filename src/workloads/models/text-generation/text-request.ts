/** Text-generation requests: limits, defaults and validation. */
import type { Fault } from '../../../errors/coded-error.ts';
import { InvalidInferenceError } from '../../errors.ts';

/** Longest input, in UTF-16 units as JavaScript counts them. */
export const MAX_INPUT_LENGTH = 32_768;
/** Default `max_tokens`, unless the operator's limit is lower. */
export const DEFAULT_MAX_TOKENS = 256;
/** Largest `temperature`; the smallest is 0. */
export const MAX_TEMPERATURE = 2;

/** A request for text. */
export interface TextRequest {
  /** Prompt of 1 to MAX_INPUT_LENGTH UTF-16 units; sent as one message of the role `user`. */
  readonly input: string;
  /** From 1 to the operator's limit. */
  readonly maxTokens?: number;
  /** From 0 to 2; the upstream's default if omitted. */
  readonly temperature?: number;
}

/** A parsed request; null for a value that could not be parsed. */
export interface ReadableTextRequest {
  readonly input?: string | null | undefined;
  readonly maxTokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
}

/** A valid request with its defaults. */
export interface CheckedTextRequest extends TextRequest {
  readonly maxTokens: number;
}

/**
 * Validates a request and fills in defaults.
 *
 * @param maxTokensBound - The operator's limit of `max_tokens`.
 * @throws {InvalidInferenceError} naming every fault, with paths in the request body.
 */
export function checkTextRequest(
  modelId: string,
  request: TextRequest,
  maxTokensBound: number,
): CheckedTextRequest {
  const { maxTokens = Math.min(DEFAULT_MAX_TOKENS, maxTokensBound) } = request;
  const checked = { ...request, maxTokens };
  const faults = faultsOfText(checked, maxTokensBound);
  if (faults.length > 0) throw new InvalidInferenceError(modelId, faults);
  return checked;
}

/** Faults of the values given; null values are reported elsewhere. */
export function faultsOfText(
  { input, maxTokens, temperature }: ReadableTextRequest,
  maxTokensBound: number,
): readonly Fault[] {
  const faults: Fault[] = [];
  if (typeof input === 'string') faults.push(...faultsOfInput(input));
  if (typeof maxTokens === 'number' && !isWhole(maxTokens, 1, maxTokensBound)) {
    const message = `must be a whole number from 1 to ${maxTokensBound}, not ${maxTokens}.`;
    faults.push({ path: 'parameters.max_tokens', message });
  }
  // The negated comparison refuses NaN, too.
  if (typeof temperature === 'number' && !(temperature >= 0 && temperature <= MAX_TEMPERATURE)) {
    const message = `must be from 0 to ${MAX_TEMPERATURE}, not ${temperature}.`;
    faults.push({ path: 'parameters.temperature', message });
  }
  return faults;
}

function faultsOfInput(input: string): readonly Fault[] {
  if (input.length < 1 || input.length > MAX_INPUT_LENGTH) {
    const message = `must have 1 to ${MAX_INPUT_LENGTH} characters, not ${input.length}.`;
    return [{ path: 'input', message }];
  }
  if (input.isWellFormed()) return [];
  const message = 'must be well-formed Unicode: it has a lone surrogate.';
  return [{ path: 'input', message }];
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
