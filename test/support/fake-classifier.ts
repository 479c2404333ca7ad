/** A classifier over processors that a test decides, and answers that it can rely on. */

import { withAngles } from '../../src/circuit/circuit.ts';
import type { CircuitResult, CircuitRun } from '../../src/fleet/processor.ts';
import { isBatch } from '../../src/fleet/schedule/scheduled-run.ts';
import { circuitOf } from '../../src/fleet/workers/sent-circuit.ts';
import { readArtefact } from '../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import type { ClassificationRequest } from '../../src/workloads/models/qnn-hybrid/classification-request.ts';
import { QnnHybrid, type Requester } from '../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { FakeProcessor, zeroBatch } from '../service/support/fake-processor.ts';
import { staticCircuit } from './batches.ts';
import { exactZ0 } from './reuploading-circuits.ts';

/** A caller. */
export const CALLER: Requester = { keyId: 'key-1', tier: 'standard', priority: 'normal' };

/** The artefact in the repository. */
export const ARTEFACT = readArtefact();

/** A flower of the data's middle. */
export const FLOWER = [6.2, 2.9, 4.8, 1.7];

/** A request for one flower, unless told otherwise. */
export function flowers(more: Partial<ClassificationRequest> = {}): ClassificationRequest {
  return { rows: [FLOWER], pathOf: (row) => `inputs[${row}]`, seed: 7, ...more };
}

/** How a processor answers a batch. */
export type Answer = (task: CircuitRun, signal: AbortSignal) => Promise<CircuitResult>;

/** Answers each batch as the test says; by default with the counts nearest to the exact values. */
export class AnsweringProcessor extends FakeProcessor {
  answer: Answer = async (task) => exactCounts(task);

  override async run(
    task: CircuitRun,
    hooks: Parameters<FakeProcessor['run']>[1],
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    this.batches.push(task);
    if (hooks.readmitted !== true) this.admit();
    hooks.onStarted?.();
    return await this.answer(task, signal);
  }
}

/** Outcomes 0 and 1 alone, so often that ⟨Z₀⟩ is as near to its exact value as shots allow. */
export function exactCounts({ circuit, request }: CircuitRun): CircuitResult {
  if (!isBatch(request)) throw new Error('unreachable: a classifier sends batches');
  const { numCircuits, angles, shots = 0 } = request;
  const shape = circuitOf(circuit);
  const result = zeroBatch({ circuit, request });
  const size = 2 ** shape.numBits;
  const each = angles.length / numCircuits;
  for (let k = 0; k < numCircuits; k++) {
    const exact = exactZ0(withAngles(staticCircuit(shape), angles.slice(k * each, (k + 1) * each)));
    const clear = Math.round((shots * (1 + exact)) / 2);
    result.outputs.counts![k * size] = clear;
    result.outputs.counts![k * size + 1] = shots - clear;
  }
  return result;
}

/** A classifier on a fake fleet and, after it, a fake simulator. */
export function fakeClassifier(selfTestIntervalMs = 3_600_000) {
  const fleet = new AnsweringProcessor({ id: 'gpu-fleet' });
  const simulator = new AnsweringProcessor({ id: 'statevector-sim' });
  const model = new QnnHybrid({
    artefact: ARTEFACT,
    processors: [fleet, simulator],
    now: () => 1_700_000_000_000,
    selfTestIntervalMs,
  });
  return { model, fleet, simulator };
}
