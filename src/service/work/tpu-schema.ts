/** Schemas of the TPU fleet and its jobs. */
import { z } from 'zod';
import { sliceSizesOfType } from '../../workloads/tpu/slice-request.ts';
import { TPU_TYPES, TPU_ZONES } from '../../workloads/tpu/tpu-zones.ts';
import { isoTimestamp, jsonObject } from '../http/envelope.ts';
import { TPU_JOBS } from '../jobs/job-resources.ts';
import { jobFields, labelFields, priority, requestFields } from '../jobs/job-schema.ts';
import { capability, procedureResult, rateBasis, workStats } from './procedures-view.ts';

/** Types of TPU jobs. */
const JOB_TYPES = ['training', 'inference', 'simulation', 'optimization'] as const;

const tpuType = z.enum(TPU_TYPES);
const modelled = z.literal('modelled').describe('Model of hardware that does not exist here');

const capacity = {
  chips: z.int(),
  available_chips: z.int().describe('Chips that no job uses now'),
  rated_tasks_per_sec: z.number(),
};

/** GET /tpu/fleet. */
export const tpuFleet = z
  .strictObject({
    modelled: z.literal(true).describe('Always true: the chips are a model'),
    backing: z.string().describe('What runs the jobs'),
    available: z.boolean().describe('Whether a job submitted now would run'),
    reason: z.string().optional(),
    checked_at: isoTimestamp,
    chips: z.int(),
    available_chips: z.int(),
    jobs_placed: z.int().describe('Jobs that have their chips'),
    jobs_waiting: z.int().describe('Jobs that wait for chips'),
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
        slice_chips: z.array(z.int()).describe('Allowed values of `chips` of a job'),
      }),
    ),
    rated_tasks_per_sec: z.number(),
    rated_tasks_per_sec_basis: z.strictObject({ basis: modelled, how: z.string() }),
    measured_tasks_per_sec: z
      .number()
      .describe('Units of work (circuits) that jobs ran here per second, within the window'),
    measured_tasks_per_sec_basis: z.strictObject({
      basis: z.literal('measured'),
      how: z.string(),
      window_s: z.number(),
      measured_at: isoTimestamp,
    }),
    benchmark: rateBasis.extend({ jobs_per_sec: z.number() }).nullable(),
    capabilities: z.array(capability),
    stats: workStats,
  })
  .meta({ id: 'TpuFleet' });
export type TpuFleetView = z.output<typeof tpuFleet>;

/** The body of POST /tpu/jobs. */
export const tpuJobBody = z
  .strictObject({
    job_type: z.enum(JOB_TYPES),
    tpu_type: tpuType,
    // Zones and sizes are documented here and checked together, because each depends on the other.
    zone: z
      .string()
      .max(64)
      .describe('Zone of GET /tpu/fleet that has chips of the type')
      .meta({ enum: [...TPU_ZONES] }),
    chips: z
      .int()
      .optional()
      .describe('Chips of the slice: a power of two, at most those of the zone; default 4')
      .meta({ enum: [...new Set(TPU_TYPES.flatMap(sliceSizesOfType))].sort((a, b) => a - b) }),
    input: jsonObject
      .optional()
      .describe(
        'Input of the job; `input_schema` of the job type describes it. Every field has a default',
      ),
    priority: priority
      .optional()
      .describe('Default normal. high takes effect for Enterprise keys only'),
    target_processor: z
      .string()
      .max(100)
      .optional()
      .describe('Simulator that runs the circuits of the job; by default the first available one'),
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
    .describe(
      'While queued or running: whether the job has its chips. It may still wait for a process of this node',
    ),
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
      .describe('Measured duration of the work on this node'),
    modelled: z
      .strictObject({ basis: modelled, duration_ms: z.number(), how: z.string() })
      .optional()
      .describe('Modelled duration on the slice'),
  })
  .meta({ id: 'TpuJob' });
