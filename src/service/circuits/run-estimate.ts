/**
 * Estimate of a job before it is submitted: the runs that it would make, and how long its processor is expected to take
 * for them. A kind of job lists its parts, each with the runs of one circuit.
 */
import { z } from 'zod';
import { AMPLITUDE_BYTES } from '../../fleet/memory-shares.ts';
import { nameOfMethod, precisionOfRun, simulatedSpec } from '../../fleet/method-limits.ts';
import { RUN_METHODS } from '../../fleet/method-names.ts';
import type { Processor, ProcessorSpec } from '../../fleet/processor.ts';
import { isExactOnThread } from '../../fleet/run-together.ts';
import {
  type CircuitRequest,
  type CircuitWork,
  methodOf,
  type RunWork,
  runWork,
} from '../../fleet/schedule/scheduled-run.ts';
import { shotRangesOf } from '../../fleet/shot-ranges.ts';
import { isoTimestamp } from '../http/envelope.ts';
import { milliseconds } from './backend-view.ts';
import type { ChosenMethod } from './check-method.ts';

const ms = z.number().min(0);

/** Fields of a whole job and of each of its parts. Absent on hardware, where the vendor decides. */
const estimateFields = {
  method: z
    .enum(RUN_METHODS)
    .optional()
    .describe('Method that the job would run by; of a list, that of the part that takes longest'),
  method_reason: z.string().optional().describe('Why this method, with its figures'),
  shots: z
    .int()
    .min(0)
    .describe(
      'Shots of all circuits together, 0 where all values are exact. Of an experiment max_shots, which are the most that it takes',
    ),
  engine_ms: ms
    .optional()
    .describe('Expected time of all runs together on the engines, one after the other'),
  memory_bytes: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Memory for the states of one run without its outcomes, of the largest run where they differ',
    ),
};

/** A program of a batch, or a task of an experiment. */
const estimatedPart = z.strictObject({
  ...estimateFields,
  points: z.int().min(1).optional().describe('Points of a program'),
});

/** An estimate. */
export const estimate = z
  .strictObject({
    kind: z.enum(['circuit', 'batch', 'experiment']),
    processor: z.string(),
    ...estimateFields,
    run_ms: ms
      .optional()
      .describe('Expected time from the start to the result, with the engines to itself'),
    runs_together: z
      .int()
      .min(1)
      .optional()
      .describe('Engines that run parts of the job at the same time'),
    queue_depth: z
      .int()
      .min(0)
      .describe('Runs that wait now for the engines, or for the device at the vendor'),
    expected_start_at: isoTimestamp
      .optional()
      .describe('When it would start if it were submitted now; absent where nobody knows'),
    programs: z.array(estimatedPart).optional().describe('Of a batch, in its order'),
    tasks: z.array(estimatedPart).optional().describe('Of an experiment, in its order'),
  })
  .meta({ id: 'Estimate' });
export type Estimate = z.output<typeof estimate>;

/** Runs of one circuit that a job makes. */
export interface PlannedRuns {
  readonly circuit: CircuitWork;
  readonly request: CircuitRequest;
  /** Number of such runs, one after the other or at the same time; 1 unless given. */
  readonly count?: number;
}

/** A circuit of a job, a program, or a task, with its runs. */
export interface PlannedPart extends ChosenMethod {
  readonly shots: number;
  readonly points?: number;
  readonly runs: readonly PlannedRuns[];
}

/** A job that is not submitted yet. */
export interface PlannedJob {
  readonly parts: readonly PlannedPart[];
  /** Name of the list of parts; absent where the job is its only part. */
  readonly listed?: 'programs' | 'tasks';
}

/** A run of a batch is about this long, milliseconds; a shorter one is not divided among engines (`RunSizes`). */
const RUN_OF_BATCH_MS = 20;

interface Figures {
  readonly runMs: number;
  readonly engineMs: number;
  readonly bytes: number;
  readonly numTogether: number;
}

/** Estimate of a job, but for its start. */
export function estimateOf(
  kind: Estimate['kind'],
  { parts, listed }: PlannedJob,
  processor: Processor,
): Omit<Estimate, 'expected_start_at'> {
  const { spec } = processor;
  const isOnDevice = processor.runOnDevice !== undefined;
  const figures = parts.map((part) => (isOnDevice ? undefined : figuresOf(part, processor)));
  const views = parts.map((part, i) => viewPart(part, figures[i], isOnDevice));
  const known = figures.filter((each) => each !== undefined);
  const areAllKnown = known.length === figures.length;
  const longest = figures.reduce(
    (most, each, i) => ((each?.engineMs ?? 0) > (figures[most]?.engineMs ?? 0) ? i : most),
    0,
  );
  const { points: _, ...ofLongest } = views[longest]!;
  return {
    kind,
    processor: spec.id,
    ...ofLongest,
    shots: parts.reduce((sum, { shots }) => sum + shots, 0),
    ...(areAllKnown && {
      run_ms: milliseconds(known.reduce((sum, { runMs }) => sum + runMs, 0)),
      engine_ms: milliseconds(known.reduce((sum, { engineMs }) => sum + engineMs, 0)),
      memory_bytes: Math.max(...known.map(({ bytes }) => bytes)),
      runs_together: Math.max(...known.map(({ numTogether }) => numTogether)),
    }),
    queue_depth: processor.load().queueDepth,
    ...(listed !== undefined && { [listed]: views }),
  };
}

function viewPart(
  { method, methodReason, shots, points }: PlannedPart,
  figures: Figures | undefined,
  isOnDevice: boolean,
): z.output<typeof estimatedPart> {
  return {
    ...(!isOnDevice && { method: nameOfMethod(method), method_reason: methodReason }),
    shots,
    ...(points !== undefined && { points }),
    ...(figures !== undefined && {
      engine_ms: milliseconds(figures.engineMs),
      memory_bytes: figures.bytes,
    }),
  };
}

/** Figures of a part; undefined where no engine takes its runs now. */
function figuresOf({ runs }: PlannedPart, processor: Processor): Figures | undefined {
  const spec = simulatedSpec(processor.spec);
  let [runMs, engineMs, bytes, numTogether] = [0, 0, 0, 1];
  for (const { circuit, request, count = 1 } of runs) {
    const whole = processor.expectedRun(runWork(circuit, request));
    if (whole === undefined) return undefined;
    const { numEngines } = whole;
    const ranges = count > 1 ? [] : shotRangesOf(circuit, request, numEngines);
    const part = { ...request, ...(ranges.length > 1 && { shotRange: ranges[0]! }) };
    const work = runWork(circuit, part);
    const each = processor.expectedRun(work)?.ms ?? whole.ms;
    const total = each * Math.max(count, ranges.length);
    const isDivided = count > 1 || request.numCircuits !== undefined;
    const most = isDivided ? Math.ceil(total / RUN_OF_BATCH_MS) : ranges.length;
    const together = Math.max(1, Math.min(numEngines, most));
    engineMs += total;
    runMs += total / together;
    numTogether = Math.max(numTogether, together);
    bytes = Math.max(bytes, bytesOf(circuit, request, work, spec));
  }
  return { runMs, engineMs, bytes, numTogether };
}

/** Bytes of the states of a run. */
function bytesOf(
  circuit: CircuitWork,
  request: CircuitRequest,
  work: RunWork,
  spec: ProcessorSpec,
): number {
  if (request.figures !== undefined) return Math.ceil(request.figures.bytes);
  const { numQubits } = work;
  const ofSpec = precisionOfRun(spec, methodOf(circuit, request), numQubits);
  const precision = isExactOnThread(work) ? 'f64' : ofSpec;
  return AMPLITUDE_BYTES[precision] * 2 ** numQubits;
}
