/**
 * Reads a circuit from a request body or from the text of a stored request, or lists every fault. Pure, with
 * plain data as input and output: small bodies are read in the main thread, large ones in another process.
 *
 * The form of a submission (names, types and sizes) is validated in bounded time for any body. zod reports every
 * bad element of an array and cannot be stopped, so a body with a million bad entries would take seconds and
 * gigabytes. The two long lists are therefore walked here, entry by entry through their zod schemas, until
 * there are more faults than an answer lists. Any other array or object that is longer than a valid one is
 * refused before zod sees it.
 */
import { z } from 'zod';
import { drawText } from '../../circuit/draw-text.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { MAX_HAMILTONIAN_TERMS } from '../../circuit/evolution/hamiltonian.ts';
import { gateObjectsOf } from '../../circuit/gate-object-schema.ts';
import { MAX_COEFFICIENT, MAX_PAULI_LENGTH, pauliTerm } from '../../circuit/observable-schema.ts';
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { type PackedCircuit, packCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { labelsOf } from '../../jobs/job.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { OutputChunks, Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import {
  type BodyParts,
  type CheckedCircuit,
  checkCircuit,
  meaningFaults,
} from './check-circuit.ts';
import {
  type CircuitBody,
  circuitBody,
  MAX_PARITY_BITS,
  MAX_TERMS,
  parity,
} from './circuit-schema.ts';
import type { InitialStateField } from './initial-state.ts';
import type { CircuitContext } from './program-jobs.ts';
import type { Target } from './targets.ts';

/** Circuit that will become a job. */
export interface CircuitSubmission extends JobSubmission, CheckedCircuit {
  readonly shots: number;
  /** Body that is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Facts stored before the body of a circuit. */
interface CircuitFacts {
  readonly shots: number;
  readonly seed: number;
  /** Number of qubits of the register. */
  readonly qubits: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** CPU factor for a stored circuit. It was read in time once, and must be read again on a busier machine. */
const STORED_CPU_FACTOR = 10;

/** Reading of the body of POST /quantum/circuits in a process. Its circuit comes back packed. */
export const CIRCUIT_READING: Reading<CircuitContext, CircuitSubmission> = {
  name: 'circuit',
  read: (body, { targets }) => readCircuit(body, targets),
  chunks: withPackedCircuit(),
};

/** Reading that draws the circuit of such a body as text. */
export const DRAWING_READING: Reading<CircuitContext, string> = {
  name: 'drawing',
  read: (body, { targets }) => drawText(readCircuit(body, targets).circuit),
};

/** Reading of a stored request's circuit in a process. Its circuit comes back packed. */
export const STORED_CIRCUIT_READING: Reading<CircuitContext, CheckedCircuit> = {
  name: 'stored circuit',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => checkCircuit(storedBody(String(text)), targets),
  chunks: withPackedCircuit(),
};

/**
 * Reads a JSON value as a circuit to run.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function readCircuit(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): CircuitSubmission {
  const body = circuitBodyOf(value, targets, maxSteps);
  const { shots, seed, priority } = body;
  const checked = checkCircuit(body, targets, maxSteps);
  return {
    ...checked,
    shots,
    ...(seed !== undefined && { seed }),
    ...(priority !== undefined && { priority }),
    ...labelsOf(body),
    facts: { shots, qubits: checked.numQubits },
    // The value as it was sent: the schema does not change a well-formed body.
    bodyJson: JSON.stringify(value),
  };
}

/** Reads the facts of a stored request from the text or its beginning. */
export function circuitFactsOf(text: string): CircuitFacts {
  // The cast is safe: a request is stored with its facts; earlier versions stored no tier.
  return { tier: 'standard', ...(storedFacts(text) as Omit<CircuitFacts, 'tier'>) };
}

/** Reads the body of a stored request. */
export function storedBody(text: string): CircuitBody {
  // The cast is safe: only well-formed bodies are stored.
  return decodeStored(text).body as CircuitBody;
}

/**
 * Validates a body.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @throws {RequestInvalidError} if it is malformed, listing also the faults of meaning in its well-formed
 *   fields.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function circuitBodyOf(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): CircuitBody {
  const maxGates = Math.max(1, ...targets.map(({ spec }) => spec.maxGates));
  const form = circuitForm(value, maxGates);
  if (form.isGood) return form.body;
  const { faults, parts, given } = form;
  const places = new Set<string>();
  const ofForm = faults.filter(({ path }) => !places.has(path) && places.add(path));
  if (faults.length >= MAX_FAULTS) throw new RequestInvalidError(ofForm);
  // A text may have several faults at its one path.
  const ofMeaning = meaningFaults(parts, given, targets, maxSteps);
  const others = ofMeaning.filter(({ path }) => !places.has(path));
  throw new RequestInvalidError([...ofForm, ...others]);
}

/** One chunk with the circuit packed: nobody has to read it before it runs. */
function withPackedCircuit<Checked extends CheckedCircuit>(): OutputChunks<Checked> {
  type Chunk = Omit<Checked, 'circuit'> & { readonly circuit: PackedCircuit };
  return {
    cut: (checked) => [{ ...checked, circuit: packCircuit(checked.circuit, true) }],
    collect: () => {
      let chunk: Chunk;
      return {
        add(sent) {
          // The cast is safe: `cut` made it.
          chunk = sent as Chunk;
        },
        get output() {
          // The cast is safe: the circuit is the only field that was packed.
          return { ...chunk, circuit: unpackCircuit(chunk.circuit) } as unknown as Checked;
        },
      };
    },
  };
}

/** Greatest number of elements of any other array, and of fields of any object. */
const MAX_LENGTH = 4096;
/** Lists whose lengths are checked during the walk. */
const WALKED = new Set(['circuit', 'observables']);

/** Well-formed body, or its faults and its remaining fields. */
type CircuitForm =
  | { readonly isGood: true; readonly body: CircuitBody }
  | {
      readonly isGood: false;
      readonly faults: readonly Fault[];
      /**
       * Well-formed fields. A malformed gate is replaced by a barrier, so that the other gates keep their
       * indices.
       */
      readonly parts: BodyParts;
      /** Names of all given fields. */
      readonly given: readonly string[];
    };

const list = z.array(z.unknown()).optional();

/**
 * Schema of the fields of a body but for its circuit and its observables, which are walked.
 *
 * @param body - Schema of the body.
 */
export function headOf<Shape extends z.ZodRawShape>(body: z.ZodObject<Shape>) {
  const walked = [...WALKED].filter((name) => name in body.shape);
  const lists = Object.fromEntries(walked.map((name) => [name, list]));
  // The cast is safe: it replaces two names. zod's own type of it is not known for a type parameter.
  return body.extend(lists) as unknown as z.ZodObject<
    Omit<Shape, 'circuit' | 'observables'> & Record<'circuit' | 'observables', typeof list>
  >;
}

/** Fields of parities. They are walked here, too: a code of distance 25 has 15,600 detectors. */
export const PARITIES = ['detectors', 'logical_observables'] as const;
const entries = z.array(z.unknown()).min(1).optional();
/** Schema of an initial state, which is read without one. */
export const unreadState = { initial_state: z.custom<InitialStateField>().optional() };
/** Schema of the fields of parities before they are walked. */
export const parityEntries = { detectors: entries, logical_observables: entries };
const head = headOf(circuitBody).extend({ ...parityEntries, ...unreadState });

/**
 * Checks the form of a body.
 *
 * @param maxGates - Greatest number of gates that any processor accepts. The list may hold as many barriers
 *   in addition; the entries of a longer list are not examined.
 */
export function circuitForm(value: unknown, maxGates: number): CircuitForm {
  const walked = walkedForm(value, head, maxGates, [...PARITIES, 'initial_state']);
  const { lists, given } = walked;
  const faults = [...walked.faults];
  const { detectors, logical_observables, ...fields } = walked.fields;
  const parities = readParities({ detectors, logical_observables }, faults);
  const parts: BodyParts = { ...fields, ...lists, ...parities };
  const { target_processor, shots } = parts;
  if (faults.length > 0 || target_processor === undefined || shots === undefined) {
    return { isGood: false, faults, parts, given };
  }
  return { isGood: true, body: { ...parts, target_processor, shots } };
}

/** The two long lists of a body; undefined where they are missing or malformed. */
interface WalkedLists {
  readonly circuit?: NonNullable<CircuitBody['circuit']>;
  readonly observables?: NonNullable<CircuitBody['observables']>;
}

/** Form of a body that has a circuit and observables. */
interface WalkedForm<Fields> {
  /** No fault means that all required fields are there. */
  readonly faults: readonly Fault[];
  /** The other well-formed fields. */
  readonly fields: Readonly<Partial<Omit<Fields, 'circuit' | 'observables'>>>;
  readonly lists: WalkedLists;
  /** Names of all given fields. */
  readonly given: readonly string[];
}

/**
 * Checks the form of a body that has a circuit and observables.
 *
 * @param body - Schema as `headOf` gives it.
 * @param maxGates - As for `circuitForm`.
 * @param longFields - Further fields that may be longer than other lists. The schema must not walk them.
 */
export function walkedForm<Fields extends object>(
  value: unknown,
  body: z.ZodType<Fields> & { readonly shape: z.ZodRawShape },
  maxGates: number,
  longFields: readonly string[] = [],
): WalkedForm<Fields> {
  const faults: Fault[] = [];
  const given = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const bounded = boundedFields(value, maxGates, new Set([...WALKED, ...longFields]), faults);
  const parsed = faults.length === 0 ? body.safeParse(value) : undefined;
  if (parsed?.success === false) faults.push(...formFaults(parsed.error, body, value));
  const fields: Partial<Fields> =
    parsed?.success === true ? parsed.data : goodFields(bounded, body);
  const { circuit, observables, ...rest }: Partial<Fields> & Lists = fields;
  const gates = circuit && gateObjectsOf(circuit, faults);
  const sums = observables && readObservables(observables, faults);
  return {
    faults,
    // The cast is safe: two fields are taken away.
    fields: rest as WalkedForm<Fields>['fields'],
    lists: { ...(gates && { circuit: gates }), ...(sums && { observables: sums }) },
    given,
  };
}

/** The lists before they are walked. */
interface Lists {
  readonly circuit?: readonly unknown[] | undefined;
  readonly observables?: readonly unknown[] | undefined;
}

/** Removes fields that are too long to examine and adds a fault for each. */
function boundedFields(
  value: unknown,
  maxGates: number,
  longer: ReadonlySet<string>,
  faults: Fault[],
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([name, field]) => {
    if (faults.length >= MAX_FAULTS) return false;
    const found =
      name === 'circuit'
        ? lengthFaults(field, maxGates)
        : sizeFaults({ [name]: field }, MAX_LENGTH, longer);
    faults.push(...found);
    return found.length === 0;
  });
  return Object.fromEntries(fields);
}

function lengthFaults(circuit: unknown, maxGates: number): readonly Fault[] {
  if (!Array.isArray(circuit) || circuit.length <= 2 * maxGates) {
    return sizeFaults({ circuit }, MAX_HAMILTONIAN_TERMS, WALKED);
  }
  const message = `${circuit.length} entries; the limit max_gates is ${maxGates}.`;
  return [{ path: 'circuit', message, code: LIMIT_EXCEEDED }];
}

/** The well-formed fields. */
function goodFields<Fields extends object>(
  value: unknown,
  { shape }: { readonly shape: z.ZodRawShape },
): Partial<Fields> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const shapes = new Map(Object.entries(shape));
  const good = Object.entries(value).filter(([name, field]) => {
    const schema = shapes.get(name);
    return schema !== undefined && z.safeParse(schema, field).success;
  });
  // The cast is safe: the schema of each field has taken it.
  return Object.fromEntries(good) as Partial<Fields>;
}

const isBit = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Faults of a parity that is malformed; of a long one, those of the first bits that are none. */
function parityFaults(entry: unknown, root: readonly PropertyKey[]): readonly Fault[] {
  const firstBad = Array.isArray(entry) ? entry.findIndex((bit) => !isBit(bit)) : -1;
  // The schema would report every bit of a long list.
  const looked = Array.isArray(entry) ? entry.slice(0, firstBad + MAX_FAULTS) : entry;
  const { error } = parity.safeParse(looked);
  return error === undefined ? [] : formFaults(error, parity, looked, root);
}

/** The well-formed ones of the lists of parities. */
export function readParities(
  given: Readonly<Record<(typeof PARITIES)[number], readonly unknown[] | undefined>>,
  faults: Fault[],
): Pick<BodyParts, (typeof PARITIES)[number]> {
  const parities: { [K in (typeof PARITIES)[number]]?: number[][] } = {};
  let numBits = 0;
  for (const field of PARITIES) {
    const before = faults.length;
    const read: number[][] = [];
    for (const [i, entry] of (given[field] ?? []).entries()) {
      if (faults.length >= MAX_FAULTS) break;
      if (Array.isArray(entry)) numBits += entry.length;
      if (numBits > MAX_PARITY_BITS) continue;
      if (Array.isArray(entry) && entry.length > 0 && entry.every(isBit)) read.push(entry);
      else faults.push(...parityFaults(entry, [field, i]));
    }
    if (given[field] !== undefined && faults.length === before) parities[field] = read;
  }
  if (numBits > MAX_PARITY_BITS) {
    const [sum, most] = [numBits, MAX_PARITY_BITS].map((count) => count.toLocaleString('en'));
    const message = `${sum} bits in all detectors and logical observables; the limit is ${most}.`;
    faults.push({ path: 'detectors', message, code: LIMIT_EXCEEDED });
    return {};
  }
  return parities;
}

const pauliSum = z.array(pauliTerm);

/** Whether a value is a Pauli term; found in a fraction of the time that its schema takes. */
function isPlainTerm(value: unknown): value is z.output<typeof pauliTerm> {
  if (typeof value !== 'object' || value === null || !('pauli' in value)) return false;
  const { pauli, coefficient, ...others }: Record<string, unknown> = value;
  for (const _ in others) return false;
  const isCoefficient =
    coefficient === undefined ||
    (typeof coefficient === 'number' && Math.abs(coefficient) <= MAX_COEFFICIENT);
  return isCoefficient && typeof pauli === 'string' && pauli.length <= MAX_PAULI_LENGTH;
}

function readObservables(
  entries: readonly unknown[],
  faults: Fault[],
): CircuitBody['observables'] | undefined {
  const before = faults.length;
  const observables: NonNullable<CircuitBody['observables']> = [];
  let numTerms = 0;
  for (const [i, entry] of entries.entries()) {
    numTerms += Array.isArray(entry) ? entry.length : 1;
    if (numTerms > MAX_TERMS) continue;
    if (Array.isArray(entry) ? entry.every(isPlainTerm) : isPlainTerm(entry)) {
      observables.push(entry as z.output<typeof pauliTerm> | z.output<typeof pauliSum>);
      continue;
    }
    const schema = Array.isArray(entry) ? pauliSum : pauliTerm;
    const parsed = schema.safeParse(entry);
    if (!parsed.success) {
      faults.push(...formFaults(parsed.error, schema, entry, ['observables', i]));
    } else observables.push(parsed.data);
    if (faults.length >= MAX_FAULTS) break;
  }
  if (numTerms > MAX_TERMS) {
    const message = `${numTerms} Pauli terms in all; the limit is ${MAX_TERMS}.`;
    faults.push({ path: 'observables', message, code: LIMIT_EXCEEDED });
  }
  return faults.length === before ? observables : undefined;
}
