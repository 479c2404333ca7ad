/** Entry of the offload thread: does one piece of work after the other. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { CodedError } from '../../errors/coded-error.ts';
import { compileCircuitJson } from '../circuits/compile-circuit.ts';
import { readSerialized, readStoredSerialized } from '../circuits/read-submission.ts';
import { circuitResultJson } from '../circuits/result-json.ts';
import { readPlanBody, readTaskBody, readTpuJobBody } from '../jobs/work-intake.ts';
import { parseJsonBody } from '../plugins/json-body.ts';
import type { BodySource, FromOffload, ToOffload } from './offload-messages.ts';

/** Answers the messages on `port` until the thread is ended. */
function serve(port: MessagePort): void {
  port.on('message', (message: ToOffload) => port.postMessage(answer(message)));
}

function answer(message: ToOffload): FromOffload {
  const { id } = message;
  try {
    return { id, kind: 'done', output: outputOf(message) };
  } catch (error) {
    if (error instanceof CodedError) {
      const { code, message: text, faults } = error;
      return { id, kind: 'refused', code, message: text, faults: faults.map((f) => ({ ...f })) };
    }
    return { id, kind: 'broken', stack: error instanceof Error ? (error.stack ?? '') : `${error}` };
  }
}

function outputOf({ kind, input }: ToOffload): unknown {
  switch (kind) {
    case 'readSubmission':
      return readSerialized(bodyOf(input), input.targets, input.needsHash);
    case 'readStored':
      return readStoredSerialized(input.text, input.targets);
    case 'compileCircuit':
      return compileCircuitJson(bodyOf(input), input.targets);
    case 'readTask':
      return readTaskBody(bodyOf(input), input.request);
    case 'readPlan':
      return readPlanBody(bodyOf(input), input.request);
    case 'readTpuJob':
      return readTpuJobBody(bodyOf(input), input.request);
    case 'writeResult':
      return circuitResultJson(input.layout, input.result);
  }
}

function bodyOf(source: BodySource): unknown {
  return 'bytes' in source ? parseJsonBody(source.bytes) : source.value;
}

if (parentPort === null) throw new Error('unreachable: this module is the entry of a thread');
serve(parentPort);
