/** Inputs of the tasks `prepare_state`, `shorten` and `synthesize`, their limits and their faults. */
import { z } from 'zod';
import { FaultList } from '../../../circuit/errors.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import {
  ALL_GATES,
  findGateSet,
  type GateSet,
  gateSetFaults,
} from '../../../circuit/synthesis/gate-set.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { numOnes } from '../../../math/basis-index.ts';
import { PRESERVED } from '../../algorithms/equivalence/verify-circuits.ts';
import { circuitFaults, circuitFields, seedField } from '../../procedures/input-fields.ts';

/** Most names in a gate set; the gate table has few more. */
const MAX_NAMES = 64;

/** Schema of a list of gate names. */
export const gateSetField = z
  .array(z.string().max(64))
  .min(1)
  .max(MAX_NAMES)
  .optional()
  .describe(
    'Names of the gates to write the circuit in, for example ["cx","rz","ry"], ["cz","rz","sx","x"] or ["iswap","rz","h"]: any set that can make all one-qubit rotations and entangle two qubits; by default any gate of GET /quantum/operations',
  );

/** Faults of a list of gate names; none for an absent list. */
export function gateSetFaultsAt(
  path: string,
  names: readonly string[] | undefined,
): readonly Fault[] {
  if (names === undefined) return [];
  return gateSetFaults(names).map(({ index, message }) => ({
    path: index === undefined ? path : `${path}[${index}]`,
    message,
  }));
}

/** The gate set of validated names. */
export function gateSetOf(names: readonly string[] | undefined): GateSet {
  return (names === undefined ? undefined : findGateSet(names)) ?? ALL_GATES;
}

/** Names of the families of states. */
export const STATE_FAMILIES = ['ghz', 'w', 'dicke', 'uniform'] as const;
/** Name of a family of states. */
export type StateFamily = (typeof STATE_FAMILIES)[number];

/** Number of ones in each basis state of a Dicke state; 1 for W. */
export function onesOf(family: StateFamily, excitations: number | undefined): number {
  return family === 'w' ? 1 : (excitations ?? 1);
}

/** Amplitudes of a named state, interleaved re, im; length 2·2^numQubits. */
export function familyAmplitudes(
  family: StateFamily,
  numQubits: number,
  excitations: number | undefined,
): Float64Array {
  const size = 2 ** numQubits;
  const ones = onesOf(family, excitations);
  const isIn = (index: number): boolean => {
    if (family === 'uniform') return true;
    if (family === 'ghz') return index === 0 || index === size - 1;
    return numOnes(index) === ones;
  };
  const out = new Float64Array(2 * size);
  let count = 0;
  for (let i = 0; i < size; i++) if (isIn(i)) count++;
  for (let i = 0; i < size; i++) if (isIn(i)) out[2 * i] = 1 / Math.sqrt(count);
  return out;
}

/** Most qubits of a state given by its amplitudes. */
export const MAX_AMPLITUDE_QUBITS = 10;
/** Most qubits of a named state; bounded because the result is verified amplitude by amplitude. */
export const MAX_FAMILY_QUBITS = 16;
/** Largest deviation of a state's norm from 1. */
const NORM_TOLERANCE = 1e-6;

const amplitude = z.union([z.number(), z.tuple([z.number(), z.number()]).describe('[re, im]')]);

/** Limits of the input. */
export const prepareStateInput = z.strictObject({
  amplitudes: z
    .array(amplitude)
    .min(2)
    .max(2 ** MAX_AMPLITUDE_QUBITS)
    .optional()
    .describe(
      '2^n amplitudes of the state, each a number or [re, im]; qubit 0 is the least significant bit of the index',
    ),
  state: z
    .enum(STATE_FAMILIES)
    .optional()
    .describe('Name of a known state; replaces `amplitudes` and needs `qubits`'),
  qubits: z
    .int()
    .min(1)
    .max(MAX_FAMILY_QUBITS)
    .optional()
    .describe('Number of qubits of a state given by name'),
  excitations: z
    .int()
    .min(0)
    .max(MAX_FAMILY_QUBITS)
    .optional()
    .describe('`dicke` only: number of ones in each basis state; default 1'),
  normalize: z
    .boolean()
    .default(false)
    .describe('Whether amplitudes are scaled to norm 1; otherwise another norm is refused'),
  gate_set: gateSetField,
});

/** Parsed input. */
export type PrepareStateInput = z.output<typeof prepareStateInput>;

/** The given amplitudes, interleaved re, im. */
export function givenAmplitudes(
  amplitudes: NonNullable<PrepareStateInput['amplitudes']>,
): Float64Array {
  return Float64Array.from(
    amplitudes.flatMap((each) => (typeof each === 'number' ? [each, 0] : each)),
  );
}

/** Faults of an input. */
export function prepareStateFaults(input: PrepareStateInput): readonly Fault[] {
  const { amplitudes, gate_set } = input;
  const ofState =
    amplitudes === undefined ? familyFaults(input) : amplitudeFaults(input, amplitudes);
  return [...ofState, ...gateSetFaultsAt('gate_set', gate_set)];
}

function familyFaults({ state, qubits, excitations }: PrepareStateInput): readonly Fault[] {
  if (state === undefined) {
    return [{ path: 'amplitudes', message: 'Required: amplitudes, or state and qubits instead.' }];
  }
  if (qubits === undefined) {
    return [{ path: 'qubits', message: 'Required: the width of a state that is given by name.' }];
  }
  if (excitations === undefined) return [];
  if (state !== 'dicke') {
    return [{ path: 'excitations', message: `Only taken with dicke, not with ${state}.` }];
  }
  if (excitations <= qubits) return [];
  const message = `${excitations} ones do not fit on ${qubits} qubits.`;
  return [{ path: 'excitations', message }];
}

function amplitudeFaults(
  { state, qubits, excitations, normalize }: PrepareStateInput,
  given: NonNullable<PrepareStateInput['amplitudes']>,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [path, value] of Object.entries({ state, qubits, excitations })) {
    if (value !== undefined) faults.push({ path, message: 'Not taken with amplitudes.' });
  }
  if (!Number.isInteger(Math.log2(given.length))) {
    const message = `${given.length} amplitudes; there are 2^n of them for n qubits.`;
    faults.push({ path: 'amplitudes', message });
  }
  const norm = Math.hypot(...givenAmplitudes(given));
  if (!Number.isFinite(norm)) {
    faults.push({ path: 'amplitudes', message: 'The length of the state is not a finite number.' });
  } else if (norm < Number.MIN_VALUE / Number.EPSILON) {
    faults.push({ path: 'amplitudes', message: 'All amplitudes are zero: that is no state.' });
  } else if (!normalize && Math.abs(norm - 1) > NORM_TOLERANCE) {
    const message = `The length of the state is ${norm.toPrecision(6)} and not 1; set normalize to have it scaled.`;
    faults.push({ path: 'amplitudes', message });
  }
  return faults;
}

/** Most qubits; enough for every public device. */
export const SHORTEN_MAX_QUBITS = 256;

/** Limit of the input. */
export const shortenInput = z.strictObject({
  ...circuitFields,
  gate_set: gateSetField,
  preserve: z
    .enum(PRESERVED)
    .default('unitary')
    .describe(
      'What the shorter circuit preserves. `unitary` (default): its action on any state, and its measurements. `state`: the state it makes of |0…0⟩. `outcomes`: the distribution of its classical bits',
    ),
  seed: seedField,
});

/** Parsed input. */
export type ShortenInput = z.output<typeof shortenInput>;

/** Faults of an input. */
export function shortenFaults(input: ShortenInput): readonly Fault[] {
  return [
    ...circuitFaults(input, { maxQubits: SHORTEN_MAX_QUBITS }),
    ...gateSetFaultsAt('gate_set', input.gate_set),
  ];
}

const entry = z.tuple([z.number(), z.number()]).describe('[re, im]');

/** Limits of the input. */
export const synthesizeInput = z.strictObject({
  unitary: z
    .array(z.array(entry).max(4))
    .max(4)
    .describe(
      'A unitary matrix: 2 rows of 2 entries, or 4 rows of 4; qubit 0 is the least significant bit of a row',
    ),
  gate_set: gateSetField,
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.1)
    .default(1e-9)
    .describe(
      'Largest change of each of the three interaction angles that may save a two-qubit gate, radians; `error` has the resulting error. Default 1e-9',
    ),
});

/** Parsed input. */
export type SynthesizeInput = z.output<typeof synthesizeInput>;

/** Number of qubits of a matrix with this many rows: 1 for 2 rows, 2 for 4, and 2 for other counts. */
export function numQubitsOf({ unitary }: SynthesizeInput): 1 | 2 {
  return unitary.length === 2 ? 1 : 2;
}

/** Faults of an input. */
export function synthesizeFaults(input: SynthesizeInput): readonly Fault[] {
  const faults = new FaultList();
  unitaryFromRows(input.unitary, numQubitsOf(input), 'unitary', faults);
  return [...faults.kept, ...gateSetFaultsAt('gate_set', input.gate_set)];
}
