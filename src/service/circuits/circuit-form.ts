/**
 * The form of a submission: names, types and sizes, in bounded time whatever the body holds.
 *
 * zod reports every bad element of an array and cannot be stopped, so that a body of a million bad
 * entries would take seconds and gigabytes. The two long lists are therefore walked here, an entry
 * at a time through their zod schemas, until there are more faults than an answer lists; and no
 * other array or object gets to zod that is longer than any good one.
 */
import { z } from 'zod';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { findOperation } from '../../circuit/gate-object.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { pauliTerm } from '../../circuit/observable-schema.ts';
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { sizeFaults } from '../../errors/size-faults.ts';
import { type CircuitBody, circuitBody, MAX_TERMS } from '../schemas/circuits.ts';

/** Elements of any other array, fields of any object. */
const MAX_LENGTH = 4096;
/** Their lengths are checked where they are walked. */
const WALKED = new Set(['circuit', 'observables']);

/** The fields of a body whose own form is good. */
export type BodyParts = { readonly [K in keyof CircuitBody]?: CircuitBody[K] | undefined };

/** A body of good form, or what is wrong with it and what is left of it. */
export type CircuitForm =
  | { readonly isGood: true; readonly body: CircuitBody }
  | {
      readonly isGood: false;
      readonly faults: readonly Fault[];
      /** Fields of good form; a gate of bad form is replaced by a barrier, so that the others keep their indices. */
      readonly parts: BodyParts;
      /** The names of all fields that were given. */
      readonly given: readonly string[];
    };

const list = z.array(z.unknown()).optional();
const head = circuitBody.omit({ circuit: true, observables: true }).extend({
  circuit: list,
  observables: list,
});
const pauliSum = z.array(pauliTerm);

/**
 * Checks the form of a body.
 *
 * @param maxGates - The most that any processor takes. There may be as many barriers beside them; the
 *   entries of a longer list are not looked at.
 */
export function circuitForm(value: unknown, maxGates: number): CircuitForm {
  const faults: Fault[] = [];
  const given = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const bounded = boundedFields(value, maxGates, faults);

  const parsed = faults.length === 0 ? head.safeParse(value) : undefined;
  if (parsed?.success === false) faults.push(...formFaults(parsed.error, head, value));
  const parts = parsed?.success === true ? parsed.data : goodFields(bounded);
  const circuit = parts.circuit && readGates(parts.circuit, faults);
  const observables = parts.observables && readObservables(parts.observables, faults);
  const { circuit: _circuit, observables: _observables, ...rest } = parts;
  const good: BodyParts = {
    ...rest,
    ...(circuit === undefined ? {} : { circuit }),
    ...(observables === undefined ? {} : { observables }),
  };
  if (parsed?.success !== true || faults.length > 0) {
    return { isGood: false, faults, parts: good, given };
  }
  const { target_processor, shots } = parsed.data;
  return { isGood: true, body: { ...good, target_processor, shots } };
}

/** The value without the fields that are too long to be looked at, which become faults. */
function boundedFields(value: unknown, maxGates: number, faults: Fault[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([name, field]) => {
    if (faults.length >= MAX_FAULTS) return false;
    const found =
      name === 'circuit'
        ? lengthFaults(field, maxGates)
        : sizeFaults({ [name]: field }, MAX_LENGTH, WALKED);
    faults.push(...found);
    return found.length === 0;
  });
  return Object.fromEntries(fields);
}

function lengthFaults(circuit: unknown, maxGates: number): readonly Fault[] {
  if (!Array.isArray(circuit) || circuit.length <= 2 * maxGates) {
    return sizeFaults({ circuit }, MAX_LENGTH, WALKED);
  }
  const message = `${circuit.length} entries; the limit max_gates is ${maxGates}.`;
  return [{ path: 'circuit', message, code: LIMIT_EXCEEDED }];
}

type HeadParts = { readonly [K in keyof z.output<typeof head>]?: z.output<typeof head>[K] };

/** The fields whose own form is good. */
function goodFields(value: unknown): HeadParts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const shapes = new Map<string, z.ZodType>(Object.entries(head.shape));
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => shapes.get(name)?.safeParse(field).success),
  );
}

/** The entries; undefined where one of bad form may be a measurement, on which later ones depend. */
function readGates(
  entries: readonly unknown[],
  faults: Fault[],
): NonNullable<CircuitBody['circuit']> | undefined {
  const gates: NonNullable<CircuitBody['circuit']> = [];
  let isWhole = true;
  for (const [i, entry] of entries.entries()) {
    const parsed = gateObject.safeParse(entry);
    if (parsed.success) gates.push(parsed.data);
    else {
      faults.push(...formFaults(parsed.error, gateObject, entry, ['circuit', i]));
      if (faults.length >= MAX_FAULTS) return undefined;
      gates.push({ gate: 'BARRIER' });
      isWhole &&= isGate(entry);
    }
  }
  return isWhole ? gates : undefined;
}

function isGate(entry: unknown): boolean {
  const isNamed = typeof entry === 'object' && entry !== null && 'gate' in entry;
  if (!isNamed || typeof entry.gate !== 'string') return false;
  const operation = findOperation(entry.gate);
  return operation !== undefined && operation.name !== 'M';
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
