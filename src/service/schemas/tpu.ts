/** Schemas of the TPU fleet and its jobs. */
import { z } from 'zod';
import { sliceSizesOfType } from '../../workloads/tpu/slice-request.ts';
import { TPU_TYPES, TPU_ZONES } from '../../workloads/tpu/tpu-zones.ts';
import { TPU_JOBS } from '../jobs/job-resources.ts';
import { isoTime, jsonObject } from './envelope.ts';
import { jobFields, labelFields, priority, requestFields } from './jobs.ts';
import { capability, procedureResult, rateBasis, workStats } from './procedures.ts';

/** What a job does. */
export const JOB_TYPES = ['training', 'inference', 'simulation', 'optimization'] as const;

const tpuType = z.enum(TPU_TYPES);
const modelled = z.literal('modelled').describe('A model of hardware that is not there');

const capacity = {
  chips: z.int(),
  available_chips: z.int().describe('Not on a slice of a job now'),
  rated_tasks_per_sec: z.number(),
};

/** GET /tpu/fleet. */
export const tpuFleet = z
  .strictObject({
    modelled: z.literal(true).describe('No such chip is here'),
    backing: z.string().describe('What really runs the jobs'),
    available: z.boolean().describe('Whether a job would run now'),
    reason: z.string().optional(),
    checked_at: isoTime,
    chips: z.int(),
    available_chips: z.int(),
    jobs_placed: z.int().describe('That have their chips'),
    jobs_waiting: z.int().describe('For chips'),
    zones: z.array(
      z.strictObject({
        zone: z.string(),
        chips: z.int(),
        jobs_placed: z.int(),
        jobs_waiting: z.int(),
        types: z.array(z.strictObject({ tpu_type: tpuType, ...capacity })),
      }),
    ),
    types: z.array(
      z.strictObject({
        tpu_type: tpuType,
        ...capacity,
        zones: z.array(z.string()),
        peak_bf16_tflops_per_chip: z.number().describe("The vendor's figure"),
        pod_chips: z.int().describe("The vendor's figure"),
        slice_chips: z.array(z.int()).describe('What `chips` of a job may be'),
      }),
    ),
    rated_tasks_per_sec: z.number(),
    rated_tasks_per_sec_basis: z.strictObject({ basis: modelled, how: z.string() }),
    measured_tasks_per_sec: z
      .number()
      .describe('Units of work (circuits) that jobs really ran here within the window, a second'),
    measured_tasks_per_sec_basis: z.strictObject({
      basis: z.literal('measured'),
      how: z.string(),
      window_s: z.number(),
      measured_at: isoTime,
    }),
    benchmark: rateBasis.extend({ jobs_per_sec: z.number() }).nullable(),
    capabilities: z.array(capability),
    stats: workStats,
  })
  .meta({ id: 'TpuFleet' });
/** It, as it is written. */
export type TpuFleetView = z.output<typeof tpuFleet>;

/** The body of POST /tpu/jobs. */
export const tpuJobBody = z
  .strictObject({
    job_type: z.enum(JOB_TYPES),
    tpu_type: tpuType,
    // Zones and sizes are told to readers here and checked together, each against the other.
    zone: z
      .string()
      .max(64)
      .describe('A zone of GET /tpu/fleet that has the type')
      .meta({ enum: [...TPU_ZONES] }),
    chips: z
      .int()
      .optional()
      .describe('Of the slice: a power of two, up to what the zone has; 4 by default')
      .meta({ enum: [...new Set(TPU_TYPES.flatMap(sliceSizesOfType))].sort((a, b) => a - b) }),
    input: jsonObject
      .optional()
      .describe('As the `input_schema` of the job type says; every field has a default'),
    priority: priority.optional().describe('Default normal; high takes effect for Enterprise keys'),
    target_processor: z
      .string()
      .max(100)
      .optional()
      .describe('A simulator that its circuits run on; by default the first available one'),
    ...labelFields,
  })
  .meta({
    id: 'TpuJobSubmission',
    examples: [{ job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b' }],
  });

const summaryFields = {
  [TPU_JOBS.idName]: z.string().meta({ examples: ['tpujob_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'] }),
  job_type: z.enum(JOB_TYPES),
  tpu_type: tpuType,
  zone: z.string(),
  chips: z.int(),
  placed: z
    .boolean()
    .optional()
    .describe('While queued or running: whether it has its chips; it may still wait for this node'),
  ...jobFields,
};

/** A TPU job in a listing. */
export const tpuJobSummary = z.strictObject(summaryFields).meta({ id: 'TpuJobSummary' });

/** A TPU job's record; the last fields are there once it is completed. */
export const tpuJobRecord = z
  .strictObject({
    ...summaryFields,
    ...requestFields,
    ...z.strictObject(procedureResult).partial().shape,
    measured: z
      .strictObject({ basis: z.literal('measured'), duration_ms: z.number() })
      .optional()
      .describe('What the work really took here'),
    modelled: z
      .strictObject({ basis: modelled, duration_ms: z.number(), how: z.string() })
      .optional()
      .describe('What it would take on the slice, by a model'),
  })
  .meta({ id: 'TpuJob' });
