/** Input of the task `prepare_state`, its limits and its faults. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { gateSetFaultsAt, gateSetField } from './gate-set-field.ts';
import { STATE_FAMILIES } from './target-state.ts';

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
