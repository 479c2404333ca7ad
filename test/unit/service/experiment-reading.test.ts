/** What is kept of the tasks of an experiment while they wait, and how it crosses from the process that reads them. */
import { expect, test } from 'vitest';
import { statevectorSpec } from '../../../src/fleet/cpu-processors.ts';
import { qvmSpec } from '../../../src/fleet/simulated-processor.ts';
import { bytesOfCircuit } from '../../../src/fleet/workers/sent-batch.ts';
import { EXPERIMENT_READING } from '../../../src/service/experiments/read-experiment.ts';

const SIMULATOR = { memoryBytes: 2 ** 30, maxGates: 1000 } as Parameters<typeof statevectorSpec>[0];
const TARGET = { spec: qvmSpec(statevectorSpec(SIMULATOR)), available: true };

const text = (p: number, qubit = 0) =>
  [
    `X_ERROR(${p}) ${qubit} 1`,
    'CX 0 2 1 2',
    `M(${p / 2}) 2 0 1`,
    'DETECTOR rec[-3]',
    'OBSERVABLE_INCLUDE(0) rec[-1]',
  ].join('\n');

test('circuits of one structure share their bytes, also after they crossed; texts that come again are one circuit', async () => {
  const tasks = [text(0.1), text(0.2), text(0.1), text(0.1, 2)].map((stim) => ({ stim }));
  const read = await EXPERIMENT_READING.read({ tasks, max_shots: 10 }, { targets: [TARGET] });
  const collector = EXPERIMENT_READING.chunks!.collect();
  for (const chunk of EXPERIMENT_READING.chunks!.cut(read)) collector.add(structuredClone(chunk));
  for (const { programs } of [read, collector.output]) {
    const [first, second, again, other] = programs.map(
      ({ groups }) => bytesOfCircuit(groups[0]!.circuit)!,
    );
    expect(second!.bytes).toBe(first!.bytes);
    expect(second!.strengths).not.toEqual(first!.strengths);
    expect(again!.strengths).toEqual(first!.strengths);
    expect(other!.bytes).not.toEqual(first!.bytes);
  }
  expect(read.programs[2]!.groups[0]!.circuit).toBe(read.programs[0]!.groups[0]!.circuit);
});
