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
