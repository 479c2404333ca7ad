/** Errors of models, agents, the TPU fleet and upstreams. */
import { CodedError, type Fault, MAX_FAULTS } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';

/** The model failed its last self-test, is overloaded, or has no backend. */
export class ModelUnavailableError extends CodedError {
  readonly code = 'WORKLOADS_MODEL_UNAVAILABLE';
  readonly retryAfterS: number | undefined;

  constructor(modelId: string, reason: string, retryAfterS?: number) {
    super(`Model ${modelId} is not available: ${reason}`);
    this.retryAfterS = retryAfterS;
  }
}

/** An agent or the TPU fleet failed its last self-test. */
export class WorkUnavailableError extends CodedError {
  readonly code = 'WORKLOADS_UNAVAILABLE';
  readonly retryAfterS: number | undefined;

  /** @param what - Subject of the message, such as `The research agent`. */
  constructor(what: string, reason: string, retryAfterS?: number) {
    super(`${what} is not available: ${reason}`);
    this.retryAfterS = retryAfterS;
  }
}

/** An inference request whose fields are missing or out of range. */
export class InvalidInferenceError extends CodedError {
  readonly code = 'WORKLOADS_INFERENCE_INVALID';

  /** @param faults - At least one, with paths in the request body; the first 20 are kept. */
  constructor(modelId: string, faults: readonly Fault[]) {
    const first = faults[0];
    if (first === undefined) throw new Error('unreachable: an invalid inference without a fault');
    const where = faultSentence(first);
    super(
      faults.length === 1
        ? `The request to ${modelId} has a fault: ${where}`
        : `The request to ${modelId} has ${faults.length} faults; the first: ${where}`,
      faults.slice(0, MAX_FAULTS),
    );
  }
}

/** The file of a trained model is missing or damaged: the installation is incomplete. */
export class InvalidArtefactError extends CodedError {
  readonly code = 'WORKLOADS_ARTEFACT_INVALID';

  /** @param why - Reason, without a full stop. */
  constructor(why: string, options?: ErrorOptions) {
    super(`The file of the trained model cannot be used. ${why}.`, [], options);
  }
}

/** Failure of the exchange with an upstream; the message quotes nothing from the upstream. */
export type UpstreamFault =
  | { readonly kind: 'timed-out'; readonly limitMs: number }
  /**
   * Connection failed: refused, reset, unknown host or untrusted certificate; `how` is the system's error
   * code.
   */
  | { readonly kind: 'not-reached'; readonly how: string | undefined }
  /** An HTTP status other than 2xx. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  | { readonly kind: 'not-json' }
  /** JSON of another form than expected; `path` is the first place that differs. */
  | { readonly kind: 'wrong-shape'; readonly path: string };

/** The upstream did not answer, or gave an unusable answer. The caller can only try again. */
export class UpstreamError extends CodedError {
  readonly code = 'WORKLOADS_UPSTREAM';
  readonly fault: UpstreamFault;
  readonly retryAfterS: number | undefined;

  /**
   * @param retryAfterS - Seconds until the caller should try again: the upstream's own figure, or the
   *   length of the pause.
   */
  constructor(fault: UpstreamFault, retryAfterS?: number) {
    super(`The upstream ${wordsFor(fault)}.`);
    this.fault = fault;
    this.retryAfterS = retryAfterS;
  }
}

/** The upstream blames the request, such as a prompt that is too long for its model. */
export class UpstreamRefusedError extends CodedError {
  readonly code = 'WORKLOADS_UPSTREAM_REFUSED';

  /** @param why - The upstream's reason, sanitised and shortened; undefined if it gave none. */
  constructor(status: number, why: string | undefined) {
    super(
      `The upstream refused the request (HTTP ${status})${why === undefined ? '.' : `: ${why}`}`,
    );
  }
}

function wordsFor(fault: UpstreamFault): string {
  switch (fault.kind) {
    case 'timed-out':
      return `did not answer within ${fault.limitMs} ms`;
    case 'not-reached':
      return `could not be reached, or hung up${fault.how === undefined ? '' : ` (${fault.how})`}`;
    case 'status':
      return wordsForStatus(fault.status);
    case 'too-large':
      return `answered with more than ${fault.limitBytes} bytes`;
    case 'not-json':
      return 'answered with something that is not JSON';
    case 'wrong-shape':
      return `answered with JSON of another shape than expected, at ${fault.path || 'its top level'}`;
  }
}

function wordsForStatus(status: number): string {
  const said = `(HTTP ${status})`;
  if (status >= 300 && status < 400) return `redirects ${said}, which is not followed`;
  if (status === 401 || status === 403) return `does not accept the service's credentials ${said}`;
  if (status === 404) return `does not know the path or the model that it was asked for ${said}`;
  if (status === 429) return `takes no more requests for now ${said}`;
  return `failed ${said}`;
}
