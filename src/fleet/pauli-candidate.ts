/** Estimate by Pauli propagation: the cost of a circuit, or why the method refuses it. */
import { counted } from '../circuit/errors.ts';
import { factsOf } from '../circuit/outputs.ts';
import { compilePaulis, DEFAULT_PAULI_LIMITS } from '../compiler/pauli/compile-paulis.ts';
import { expectedStrings } from '../compiler/pauli/expected-strings.ts';
import type { PauliMap } from '../compiler/program.ts';
import { EXCESS, paulisBytes } from '../engine/pauli/string-sum.ts';
import {
  type MethodCandidate,
  type MethodQuestion,
  type Refusal,
  roundedSize,
  stateBytesOf,
} from './method-limits.ts';
import type { ProcessorSpec } from './processor.ts';

/** Gates that make several strings of one, up to which an observable surely stays small: 2^16 strings. */
const MAX_SURE_BRANCHINGS = 16;
/** Milliseconds for a string and an operation; measured on chains and lattices of 30 to 127 qubits, 8 to 30 ns. */
const PER_PAULI_STRING_MS = 2e-5;
/** Milliseconds for the map of an operation; processor times of circuits of 20 to 60 qubits. */
const PER_MAP_MS = 0.01;

/** Estimate of a circuit by Pauli propagation. */
export function pauliCandidate(
  question: MethodQuestion,
  spec: ProcessorSpec,
): MethodCandidate | Refusal {
  const { outputs, asked, typicalPoint } = question;
  const missing = outputs.find((name) => factsOf(name).by.pauli_propagation === 'never');
  if (missing !== undefined) {
    return { why: `pauli_propagation has no ${missing}, but expectation values alone` };
  }
  const paulis = { ...DEFAULT_PAULI_LIMITS, ...question.paulis };
  if (paulis.isApproximate && outputs.includes('gradient')) {
    return {
      why: 'pauli_propagation has a gradient without "approximate": true alone, because it does not bound the error of one',
    };
  }
  const circuit = typicalPoint?.() ?? question.circuit;
  const program = compilePaulis(circuit, paulis);
  if ('problem' in program) return { why: `pauli_propagation takes no ${program.problem}` };
  const { maps } = program;
  const numBranching = maps.filter(({ strings }) => branches(strings)).length;
  const { isApproximate, maxTerms } = paulis;
  if (!isApproximate && asked === 'automatic' && numBranching > MAX_SURE_BRANCHINGS) {
    const why = `pauli_propagation may need 2^${numBranching} Pauli strings; with "approximate": true it leaves some out, and states a bound on the error`;
    return { why, isLimit: true };
  }
  const most = Math.min(maxTerms, 2 ** numBranching);
  const bytes = paulisBytes(circuit.numQubits, isApproximate ? EXCESS * most : most);
  // Without observables there is one of many strings, such as that of a snapshot.
  const numStrings =
    question.observables?.reduce((sum, each) => sum + expectedStrings(program, each), 0) ??
    maps.length * most;
  const available = stateBytesOf(spec);
  if (bytes > available) {
    const why = `pauli_propagation needs ${roundedSize(bytes)} for ${most} strings, and there are ${roundedSize(available)}; max_terms lowers it`;
    return { why, isLimit: true };
  }
  const candidate = {
    method: 'pauli_propagation',
    figures: {
      bytes,
      ms: maps.length * PER_MAP_MS + numStrings * PER_PAULI_STRING_MS,
      msPerShot: 0,
    },
    paulis,
    what: `Pauli propagation of each observable through ${counted(maps.length, 'operation')}, on up to ${counted(most, 'Pauli string')}`,
  } as const;
  return isApproximate
    ? {
        ...candidate,
        isExact: false,
        precision: 'Strings beyond the limits are left out, and truncation_error bounds the error.',
        whyNotExact: 'pauli_propagation leaves strings out',
      }
    : { ...candidate, isExact: true, precision: 'No string is left out, so that it is exact.' };
}

/** Whether a map makes several strings of one. */
const branches = ({ starts }: PauliMap['strings']): boolean =>
  starts.some((start, p) => start - (starts[p - 1] ?? 0) > 1);
