/** Schemas of what agents and the TPU fleet have in common: capabilities, figures, results. */
import { z } from 'zod';
import { backend } from './circuits.ts';
import { isoTime, jsonObject } from './envelope.ts';

/** What ran the work. */
export const executedOn = z.strictObject({
  process: z
    .strictObject({ runtime: z.string(), hardware: z.string() })
    .describe('What ran the code of the work itself'),
  processors: z
    .array(
      z.strictObject({
        processor: z.string(),
        backend: backend.describe('What really ran its circuits'),
        circuits: z.int(),
        execution_ms: z.number(),
      }),
    )
    .describe('What ran its circuits; empty where it has none'),
});
/** It, as it is written. */
export type ExecutedOnView = z.output<typeof executedOn>;

/** What a completed record has beside the record of any other. */
export const procedureResult = {
  result: jsonObject.describe('What the work found; its fields depend on the task'),
  seed: z
    .int()
    .describe('All chance of the work came from it: that of the input, or else a drawn one'),
  executed_on: executedOn,
  timing: z.strictObject({
    queue_ms: z.number(),
    execution_ms: z.number().describe('From its start to its end, on the clock'),
  }),
};

/** A thing that can be asked for. */
export const capability = z.strictObject({
  task: z.string(),
  description: z.string(),
  input_schema: jsonObject.describe('JSON Schema of `input`'),
  limits: z.record(z.string(), z.number()),
  feeds: z
    .record(z.string(), z.string())
    .optional()
    .describe('In plans: fields of the result, and the input fields of later tasks they feed'),
  example: jsonObject.describe('A whole request body that runs'),
});
/** It, as it is written. */
export type CapabilityView = z.output<typeof capability>;

/** How a rate came about. */
export const rateBasis = z.strictObject({
  basis: z.literal('measured'),
  method: z.string().describe('How it was measured, for people'),
  measured_at: isoTime,
  task: z.string().describe('What was run'),
  tasks: z.int().describe('How many of them, at once'),
  duration_ms: z.number().describe('That they took together'),
  executed_on: executedOn,
});
/** It, as it is written. */
export type RateBasisView = z.output<typeof rateBasis>;

/** What ran for callers since the start, and lately. */
export const workStats = z.strictObject({
  queued: z.int(),
  running: z.int(),
  completed: z.int().describe('Since the start of the service; so are the next two'),
  failed: z.int(),
  cancelled: z.int(),
  tasks_per_sec: z.number().describe('Completed within the window, a second'),
  units_per_sec: z
    .number()
    .describe('Units of their work (circuits, rows, steps) within the window, a second'),
  window_s: z.number(),
  duration_ms_p50: z.number().nullable().describe('Of the last 256 completed; null before any'),
  duration_ms_p95: z.number().nullable(),
  basis: z.literal('measured'),
  measured_at: isoTime,
});
/** It, as it is written. */
export type WorkStatsView = z.output<typeof workStats>;
