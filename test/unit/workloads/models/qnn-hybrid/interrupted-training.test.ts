import { expect, test } from 'vitest';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { trainQnnHybrid } from '../../../../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { TRAINING_ENGINE } from '../../../../support/training-outcomes.ts';

test('training ends with the signal’s reason after the fold that it is in', async () => {
  const engine = openCpuEngine(TRAINING_ENGINE);
  const told: string[] = [];
  const controller = new AbortController();
  const trained = trainQnnHybrid(
    engine,
    (what) => {
      told.push(what);
      controller.abort(new Error('enough'));
    },
    controller.signal,
  );
  await expect(trained).rejects.toThrow('enough');
  expect(told).toEqual(['comparing: ghz-reuploading, 1 layer']);
  await engine.close();
});
