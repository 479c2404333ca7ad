/**
 * Reads a batch from a request body or from the text of a stored request, or lists every fault. Pure, with plain data
 * as input and output: small bodies are read in the main thread, large ones in another process.
 *
 * A program is read once, however many points it has: its angles are formulas of its inputs.
 */

import { z } from 'zod';
import { hasTooManySteps } from '../../circuit/circuit-limits.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { FaultList } from '../../circuit/fault-list.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { labelsOf } from '../../jobs/job.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import { targetWithDevice } from '../circuits/caller-device.ts';
import { readNoise } from '../circuits/emulated-noise.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import { checkTarget, limitsOf, type Target } from '../circuits/targets.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import { type CheckedProgram, checkAnswerSize } from './batch-program.ts';
import { type BatchBody, batchBody, MAX_INPUTS, MAX_POINTS, MAX_PROGRAMS } from './batch-schema.ts';
import { type BatchParts, checkBatchProgram } from './check-program.ts';
import { checkDeviceWork } from './device-work.ts';
import { programPieces } from './sent-programs.ts';

/** Batch that will become a job. */
export interface BatchSubmission extends JobSubmission {
  readonly programs: readonly CheckedProgram[];
  readonly points: number;
  /** Body as it is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Facts stored before the body of a batch. */
export interface BatchFacts {
  readonly points: number;
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** CPU factor for a stored batch. It was read in time once, and must be read again on a busier machine. */
const STORED_CPU_FACTOR = 10;

/** Reading of the body of POST /quantum/batches in a process. */
export const BATCH_READING: Reading<CircuitContext, BatchSubmission> = {
  name: 'batch',
  read: (body, { targets }) => readBatch(body, targets),
  pieces: programPieces(),
};

/** Reading of a stored request's programs in a process. */
export const STORED_BATCH_READING: Reading<
  CircuitContext,
  { readonly programs: readonly CheckedProgram[] }
> = {
  name: 'stored batch',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => ({
    programs: checkedPrograms(storedBatch(String(text)), targets),
  }),
  pieces: programPieces(),
};

/**
 * Reads a JSON value as a batch to run.
 *
 * @param maxSteps - Limit of steps of each program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readBatch(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): BatchSubmission {
  const programs = checkedPrograms(value, targets, maxSteps);
  // The cast is safe: the body has been checked.
  const body = value as BatchBody;
  const points = programs.reduce((sum, { inputs }) => sum + inputs.numPoints, 0);
  return {
    target: body.target_processor,
    programs,
    points,
    ...(body.seed !== undefined && { seed: body.seed }),
    ...(body.priority !== undefined && { priority: body.priority }),
    ...labelsOf(body),
    facts: { points },
    bodyJson: JSON.stringify(value),
  };
}

/** Reads the facts of a stored request from the text or its beginning. */
export function batchFactsOf(text: string): BatchFacts {
  // The cast is safe: a request is stored with its facts.
  return storedFacts(text) as BatchFacts;
}

/** Reads the body of a stored request. */
export function storedBatch(text: string): unknown {
  return decodeStored(text).body;
}

const batchHead = batchBody.extend({ programs: z.array(z.unknown()).min(1) });

/**
 * Checks a body.
 *
 * @param maxSteps - Limit of steps of each program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function checkedPrograms(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): readonly CheckedProgram[] {
  const { body, programs: values, faults: formOfBatch } = batchForm(value);
  const faults = new FaultList();
  for (const { path, message, code } of formOfBatch) faults.add(path, message, code);
  const named = checkTarget(body.target_processor, targets, faults);
  const isMalformed = formOfBatch.some(({ path }) => /^device\b/.test(path));
  const target = targetWithDevice(named, body.device, faults, isMalformed);
  const readingWork = { numSteps: 0, numGates: 0 };
  const limits = {
    ...limitsOf(target, targets),
    ...(maxSteps !== undefined && { maxSteps }),
    readingWork,
  };
  const noise = readNoise(body.noise, target?.spec, faults);
  const programs: CheckedProgram[] = [];
  let points = 0;
  for (const [i, program] of values.entries()) {
    if (faults.isFull) break;
    // Programs after a loop that never ends are not checked.
    if (faults.count > 0 && hasTooManySteps(readingWork, limits.maxGates)) break;
    const own = new FaultList();
    const checked = checkBatchProgram(program, { batch: body, target, limits, noise }, own);
    for (const { path, message, code } of own.kept) {
      faults.add(
        `programs[${i}]${path === '' || path.startsWith('[') ? '' : '.'}${path}`,
        message,
        code,
      );
    }
    if (checked === undefined) continue;
    programs.push(checked);
    points += checked.inputs.numPoints;
  }
  if (points > MAX_POINTS) {
    const problem = `${points} points in all; the limit is ${MAX_POINTS}.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  checkAnswerSize(programs, faults);
  const { device } = target?.spec ?? {};
  if (device !== undefined && device.emulation === undefined) checkDeviceWork(programs, faults);
  if (faults.count > 0) throw new RequestInvalidError(faults.kept);
  return programs;
}

/** Form of the batch without its programs. */
function batchForm(value: unknown): {
  readonly body: BatchParts;
  readonly programs: readonly unknown[];
  readonly faults: readonly Fault[];
} {
  const { programs, ...rest }: { readonly programs?: unknown } = isJsonObject(value) ? value : {};
  const tooLong = sizeFaults(rest, MAX_INPUTS);
  if (tooLong.length > 0) return { body: {}, programs: [], faults: tooLong };
  const parsed = batchHead.safeParse(value);
  const faults = parsed.success ? [] : [...formFaults(parsed.error, batchHead, value)];
  const list = Array.isArray(programs) ? programs : [];
  if (list.length > MAX_PROGRAMS) {
    const message = `${list.length} programs; the limit is ${MAX_PROGRAMS}.`;
    faults.push({ path: 'programs', message, code: LIMIT_EXCEEDED });
    return { body: {}, programs: [], faults };
  }
  const good = Object.entries(rest).filter(([name, field]) => {
    const schema = new Map<string, z.ZodType>(Object.entries(batchHead.shape)).get(name);
    return schema?.safeParse(field).success;
  });
  // The cast is safe: the schema of each field has taken it.
  return { body: Object.fromEntries(good) as BatchParts, programs: list, faults };
}
