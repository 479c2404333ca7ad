import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  TPU_OWNER,
  TPU_PROCEDURES,
  TPU_SELF_TEST,
} from '../../../../src/workloads/tpu/tpu-procedures.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

test('there is a procedure for each job type', () => {
  expect(TPU_OWNER).toBe('tpu');
  expect(TPU_PROCEDURES.map(({ name }) => name)).toEqual([
    'training',
    'inference',
    'simulation',
    'optimization',
  ]);
});

describe.each(TPU_PROCEDURES.map((procedure) => ({ name: procedure.name, procedure })))(
  'a job of type $name',
  ({ procedure }) => {
    test('runs its example and an empty input, counting circuits and operations', async () => {
      await using service = openTestContext();
      for (const input of [procedure.example, {}]) {
        const unitsBefore = service.told.units;
        const { flops, flops_basis } = await service.run(procedure, input);
        expect(flops).toBeGreaterThan(0);
        expect(Number.isSafeInteger(flops)).toBe(true);
        expect(flops_basis).toMatch(/^Counted, not measured/);
        expect(service.told.units).toBeGreaterThan(unitsBefore);
      }
      expect(service.told.units).toBe(service.told.circuits);
      const fractions = service.told.progress.map(({ fraction }) => fraction);
      expect(Math.min(...fractions)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...fractions)).toBeLessThanOrEqual(1);
      expect(service.told.progress.every(({ message = '' }) => message.length > 0)).toBe(true);
    });

    test('publishes limits and a schema in which every field is described', () => {
      expect(procedure.limits.deadline_ms).toBeGreaterThan(0);
      const schema = z.toJSONSchema(procedure.input, { io: 'input' });
      const fields = Object.entries(schema.properties ?? {});
      expect(fields.length).toBeGreaterThan(3);
      for (const [name, field] of fields) {
        expect(`${name}: ${Reflect.get(Object(field), 'description')}`).toMatch(/: [A-Za-z].{10,}/);
      }
      expect(schema.additionalProperties).toBe(false);
      expect(schema.required ?? []).toEqual([]);
    });
  },
);

test('the self-test passes where answers are right, and tells what was wrong', async () => {
  const procedure = TPU_PROCEDURES.find(({ name }) => name === TPU_SELF_TEST.task);
  if (procedure === undefined) throw new Error('the self-test has no procedure');
  await using service = openTestContext();
  const result = await service.run(procedure, TPU_SELF_TEST.input);
  expect(TPU_SELF_TEST.faultOf(result)).toBeUndefined();
  expect(TPU_SELF_TEST.faultOf({ ...result, accuracy: 0.5, predictions: [0, 0] })).toContain(
    '[0,0]',
  );
});
