/** Text-generation requests: limits, defaults, and their check. */
import type { Fault } from '../../../errors/coded-error.ts';
import { InvalidInferenceError } from '../../errors.ts';

/** Longest input, in UTF-16 units as JavaScript counts them. */
export const MAX_INPUT_LENGTH = 32_768;
/** `max_tokens` of a request without, where the operator's bound allows it. */
export const DEFAULT_MAX_TOKENS = 256;
/** Largest `temperature`; the smallest is 0. */
export const MAX_TEMPERATURE = 2;

/** A request for text. */
export interface TextRequest {
  /** 1 to MAX_INPUT_LENGTH units; sent as one message of a user. */
  readonly input: string;
  /** 1 to the operator's bound. */
  readonly maxTokens?: number;
  /** 0 to 2; left to the upstream where it is omitted. */
  readonly temperature?: number;
}

/** A request as far as it could be read: null where there is a value that could not be. */
export interface ReadableTextRequest {
  readonly input?: string | null | undefined;
  readonly maxTokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
}

/** A request within limits, complete. */
export interface CheckedTextRequest extends TextRequest {
  readonly maxTokens: number;
}

/**
 * The request with its defaults.
 *
 * @param maxTokensBound - The most that the operator allows.
 * @throws {InvalidInferenceError} naming every limit that is broken, paths as on the wire.
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

/** Every limit that is broken by what is given and could be read; null could not be. */
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
  // Written so that NaN is refused too.
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
