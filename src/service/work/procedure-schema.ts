/** Schemas of what agents and the TPU fleet have in common: capabilities, figures, results. */
import { z } from 'zod';
import { backend } from '../circuits/circuit-schema.ts';
import { isoTimestamp, jsonObject } from '../http/envelope.ts';

/** Processors and process that did the work. */
export const executedOn = z.strictObject({
  process: z
    .strictObject({ runtime: z.string(), hardware: z.string() })
    .describe('Process that ran the code of the work'),
  processors: z
    .array(
      z.strictObject({
        processor: z.string(),
        backend: backend.describe('Engine and device that ran the circuits'),
        circuits: z.int(),
        execution_ms: z.number(),
      }),
    )
    .describe('The hardware that ran the circuits of the work; empty if it has none'),
});
export type ExecutedOnView = z.output<typeof executedOn>;

/** Fields that only a completed record has. */
export const procedureResult = {
  result: jsonObject.describe('Result of the work; its fields depend on the task'),
  seed: z
    .int()
    .describe('Seed of all random numbers of the work: that of the input, or one that was drawn'),
  executed_on: executedOn,
  timing: z.strictObject({
    queue_ms: z.number(),
    execution_ms: z.number().describe('Wall-clock time from start to end, milliseconds'),
  }),
};

/** Procedure that callers may use. */
export const capability = z.strictObject({
  task: z.string(),
  description: z.string(),
  input_schema: jsonObject.describe('JSON Schema of `input`'),
  limits: z.record(z.string(), z.number()),
  feeds: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'In plans: for each field of the result, the input field of later tasks that it fills',
    ),
  example: jsonObject.describe('Complete request body that runs'),
});
export type CapabilityView = z.output<typeof capability>;

/** Basis of a measured rate. */
export const rateBasis = z.strictObject({
  basis: z.literal('measured'),
  method: z.string().describe('Description of the measurement, for people'),
  measured_at: isoTimestamp,
  task: z.string().describe('Name of the task that was measured'),
  tasks: z.int().describe('Number of tasks that ran at the same time'),
  duration_ms: z.number().describe('Time that they took together, milliseconds'),
  executed_on: executedOn,
});
export type RateBasisView = z.output<typeof rateBasis>;

/** Statistics of callers' runs, since the start and recent. */
export const workStats = z.strictObject({
  queued: z.int(),
  running: z.int(),
  completed: z
    .int()
    .describe(
      'Tasks completed since the start of the service; `failed` and `cancelled` count since then, too',
    ),
  failed: z.int(),
  cancelled: z.int(),
  tasks_per_sec: z.number().describe('Tasks completed per second, within the window'),
  units_per_sec: z
    .number()
    .describe('Units of work (circuits, rows, steps) completed per second, within the window'),
  window_s: z.number(),
  duration_ms_p50: z
    .number()
    .nullable()
    .describe('Median over the last 256 completed tasks; null before the first'),
  duration_ms_p95: z.number().nullable(),
  basis: z.literal('measured'),
  measured_at: isoTimestamp,
});
export type WorkStatsView = z.output<typeof workStats>;
