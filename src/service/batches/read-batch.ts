/**
 * Reads a batch from a request body or from the text of a stored request, or lists every fault. Pure, with plain data
 * as input and output: small bodies are read in the main thread, large ones in another process.
 *
 * A program is read once, however many points it has: its angles are formulas of its inputs.
 */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { measurementGroups } from '../../circuit/measurement-groups.ts';
import { type PackedCircuit, packCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { inSharedMemory, type SerializedCircuit } from '../../fleet/workers/sent-circuit.ts';
import { readObservables, sentObservables } from '../../fleet/workers/sent-run.ts';
import type { SentObservables } from '../../fleet/workers/worker-messages.ts';
import { labelsOf } from '../../jobs/job.ts';
import { readNoise, targetWithDevice } from '../circuits/caller-device.ts';
import { isEstimated } from '../circuits/check-outputs.ts';
import type { PointGroup } from '../circuits/point-groups.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import { checkTarget, limitsOf, type Target } from '../circuits/targets.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { OutputChunks, Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import { type CheckedProgram, checkAnswerSize } from './batch-program.ts';
import { type BatchBody, batchBody, MAX_INPUTS, MAX_POINTS, MAX_PROGRAMS } from './batch-schema.ts';
import { type BatchParts, checkBatchProgram } from './check-program.ts';
import { numEstimatedCircuits } from './estimates.ts';
import { checkItems, formOfList } from './listed-form.ts';

/** Batch that will become a job. */
export interface BatchSubmission extends JobSubmission {
  readonly programs: readonly CheckedProgram[];
  readonly points: number;
  /** Body that is stored and shown, JSON text. */
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
  chunks: programChunks(),
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
  chunks: programChunks(),
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
  const points = numPointsOf(programs);
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

const numPointsOf = (programs: readonly CheckedProgram[]): number =>
  programs.reduce((sum, { inputs }) => sum + inputs.numPoints, 0);

/** Reads the facts of a stored request from the text or its beginning. */
export function batchFactsOf(text: string): BatchFacts {
  // The cast is safe: a request is stored with its facts.
  return storedFacts(text) as BatchFacts;
}

/** Reads the body of a stored request. */
export function storedBatch(text: string): unknown {
  return decodeStored(text).body;
}

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
  const form = formOfList<BatchParts>(value, batchBody, 'programs', MAX_PROGRAMS, MAX_INPUTS);
  const { body, items: values, faults: formOfBatch } = form;
  const faults = new FaultList();
  for (const { path, message, code } of formOfBatch) faults.add(path, message, code);
  const named = checkTarget(body.target_processor, targets, faults);
  const isMalformed = formOfBatch.some(({ path }) => /^device\b/.test(path));
  const target = targetWithDevice(named, body.device, faults, isMalformed);
  const limits = {
    ...limitsOf(target, targets),
    ...(maxSteps !== undefined && { maxSteps }),
    readingWork: { numSteps: 0, numGates: 0 },
  };
  const noise = readNoise(body.noise, target?.spec, faults);
  const context = { batch: body, target, limits, noise };
  const programs = checkItems('programs', values, limits, faults, (program, own) =>
    checkBatchProgram(program, context, own),
  );
  const points = numPointsOf(programs);
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

/**
 * Most shots of all circuits of a batch: IBM's limit of one job. With IBM's usual delay of 250 µs between shots they
 * hold a device for 21 minutes or more.
 */
export const MAX_DEVICE_SHOTS = 5_000_000;
/** Circuits of a batch. Each is fitted here, which took 2 ms for one of 10 gates and 30 ms for one of 200. */
export const MAX_DEVICE_CIRCUITS = 10_000;

/** Adds a fault if a batch asks too much of hardware. */
function checkDeviceWork(programs: readonly CheckedProgram[], faults: FaultList): void {
  let [circuits, shots] = [0, 0];
  for (const program of programs) {
    const own = numCircuitsOf(program);
    circuits += own;
    shots += own * (program.shots ?? 0);
  }
  if (circuits > MAX_DEVICE_CIRCUITS) {
    const problem = `${circuits} circuits for hardware, points and circuits of estimates counted; the limit is ${MAX_DEVICE_CIRCUITS}. Send fewer points.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  if (shots > MAX_DEVICE_SHOTS) {
    const problem = `${shots} shots of all circuits on hardware; the limit is ${MAX_DEVICE_SHOTS}. Send fewer points or shots.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
}

/** Circuits that a program runs: one a point, or those of its estimates. */
function numCircuitsOf(program: CheckedProgram): number {
  if (!isEstimated(program)) return program.inputs.numPoints;
  const { groups } = measurementGroups(program.observables);
  return program.groups.reduce(
    (sum, group) => sum + numEstimatedCircuits(program, group, groups.length),
    0,
  );
}

/**
 * A group of points in transit from the process that read it. Circuits and observables are packed, as text and arrays:
 * a million gates as objects would hold the main thread for a second. Their operations are read there only if values
 * are estimated from shots.
 */
interface SentGroup extends Omit<PointGroup, 'circuit'> {
  readonly circuit: SentCircuit;
}

/** A packed circuit. Bytes that several circuits of an output share are sent once. */
type SentCircuit =
  | PackedCircuit
  | (Omit<PackedCircuit, 'sent'> & {
      readonly sent: Omit<SerializedCircuit, 'bytes'> & { readonly shared: number };
    });

/** The fields of a program that are sent in a form of their own. */
type PackedFields = Pick<CheckedProgram, 'groups' | 'observables'>;

interface SentProgram {
  readonly observables: SentObservables;
}

/** A program with its first groups, or further groups of the program before it. */
interface Entry {
  readonly program?: SentProgram;
  readonly groups: readonly SentGroup[];
}

interface Chunk<Rest> {
  /** Fields of the output beside its programs, in the first chunk. */
  readonly rest?: Rest;
  /** Bytes of circuits that come here first. */
  readonly shared: readonly Uint8Array[];
  readonly entries: readonly Entry[];
}

/** Groups of programs in one chunk; each takes some 40 µs to clone. */
const MAX_GROUPS = 64;

/** An output that has programs. */
interface WithPrograms {
  readonly programs: readonly PackedFields[];
}

/** Chunks of an output that has programs. */
export function programChunks<Output extends WithPrograms>(): OutputChunks<Output> {
  type Rest = Omit<Output, 'programs'>;
  return {
    *cut({ programs, ...rest }): Generator<Chunk<Rest>, void, undefined> {
      let entries: Entry[] = [];
      let shared: Uint8Array[] = [];
      const numbers = new Map<Uint8Array, number>();
      const sentCircuit = (circuit: DynamicCircuit): SentCircuit => {
        const packed = packCircuit(circuit);
        if (!('bytes' in packed.sent)) return packed;
        const { bytes, ...sent } = packed.sent;
        let number = numbers.get(bytes);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(bytes, number);
          shared.push(bytes);
        }
        return { ...packed, sent: { ...sent, shared: number } };
      };
      let room = MAX_GROUPS;
      let isFirst = true;
      const chunk = () => {
        const made = { ...(isFirst && { rest }), shared, entries };
        [isFirst, shared, entries, room] = [false, [], [], MAX_GROUPS];
        return made;
      };
      for (const { groups, observables, ...fields } of programs) {
        const program = { ...fields, observables: sentObservables(observables) };
        for (let from = 0; from < groups.length; ) {
          if (room === 0) yield chunk();
          const some = groups.slice(from, from + room);
          const packed = some.map((group) => ({ ...group, circuit: sentCircuit(group.circuit) }));
          entries.push({ ...(from === 0 && { program }), groups: packed });
          from += some.length;
          room -= some.length;
        }
      }
      yield chunk();
    },
    collect: () => {
      const programs: (PackedFields & { readonly groups: PointGroup[] })[] = [];
      let rest: Rest | undefined;
      const shared: Uint8Array[] = [];
      const packedCircuit = ({ sent, ...packed }: SentCircuit): PackedCircuit => {
        if (!('shared' in sent)) return { ...packed, sent };
        const { shared: number, ...of } = sent;
        return { ...packed, sent: { ...of, bytes: shared[number]! } };
      };
      return {
        add(sent) {
          // The cast is safe: `cut` made it.
          const chunk = sent as Chunk<Rest>;
          rest ??= chunk.rest;
          for (const bytes of chunk.shared) shared.push(inSharedMemory(bytes));
          for (const { program, groups } of chunk.entries) {
            if (program !== undefined) {
              programs.push({
                ...program,
                observables: readObservables(program.observables),
                groups: [],
              });
            }
            const own = programs.at(-1)!.groups;
            for (const group of groups)
              own.push({ ...group, circuit: unpackCircuit(packedCircuit(group.circuit)) });
          }
        },
        get output() {
          // The cast is safe: these are all fields of an output.
          return { ...rest, programs } as unknown as Output;
        },
      };
    },
  };
}
