/**
 * `llma-text`: text written by the OpenAI-compatible upstream that the operator names. The service
 * has no language model of its own, so without an upstream the model is unavailable and says why.
 */
import type { Availability, BatchRun } from '../../../fleet/processor.ts';
import { ModelUnavailableError } from '../../errors.ts';
import type { Model } from '../model.ts';
import {
  MonitoredUpstream,
  type MonitoredUpstreamOptions,
  type TextResult,
  type TextUpstream,
} from './monitored-upstream.ts';
import {
  checkTextRequest,
  DEFAULT_MAX_TOKENS,
  MAX_INPUT_LENGTH,
  MAX_TEMPERATURE,
  type TextRequest,
} from './text-request.ts';

/** Settings of the model: the upstream, and the limits of its use. */
export interface TextModelOptions extends Omit<MonitoredUpstreamOptions, 'modelId' | 'upstream'> {
  /** Undefined where the operator names none. */
  readonly upstream: TextUpstream | undefined;
}

/** Limits of a request. */
export interface TextLimits {
  /** In UTF-16 units. */
  readonly maxInputLength: number;
  readonly maxTokens: number;
  /** `max_tokens` of a request without. */
  readonly defaultMaxTokens: number;
  readonly maxTemperature: number;
}

const NO_UPSTREAM = 'No text-generation upstream is configured (QCS_LLM_BASE_URL).';
/** Documented where no operator sets a bound. */
const MAX_TOKENS_WITHOUT_UPSTREAM = 1024;

/** The text-generation model. */
export class TextModel implements Model {
  readonly id = 'llma-text';
  readonly name = 'L.L.M.A. text generation';
  readonly task = 'text-generation';
  readonly description =
    'Text written by a language model of an OpenAI-compatible upstream that the operator of this service names.';
  readonly limits: TextLimits;
  readonly #upstream: MonitoredUpstream | undefined;
  readonly #startedAt: number;

  constructor({ upstream, ...options }: TextModelOptions) {
    const maxTokens = upstream?.maxTokens ?? MAX_TOKENS_WITHOUT_UPSTREAM;
    this.limits = {
      maxInputLength: MAX_INPUT_LENGTH,
      maxTokens,
      defaultMaxTokens: Math.min(DEFAULT_MAX_TOKENS, maxTokens),
      maxTemperature: MAX_TEMPERATURE,
    };
    this.#upstream = upstream && new MonitoredUpstream({ ...options, upstream, modelId: this.id });
    this.#startedAt = options.now();
  }

  /** Whether the operator names an upstream. */
  get isConfigured(): boolean {
    return this.#upstream !== undefined;
  }

  /** One line for the operator: what serves the model, and whether it does. */
  describe(): string {
    if (this.#upstream === undefined) return `${this.id}: ${NO_UPSTREAM}`;
    const { available, reason } = this.availability();
    const state = available ? 'available' : `not available. ${reason}`;
    return `${this.id}: ${this.#upstream.description}, ${state}`;
  }

  availability(): Availability {
    if (this.#upstream !== undefined) return this.#upstream.availability();
    return { available: false, reason: NO_UPSTREAM, checkedAt: this.#startedAt };
  }

  /** Resolves when the first self-test is through, which takes as long as the upstream lets it. */
  async start(): Promise<void> {
    await this.#upstream?.check();
  }

  /**
   * Has the upstream write text; requests of Enterprise keys go ahead of those that wait.
   *
   * @throws {ModelUnavailableError} at once when not available or too many wait, later when its turn
   *   does not come in time.
   * @throws {InvalidInferenceError} naming every limit that is broken.
   * @throws {UpstreamError} if the upstream fails; the self-test then runs at once.
   * @throws {UpstreamRefusedError} if the upstream says that the request is at fault.
   * @throws the signal's reason, soon after it aborts; the request to the upstream is aborted too.
   */
  async generate(
    request: TextRequest,
    { tier }: Pick<BatchRun, 'tier'>,
    signal: AbortSignal,
  ): Promise<TextResult> {
    if (this.#upstream === undefined) throw new ModelUnavailableError(this.id, NO_UPSTREAM);
    const checked = checkTextRequest(this.id, request, this.limits.maxTokens);
    return await this.#upstream.generate(checked, tier, signal);
  }

  async close(graceMs = 0): Promise<void> {
    await this.#upstream?.close(graceMs);
  }
}
