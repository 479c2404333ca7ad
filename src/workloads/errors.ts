/** Errors of models, agents, the TPU fleet and upstreams. */
import { coded, type Fault, firstOf } from '../errors/coded-error.ts';
import { faultSentence } from '../errors/fault-path.ts';

/** The model failed its last self-test, is overloaded, or has no backend. */
export class ModelUnavailableError extends coded(
  'WORKLOADS_MODEL_UNAVAILABLE',
  (modelId: string, reason: string, retryAfterS?: number) => ({
    message: `Model ${modelId} is not available: ${reason}`,
    retryAfterS,
  }),
) {}

/** An agent or the TPU fleet failed its last self-test. `what` is the subject, such as `The research agent`. */
export class WorkUnavailableError extends coded(
  'WORKLOADS_UNAVAILABLE',
  (what: string, reason: string, retryAfterS?: number) => ({
    message: `${what} is not available: ${reason}`,
    retryAfterS,
  }),
) {}

/** An inference request whose fields are missing or out of range; the faults have paths in the request body. */
export class InvalidInferenceError extends coded(
  'WORKLOADS_INFERENCE_INVALID',
  (modelId: string, faults: readonly Fault[]) => {
    const where = faultSentence(firstOf(faults));
    const message =
      faults.length === 1
        ? `The request to ${modelId} has a fault: ${where}`
        : `The request to ${modelId} has ${faults.length} faults; the first: ${where}`;
    return { message, faults };
  },
) {}

/**
 * The file of a trained model is missing or damaged: the installation is incomplete. `why` is a reason without a full
 * stop.
 */
export class InvalidArtefactError extends coded(
  'WORKLOADS_ARTEFACT_INVALID',
  (why: string, options?: ErrorOptions) => ({
    message: `The file of the trained model cannot be used. ${why}.`,
    ...options,
  }),
) {}
