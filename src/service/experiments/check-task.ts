/** Checks one task of an experiment: its form, its circuit, its parities, and that its decoder can decode it. */
import { createHash } from 'node:crypto';
import { type DynamicCircuit, withFinalMeasurement } from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { withoutLoss } from '../../circuit/loss/loss-facts.ts';
import { withoutNoise } from '../../circuit/noise/noise-facts.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { sizesOf } from '../../compiler/clifford/error-walk.ts';
import type { Postselection } from '../../decoding/count-errors.ts';
import type { DecoderChoice } from '../../decoding/decoders.ts';
import { foundText } from '../../errors/wrong-values.ts';
import { CHUNK_SHOTS, declaredIn, type ErrorCounting } from '../../fleet/error-counting.ts';
import { packCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import type { ParityLists } from '../../math/bit-matrix.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import type { CheckedProgram } from '../batches/batch-program.ts';
import { readNoise } from '../circuits/caller-device.ts';
import { parityListsOf, readProgram, TRACKED_WITH_LOSS } from '../circuits/check-circuit.ts';
import type { ChosenMethod } from '../circuits/check-method.ts';
import {
  attempt,
  type CheckedGroups,
  checkProgram,
  checkSource,
  type ProgramQuestion,
} from '../circuits/check-program.ts';
import { allParityLists, declaredParities, readDetection } from '../circuits/detection-events.ts';
import {
  headOf,
  PARITIES,
  parityEntries,
  readParities,
  walkedForm,
} from '../circuits/read-circuit.ts';
import { readLimitsOf, type Target } from '../circuits/targets.ts';
import { type DecodableCircuits, INVALID } from './decodable-circuits.ts';
import {
  type ExperimentBody,
  MAX_METADATA_LENGTH,
  type TaskBody,
  taskBody,
} from './experiment-schema.ts';
import type { TaskFacts } from './stored-task.ts';
import type { FaultNumbers } from './stratified-counts.ts';
import type { StopRule } from './task-counts.ts';

/** The fields of an experiment that are of good form. */
export type ExperimentParts = {
  readonly [K in keyof ExperimentBody]?: ExperimentBody[K] | undefined;
};

/** Task that its target accepts, as plain data. */
export interface CheckedTask
  extends Pick<CheckedProgram, 'groups' | 'method' | 'methodReason' | 'figures' | 'bonds'>,
    Omit<TaskFacts, 'seed'> {
  /** None: only shots are read. */
  readonly observables: readonly [];
  /** Shots of a run at least. */
  readonly shots: number;
  /** Seed of the task, where it has one of its own. */
  readonly seed?: number;
  readonly stopRule: StopRule;
  /** Present where its shots are stratified by their faults. */
  readonly faultNumbers?: FaultNumbers;
  readonly counting: ErrorCounting;
}

/** Context in which all tasks of an experiment are checked. */
interface ExperimentContext {
  /** Fields that hold for tasks without their own. */
  readonly experiment: ExperimentParts;
  readonly target: Target | undefined;
  readonly limits: CircuitLimits;
  /** Model of the experiment; a task may have its own. */
  readonly noise: NoiseModel | undefined;
  readonly decodable: DecodableCircuits;
  readonly problems: TaskProblems;
}

const taskHead = headOf(taskBody).extend(parityEntries);

/** Checks one task; undefined if it has faults. */
export function checkTask(
  value: unknown,
  context: ExperimentContext,
  faults: FaultList,
): CheckedTask | undefined {
  const { experiment, limits, decodable, problems } = context;
  if (!isJsonObject(value)) {
    faults.add('', `A task is a JSON object, not ${foundText(value)}.`);
    return undefined;
  }
  const form = walkedForm(value, taskHead, limits.maxGates, PARITIES);
  const formFaults = [...form.faults];
  const { detectors, logical_observables, ...fields } = form.fields;
  const parities = readParities({ detectors, logical_observables }, formFaults);
  for (const { path, message, code } of formFaults) faults.add(path, message, code);
  if (formFaults.length > 0) return undefined;
  const task: TaskParts = { ...fields, ...form.lists, ...parities };
  const source = checkSource(form.given, faults);
  if (source === 'stim') {
    for (const field of PARITIES) {
      if (form.given.includes(field))
        faults.add(field, 'Not taken with stim: the text has its own.');
    }
  }
  const stopRule = stopRuleOf({ ...experiment, ...task }, faults);
  checkMetadata(task.metadata, faults);
  const noise = task.noise ?? experiment.noise;
  const shots = Math.min(CHUNK_SHOTS, stopRule?.maxShots ?? CHUNK_SHOTS);
  const decoder: DecoderChoice = task.decoder ?? experiment.decoder ?? 'matching';
  const sampling = task.sampling ?? experiment.sampling;
  if (sampling !== undefined) checkStratified({ ...experiment, ...task }, faults);
  const checkErrors = (read: Omit<TaskProblem, 'key'>) => {
    const { known } = read;
    if (!known.decoders.has(decoder)) {
      decodable.check(decoder, read, declaredIn(read), faults);
      if (faults.count === 0) known.decoders.add(decoder);
    }
    if (sampling === undefined || faults.count > 0) return;
    known.faultNumbers ??= decodable.faultNumbers(read, declaredIn(read), faults);
  };
  const read = () => {
    const fresh = source && readProblem(task, { source, noise, shots }, context, faults);
    if (fresh !== undefined) checkErrors(fresh);
    return faults.count === 0 ? fresh : undefined;
  };
  const problem = problems.of(task, { noise, shots }, read);
  if (problem === undefined || stopRule === undefined) return undefined;
  const { circuit, chosen, repeated } = problem;
  // Operations that are read for one decoder are not kept.
  checkErrors({ ...problem, circuit: unpackCircuit(packCircuit(circuit)) });
  const masks = masksOf(problem, task.postselect, faults);
  const faultNumbers = sampling && faultNumbersFrom(sampling, problem.known.faultNumbers, faults);
  if (faults.count > 0) return undefined;
  const { seed, metadata } = task;
  const strongId = strongIdOf(task, { noise, decoder, sampling });
  return {
    ...chosen,
    groups: [{ circuit, points: undefined }],
    observables: [],
    shots,
    stopRule,
    ...(seed !== undefined && { seed }),
    ...(metadata !== undefined && { metadata }),
    ...(faultNumbers !== undefined && { faultNumbers }),
    decoder,
    strongId,
    counting: {
      // Tasks that differ in their seeds or metadata run what was prepared for the first of them.
      key: `${problem.key} ${decoder} ${sampling?.method}`,
      decoder,
      parities: problem.parities,
      ...(repeated !== undefined && { repeated }),
      ...masks,
    },
  };
}

/** What a task has its shots from: its circuit with noise and parities. */
interface TaskProblem extends Pick<ErrorCounting, 'key' | 'parities' | 'repeated'> {
  /** Without its operations as objects: ten thousand circuits of these are gigabytes. */
  readonly circuit: DynamicCircuit;
  readonly chosen: ChosenMethod;
  readonly losesQubits: boolean;
  /** What was found of its errors: decoders that can decode them, and the numbers of faults of its shots. */
  readonly known: {
    readonly decoders: Set<DecoderChoice>;
    faultNumbers?: Omit<FaultNumbers, 'minFaults'> | undefined;
  };
}

/**
 * The problems of an experiment. One that several tasks have is read once, and circuits that differ in the strengths of
 * their noise alone share their bytes.
 */
export class TaskProblems {
  /** By digest. */
  readonly #known = new Map<string, TaskProblem>();
  /** Bytes of circuits, by digest. */
  readonly #bytes = new Map<string, Uint8Array>();

  /** @param read - Reads a problem that is not known; undefined if it has faults. */
  of(
    { circuit, qasm, stim, qir, qubits, detectors, logical_observables }: TaskParts,
    rest: { readonly noise: TaskParts['noise']; readonly shots: number },
    read: () => Omit<TaskProblem, 'key'> | undefined,
  ): TaskProblem | undefined {
    const key = digestOf(
      JSON.stringify({ circuit, qasm, stim, qir, qubits, detectors, logical_observables, ...rest }),
    );
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const problem = read();
    if (problem === undefined) return undefined;
    const compact = { ...problem, key, circuit: this.#compact(problem.circuit) };
    this.#known.set(key, compact);
    return compact;
  }

  #compact(circuit: DynamicCircuit): DynamicCircuit {
    const packed = packCircuit(circuit);
    const { sent } = packed;
    if (!('bytes' in sent)) return unpackCircuit(packed);
    const key = digestOf(sent.bytes);
    const bytes = this.#bytes.get(key) ?? sent.bytes;
    this.#bytes.set(key, bytes);
    return unpackCircuit({ ...packed, sent: { ...sent, bytes } });
  }
}

const digestOf = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('base64');

/** Reads the circuit of a task with its noise and parities; undefined if it has faults. */
function readProblem(
  task: TaskParts,
  { source, noise: written, shots }: Pick<ProgramQuestion, 'source' | 'noise' | 'shots'>,
  { target, limits, noise: ofExperiment }: ExperimentContext,
  faults: FaultList,
): Omit<TaskProblem, 'key'> | undefined {
  const readLimits = readLimitsOf(target, limits);
  const program = attempt(faults, () => readProgram(task, readLimits, faults, true));
  if (program === undefined || faults.count > 0) return undefined;
  if (program.results.results.length > 0) {
    const problem = 'An experiment counts errors; take the pragmas that request results out.';
    faults.add('qasm', problem);
    return undefined;
  }
  if (program.errorBound !== undefined) {
    const problem =
      'An EVOLVE by a product formula is not taken: its error has no place in counts of errors.';
    faults.add('circuit', problem);
    return undefined;
  }
  const { tracked, repeated } = program.parities ?? {};
  const noise =
    task.noise === undefined ? ofExperiment : readNoise(task.noise, target?.spec, faults);
  const whole = withFinalMeasurement(tracked?.circuit ?? program.circuit);
  const question = {
    form: 'circuit',
    groups: [{ circuit: whole, points: undefined }],
    inputs: undefined,
    source,
    qasm: task.qasm,
    noise: written,
    outputs: ['counts'],
    results: [],
    shots,
    observables: [],
  } as const satisfies ProgramQuestion;
  const context = { target, limits, noise, purpose: 'run' } as const;
  // Only stabilizer runs track observables of Pauli operators, and have loops of this kind.
  const checked =
    tracked === undefined && repeated === undefined
      ? byStabilizersOrElse(question, context, faults)
      : checkProgram({ ...question, method: 'stabilizer' }, context, faults);
  if (checked?.chosen === undefined || faults.count > 0) return undefined;
  const declared = parityListsOf(program.parities) ?? declaredParities(task);
  if (declared === undefined || sizesOf(declared).numObservables === 0) {
    faults.add(source === 'stim' ? 'stim' : 'logical_observables', NO_OBSERVABLES[source]);
    return undefined;
  }
  const { groups, chosen, lossMarks } = checked;
  const { circuit } = groups[0]!;
  const losesQubits = lossMarks !== undefined;
  if (losesQubits && tracked !== undefined) faults.add('stim', TRACKED_WITH_LOSS, INVALID);
  const isStabilizer = chosen.method === 'stabilizer';
  const detection = readDetection(
    declared,
    {},
    {
      circuit: losesQubits
        ? withoutNoise(withoutLoss(whole))
        : isStabilizer
          ? circuit
          : withoutNoise(circuit),
      losesQubits,
      outputs: ['detection_events'],
      mayTakeLong: limits.maxSteps === undefined,
    },
    faults,
  );
  if (detection === undefined) return undefined;
  for (const { message } of detection.warnings ?? []) {
    faults.add(source === 'stim' ? 'stim' : 'detectors', message, INVALID);
  }
  return {
    ...{ circuit, chosen, losesQubits },
    parities: allParityLists(detection),
    ...(detection.repeated && { repeated: detection.repeated }),
    known: { decoders: new Set(['none']) },
  };
}

/** A task of good form. */
type TaskParts = { readonly [K in keyof TaskBody]?: TaskBody[K] | undefined };

const NO_OBSERVABLES = {
  circuit: 'Required: an error is a logical observable that differs from its prediction.',
  qasm: 'Required: an error is a logical observable that differs from its prediction.',
  qir: 'Required: an error is a logical observable that differs from its prediction.',
  stim: 'The text has no OBSERVABLE_INCLUDE, and an error is an observable that differs from its prediction.',
} as const;

function stopRuleOf(
  {
    max_shots,
    max_errors,
    relative_error,
  }: Pick<TaskParts, keyof ExperimentParts & keyof TaskParts>,
  faults: FaultList,
): StopRule | undefined {
  if (max_shots === undefined) {
    faults.add('max_shots', 'Required, for the task or for the whole experiment.');
    return undefined;
  }
  return {
    maxShots: max_shots,
    ...(max_errors !== undefined && { maxErrors: max_errors }),
    ...(relative_error !== undefined && { relativeError: relative_error }),
  };
}

/** Fewer shots than these are hardly enough for a chunk of each stratum. */
const MIN_STRATIFIED_SHOTS = 10_000;

/** Adds faults of the fields beside which shots are not stratified. */
function checkStratified(
  { max_shots, max_errors, postselect }: Omit<TaskParts, 'metadata'>,
  faults: FaultList,
): void {
  const without = 'Not taken where shots are stratified by their faults';
  if (max_errors !== undefined) {
    const problem = `${without}: most errors are those of many faults, which hardly matter. Ask for a relative_error.`;
    faults.add('max_errors', problem);
  }
  if (postselect !== undefined) faults.add('postselect', `${without}.`);
  if (max_shots !== undefined && max_shots < MIN_STRATIFIED_SHOTS) {
    const least = MIN_STRATIFIED_SHOTS.toLocaleString('en');
    faults.add('max_shots', `At least ${least} where shots are stratified by their faults.`);
  }
}

function faultNumbersFrom(
  { min_faults: minFaults = 0 }: NonNullable<TaskParts['sampling']>,
  numbers: Omit<FaultNumbers, 'minFaults'> | undefined,
  faults: FaultList,
): FaultNumbers | undefined {
  if (numbers === undefined) return undefined;
  const most = numbers.probabilities.length - 1;
  if (minFaults <= most) return { ...numbers, minFaults };
  const problem = `${minFaults} faults or more have no probability that matters; at most ${most} are taken.`;
  faults.add('sampling.min_faults', problem);
  return undefined;
}

function checkMetadata(metadata: TaskParts['metadata'], faults: FaultList): void {
  const length = metadata === undefined ? 0 : JSON.stringify(metadata).length;
  if (length <= MAX_METADATA_LENGTH) return;
  const [found, most] = [length, MAX_METADATA_LENGTH].map((count) => count.toLocaleString('en'));
  faults.add('metadata', `${found} characters as JSON; the limit is ${most}.`, LIMIT_EXCEEDED);
}

/** The program by stabilizers, which sample fastest and have error models; by another method if these do not take it. */
function byStabilizersOrElse(
  question: ProgramQuestion,
  context: Parameters<typeof checkProgram>[1],
  faults: FaultList,
): CheckedGroups | undefined {
  const own = new FaultList();
  const checked = checkProgram({ ...question, method: 'stabilizer' }, context, own);
  return own.count === 0 ? checked : checkProgram(question, context, faults);
}

/** Detectors and observables that discard a shot, as bits of rows. */
function masksOf(
  { parities }: TaskProblem,
  { detectors: ofDetectors, observables: ofObservables }: NonNullable<TaskParts['postselect']> = {},
  faults: FaultList,
): Postselection {
  const numOf = (lists: ParityLists) => lists.ends.length;
  const detectors = maskOf(ofDetectors, numOf(parities.detectors), 'detector', faults);
  const observables = maskOf(ofObservables, numOf(parities.observables), 'observable', faults);
  return { ...(detectors && { detectors }), ...(observables && { observables }) };
}

/** Bits of a row that are set for some of its numbers. */
function maskOf(
  chosen: readonly number[] | undefined,
  count: number,
  what: 'detector' | 'observable',
  faults: FaultList,
): Uint8Array | undefined {
  if (chosen === undefined) return undefined;
  const mask = new Uint8Array(Math.ceil(count / 8));
  for (const [i, number] of chosen.entries()) {
    const path = `postselect.${what}s[${i}]`;
    if (number >= count) {
      const last = count === 0 ? 'none' : count === 1 ? `${what} 0` : `${what}s 0 to ${count - 1}`;
      faults.add(path, `The task has no ${what} ${number}; it has ${last}.`);
    } else if (((mask[number >>> 3]! >>> (number & 7)) & 1) === 1) {
      faults.add(path, `${number} is named twice.`);
    } else mask[number >>> 3]! |= 1 << (number & 7);
  }
  return mask;
}

/** What decides the statistics of a task, and may stand beside tasks. */
interface StrongFacts extends Pick<TaskParts, 'noise' | 'sampling'> {
  readonly decoder: DecoderChoice;
}

/** SHA-256 of what decides the statistics of a task, and of its metadata, which tell it from others for its owner. */
export function strongIdOf(
  {
    circuit,
    qasm,
    stim,
    qir,
    qubits,
    detectors,
    logical_observables,
    postselect,
    metadata,
  }: TaskParts,
  { noise, decoder, sampling }: StrongFacts,
): string {
  const problem = {
    ...{ circuit, qasm, stim, qir, qubits, detectors, logical_observables, noise },
    ...{ decoder, postselect, metadata, sampling },
  };
  return createHash('sha256').update(JSON.stringify(problem)).digest('hex');
}
