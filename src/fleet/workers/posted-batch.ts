/** Batch runs in the form in which they are posted to a worker: shapes as text or bytes, observables as arrays. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { type Batch, factsOfShape } from './sent-batch.ts';
import { circuitOf } from './sent-circuit.ts';
import { type ReadObservables, sentObservables } from './sent-observables.ts';
import type { PostedBatchRun, SentBatchRun } from './worker-messages.ts';

/** A batch run in the form in which it is posted to a worker. */
export function postedBatch(
  run: Pick<PostedBatchRun, 'id' | 'precision'>,
  { shape, request: { observables, ...request } }: Batch,
): PostedBatchRun {
  return {
    ...run,
    shape: factsOfShape(shape).sent,
    request: {
      ...request,
      ...(observables !== undefined && { observables: sentObservables(observables) }),
    },
  };
}

/** A shape as a worker in this thread takes it. */
export function sentShape(shape: DynamicCircuit): SentBatchRun['shape'] {
  const { sent } = factsOfShape(shape);
  return 'bytes' in sent ? circuitOf(sent) : sent;
}

/** A posted batch run as its worker runs it. */
export function receivedBatch(
  { shape, request: { observables, ...request }, ...run }: PostedBatchRun,
  known: ReadObservables,
): SentBatchRun {
  return {
    ...run,
    shape: 'bytes' in shape ? circuitOf(shape) : shape,
    request: {
      ...request,
      ...(observables !== undefined && { observables: known.of(observables) }),
    },
  };
}
