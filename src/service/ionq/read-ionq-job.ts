/**
 * Reads a job in IonQ's form as a batch, or lists every fault with its path in that form. Pure, with plain data as
 * input and output: small bodies are read in the main thread, large ones in another process.
 *
 * A job of one circuit is a batch of one program, a multi-circuit job one of many.
 */
import { z } from 'zod';
import { hasMidCircuitMeasurement, withFinalMeasurement } from '../../circuit/circuit.ts';
import { MAX_CIRCUIT_QUBITS } from '../../circuit/circuit-limits.ts';
import { FaultList } from '../../circuit/errors.ts';
import { withoutIdleResets } from '../../circuit/idle-resets.ts';
import { readOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { MAX_LISTED_QUBITS } from '../../circuit/outputs.ts';

import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { MAX_SEED } from '../../math/philox.ts';
import { BATCH_READING, type BatchSubmission, readBatch } from '../batches/read-batch.ts';
import { attempt } from '../circuits/check-program.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import { limitsOf, type Target } from '../circuits/targets.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import {
  backendOf,
  IDEAL,
  ionqNoise,
  NOISY_PROCESSOR,
  noiseModelOf,
  noiseModelOfBackend,
  processorFor,
  targetFor,
  unknownBackend,
  unknownModel,
  withGateNoise,
} from './ionq-backends.ts';
import { IONQ_TAG, type IonqFacts, metadataOf } from './ionq-facts.ts';
import { GATESETS, type Gateset, translateGates } from './read-gates.ts';

/** Shots of a QPU, and of a circuit that has no exact probabilities, unless the job says otherwise; IonQ's default. */
const DEFAULT_SHOTS = 100;
const MAX_SHOTS = 1_000_000;
/** Circuits of a multi-circuit job; IonQ's limit. */
const MAX_CIRCUITS = 5000;
/** Names that this service takes as names of jobs and programs. */
const LABEL = /^\P{C}{1,100}$/u;
/** Fields and elements of any other object or list. */
const MAX_LENGTH = 4096;

const SHOTS_RULE = `Must be a whole number from 1 to ${MAX_SHOTS}`;
const shots = z.union(
  [
    z.int().min(1).max(MAX_SHOTS),
    // cirq-ionq sends a text.
    z
      .string()
      .refine((text) => /^[1-9]\d{0,6}$/.test(text) && Number(text) <= MAX_SHOTS, {
        error: SHOTS_RULE,
      })
      .transform(Number),
  ],
  { error: SHOTS_RULE },
);

/** A job, but for its circuits. Unknown fields are passed over, and null means that a field is not given. */
const jobForm = z.looseObject({
  type: z.enum(['ionq.circuit.v1', 'ionq.multi-circuit.v1', 'ionq.qasm3.v1']),
  backend: z.string(),
  input: z.looseObject({
    qubits: z.int().min(1).nullish(),
    gateset: z.enum(GATESETS).nullish(),
    circuit: z.unknown().optional(),
    circuits: z.unknown().optional(),
    data: z.unknown().optional(),
  }),
  shots: shots.nullish(),
  name: z.string().nullish(),
  metadata: z
    .record(
      z.string(),
      // IonQ's document has texts alone; qiskit-ionq sends a flag as a boolean.
      z.unknown().transform((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    )
    .nullish(),
  settings: z.record(z.string(), z.unknown()).nullish(),
  session_id: z.string().nullish(),
  dry_run: z.boolean().nullish(),
  noise: z.looseObject({ model: z.string(), seed: z.int().nullish() }).nullish(),
});
type JobForm = z.output<typeof jobForm>;

/** Reading of the body of POST /v0.4/jobs in a process. */
export const IONQ_READING: Reading<CircuitContext, BatchSubmission> = {
  ...BATCH_READING,
  name: 'ionq job',
  read: (body, { targets }) => readIonqJob(body, targets),
};

/**
 * Reads a JSON value as a job to run.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readIonqJob(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): BatchSubmission {
  const form = formOf(value);
  const faults = new FaultList();
  checkFields(form, faults);
  const programs = programsOf(form, targets, maxSteps, faults);
  if (faults.count > 0) throw new RequestInvalidError(faults.kept);
  const facts = factsOf(form, programs);
  const noise = ionqNoise(modelOf(form));
  const body = {
    // First, where it is found without reading the rest.
    metadata: metadataOf(facts),
    target_processor: noise === undefined ? processorFor(facts.qubits, targets) : NOISY_PROCESSOR,
    ...(form.noise?.seed != null && form.noise.seed >= 0 && { seed: form.noise.seed }),
    ...(LABEL.test(facts.name ?? '') && { name: facts.name }),
    tags: [IONQ_TAG, facts.backend, ...(facts.session === null ? [] : [facts.session])],
    ...(facts.hasCounts && { shots: facts.shots ?? DEFAULT_SHOTS }),
    return: [...(facts.hasCounts ? ['counts'] : []), ...(facts.isExact ? ['probabilities'] : [])],
    programs: programs.map(({ program }) => program),
  };
  const submission = attemptBatch(() => readBatch(body, targets, maxSteps), form, programs);
  if (!facts.dryRun) return submission;
  // Everything was checked. A circuit without gates runs instead.
  const { programs: _, ...rest } = body;
  return readBatch({ ...rest, programs: [{ circuit: [], qubits: 1 }] }, targets);
}

function formOf(value: unknown): JobForm {
  // The circuits are read gate by gate, and need no limit here.
  const { input: _, ...rest }: { readonly input?: unknown } = Object(value);
  const tooLong = sizeFaults(rest, MAX_LENGTH);
  if (tooLong.length > 0) throw new RequestInvalidError(tooLong);
  const parsed = jobForm.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RequestInvalidError(formFaults(parsed.error, jobForm, value));
}

function checkFields({ backend, noise, input, type }: JobForm, faults: FaultList): void {
  if (backendOf(backend) === undefined) faults.add('backend', unknownBackend(backend));
  const problem = noise && unknownModel(noise.model);
  if (problem) faults.add('noise.model', problem);
  if (type !== 'ionq.qasm3.v1' && (input.gateset ?? null) === null) {
    faults.add('input.gateset', `Required: one of ${GATESETS.join(', ')}.`);
  }
}

/** Name of the noise model of a job: a QPU has noise unless the job says otherwise. */
function modelOf({ backend, noise }: JobForm): string {
  return noise?.model ?? noiseModelOfBackend(backendOf(backend) ?? 'simulator');
}

/** Program of the batch, with facts about it. */
interface IonqProgram {
  /** As `POST /quantum/batches` takes it. */
  readonly program: object;
  readonly name: string | null;
  readonly numQubits: number;
  readonly numBits: number;
  readonly hasFinalState: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly registers: IonqFacts['registers'];
  /** Path of the circuit in the body. */
  readonly path: string;
  /** For each gate object, the index of IonQ's gate. */
  readonly origins: readonly number[];
}

function programsOf(
  form: JobForm,
  targets: readonly Target[],
  maxSteps: number | undefined,
  faults: FaultList,
): readonly IonqProgram[] {
  const { type, input } = form;
  switch (type) {
    case 'ionq.qasm3.v1': {
      const program = textProgram(form, targets, maxSteps, faults);
      return program === undefined ? [] : [program];
    }
    case 'ionq.circuit.v1':
      return [gateProgram(input, form, 'input.circuit', targets, maxSteps, faults)];
    case 'ionq.multi-circuit.v1':
      return circuitsOf(input, faults).map((circuit, i) =>
        gateProgram(circuit, form, `input.circuits[${i}].circuit`, targets, maxSteps, faults),
      );
  }
}

const circuitForm = z.looseObject({
  name: z.string().nullish(),
  qubits: z.int().min(1).nullish(),
  gateset: z.enum(GATESETS).nullish(),
  circuit: z.unknown().optional(),
});
type CircuitForm = z.output<typeof circuitForm>;

function circuitsOf({ circuits }: JobForm['input'], faults: FaultList): readonly CircuitForm[] {
  if (!Array.isArray(circuits) || circuits.length === 0) {
    faults.add('input.circuits', 'Required: a list of circuits, at least one.');
    return [];
  }
  if (circuits.length > MAX_CIRCUITS) {
    const problem = `${circuits.length} circuits; the limit is ${MAX_CIRCUITS}.`;
    faults.add('input.circuits', problem);
    return [];
  }
  return circuits.flatMap((each, i) => {
    const parsed = circuitForm.safeParse(each);
    if (parsed.success) return [parsed.data];
    const found = faults.isFull
      ? []
      : formFaults(parsed.error, circuitForm, each, ['input', 'circuits', i]);
    for (const { path, message, code } of found) faults.add(path, message, code);
    return [];
  });
}

function gateProgram(
  circuit: CircuitForm | JobForm['input'],
  form: JobForm,
  path: string,
  targets: readonly Target[],
  maxSteps: number | undefined,
  faults: FaultList,
): IonqProgram {
  const { input } = form;
  const noise = ionqNoise(modelOf(form));
  const gateset: Gateset = circuit.gateset ?? input.gateset ?? 'qis';
  const given = circuit.qubits ?? input.qubits ?? undefined;
  const translated = translateGates(
    circuit.circuit,
    gateset,
    given,
    path,
    faults,
    maxSteps === undefined,
    noise && ((own) => withGateNoise(own, noise)),
  );
  const { objects, origins, numQubits, counts } = translated;
  checkWidth(numQubits, form, targets, faults);
  const name = circuit !== input && typeof circuit.name === 'string' ? circuit.name : null;
  return {
    program: {
      ...(name !== null && LABEL.test(name) && { name }),
      circuit: objects,
      qubits: numQubits,
    },
    name,
    numQubits,
    numBits: numQubits,
    hasFinalState: true,
    counts,
    registers: [],
    path,
    origins,
  };
}

/** Adds a fault if a circuit has more qubits than the backend takes, or than the device whose noise it has. */
function checkWidth(
  numQubits: number,
  form: JobForm,
  targets: readonly Target[],
  faults: FaultList,
): void {
  const noise = ionqNoise(modelOf(form));
  const held = targetFor(noise, targets)?.spec.maxQubits ?? Number.POSITIVE_INFINITY;
  const most = noise?.numQubits ?? held;
  if (numQubits <= most) return;
  const own = backendOf(form.backend) ?? form.backend;
  const limit =
    noise === undefined
      ? `the backend ${own} takes up to ${most} here.`
      : `that device has ${most}.${held < most ? ` This service takes up to ${held} of them, and more in Clifford circuits alone.` : ''}`;
  const what = noise === undefined ? '' : ` with the noise of ${modelOf(form)}`;
  faults.add('input.qubits', `${numQubits} qubits${what}; ${limit}`);
}

function textProgram(
  form: JobForm,
  targets: readonly Target[],
  maxSteps: number | undefined,
  faults: FaultList,
): IonqProgram | undefined {
  const text = form.input.data;
  const noise = ionqNoise(modelOf(form));
  if (typeof text !== 'string') {
    faults.add('input.data', 'Required: the text of an OpenQASM 3 program.');
    return undefined;
  }
  // The width is checked below, where the backend's own limit is known.
  const limits = {
    ...limitsOf(targetFor(noise, targets), targets),
    maxQubits: MAX_CIRCUIT_QUBITS,
    ...(maxSteps !== undefined && { maxSteps }),
  };
  const own = new FaultList();
  const read = attempt(own, () => readOpenQasm(text, limits));
  for (const { message, code } of own.kept) faults.add('input.data', message, code);
  if (read === undefined) return undefined;
  const circuit = withFinalMeasurement(read.circuit);
  checkWidth(circuit.numQubits, form, targets, faults);
  // A program without measurements has all its qubits measured, and its registers hold nothing.
  const registers = circuit === read.circuit ? read.registers : [];
  const counts: Record<string, number> = {};
  for (const operation of read.circuit.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const arity = `${operation.controls.length + operation.targets.length}q`;
    counts[arity] = (counts[arity] ?? 0) + 1;
  }
  return {
    program: { qasm: text, ...(noise && { noise: noiseModelOf(noise) }) },
    name: null,
    numQubits: circuit.numQubits,
    numBits: circuit.numBits,
    hasFinalState: !hasMidCircuitMeasurement(withoutIdleResets(circuit)),
    counts,
    registers: registers.map(({ name, bits }) => [name, [...bits]]),
    path: 'input.data',
    origins: [],
  };
}

/** Fields of IonQ's settings, with the types that its document gives them; others are passed over. */
const settingsForm = z.object({
  compilation: z
    .object({
      precision: z.string().optional().catch(undefined),
      opt: z.number().optional().catch(undefined),
      gate_basis: z.string().optional().catch(undefined),
      service_version: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  error_mitigation: z
    .object({
      debiasing: z.boolean().optional().catch(undefined),
      symmetry_verification: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

function factsOf(form: JobForm, programs: readonly IonqProgram[]): IonqFacts {
  const backend = backendOf(form.backend)!;
  const hasExact = programs.every(
    ({ hasFinalState, numBits }) => hasFinalState && numBits <= MAX_LISTED_QUBITS,
  );
  // The ideal simulator answers exact probabilities where there are any. Shots are drawn beside them if they were asked
  // for.
  const noiseModel = modelOf(form);
  const isExact = backend === 'simulator' && noiseModel === IDEAL && hasExact;
  const shots = form.shots ?? undefined;
  const gateCounts: Record<string, number> = {};
  for (const { counts } of programs) {
    for (const [arity, count] of Object.entries(counts)) {
      gateCounts[arity] = (gateCounts[arity] ?? 0) + count;
    }
  }
  const seed = form.noise?.seed ?? undefined;
  return {
    type: form.type,
    backend,
    name: form.name ?? null,
    metadata: form.metadata ?? null,
    session: form.session_id ?? null,
    dryRun: form.dry_run ?? false,
    settings: settingsForm.catch({}).parse(form.settings ?? {}),
    noiseModel,
    ...(seed !== undefined && seed <= MAX_SEED && { noiseSeed: seed }),
    ...(shots !== undefined ? { shots } : isExact ? {} : { shots: DEFAULT_SHOTS }),
    isExact,
    hasCounts: !isExact || shots !== undefined,
    qubits: Math.max(...programs.map(({ numQubits }) => numQubits)),
    bits: programs.map(({ numBits }) => numBits),
    names: programs.map(({ name }) => name),
    gateCounts,
    registers: programs.flatMap(({ registers }) => registers),
  };
}

/** Runs `read`; faults of the batch are reported with paths of IonQ's form. */
function attemptBatch(
  read: () => BatchSubmission,
  { type }: JobForm,
  programs: readonly IonqProgram[],
): BatchSubmission {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
    const faults = error.faults.map((fault) => ({
      ...fault,
      path: ionqPath(fault.path, type, programs),
    }));
    throw new RequestInvalidError(faults);
  }
}

function ionqPath(path: string, type: JobForm['type'], programs: readonly IonqProgram[]): string {
  const [, program, rest = ''] = /^programs\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  const isMany = type === 'ionq.multi-circuit.v1';
  if (program === undefined) {
    if (path === 'programs') return isMany ? 'input.circuits' : 'input';
    return path === 'target_processor' ? 'backend' : path;
  }
  const { path: own = 'input', origins = [] } = programs[Number(program)] ?? {};
  const gate = /^circuit\[(\d+)\]/.exec(rest)?.[1];
  if (gate !== undefined) return `${own}[${origins[Number(gate)] ?? gate}]`;
  if (rest === 'qubits') return 'input.qubits';
  return rest === 'shots' ? 'shots' : own;
}
