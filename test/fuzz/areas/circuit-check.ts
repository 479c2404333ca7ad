/** One circuit, the outputs asked of it, and the check of all of them against the oracle. */
import { type Answer, judged, type Service, type Wrong } from '../area.ts';
import {
  type Circuit,
  distribution,
  isDynamic,
  run,
  withMeasurement,
  withoutFinalMeasures,
  written,
} from '../circuits.ts';
import { counted, countsDiffer, differs, pairs, probabilitiesDiffer } from '../compare.ts';
import { State } from '../state.ts';

/** A Pauli string by qubit, with its coefficient. */
export interface Observable {
  readonly letters: readonly (readonly [number, string])[];
  readonly coefficient: number;
}

/** A request of one circuit. */
export interface CircuitCase {
  readonly circuit: Circuit;
  readonly processor: string;
  readonly method?: string;
  readonly outputs: readonly string[];
  readonly observables: readonly Observable[];
  readonly basisStates: readonly number[];
  readonly shots: number;
  readonly seed: number;
  /** Further fields of the request. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Refusals that are right: codes. */
  readonly allowed?: readonly string[];
}

/** Largest error of a value, by the precision of the engine. */
export const TOLERANCE: Readonly<Record<string, number>> = { f64: 1e-9, f32: 2e-5 };

/** Largest error of a value by matrix product states whose cuts discarded a weight. */
export const cutTolerance = (truncationError: unknown): number =>
  10 * Math.sqrt(Number(truncationError ?? 0));

/** As requests write it. */
export function pauliText({ letters }: Observable): string {
  return letters.map(([qubit, letter]) => `${letter}${qubit}`).join(' ') || 'I';
}

/** Exact outcomes, and the state before the final measurement as one density matrix or vector. */
export function oracle(circuit: Circuit, inputs: Readonly<Record<string, number>> = {}) {
  const isMixed = isDynamic(circuit) || circuit.noise !== undefined || hasNoise(circuit);
  // A pure state is measured at its end by its amplitudes, which is faster.
  const whole = isMixed ? withMeasurement(circuit) : circuit;
  const exact = distribution(whole, run(whole, isMixed, inputs));
  const [first, ...others] = run(withoutFinalMeasures(circuit), isMixed, inputs);
  const state = first?.state ?? new State(circuit.qubits, isMixed);
  for (const other of others) state.add(other.state);
  return { exact, state };
}

function hasNoise({ ops }: Circuit): boolean {
  return ops.some((op) => op.op === 'noise');
}

/** Exact values of observables. */
export function expectations(state: State, observables: readonly Observable[]): number[] {
  return observables.map((o) => o.coefficient * state.expectation(new Map(o.letters)));
}

/** The body of the request. */
export function bodyOf(each: CircuitCase): Record<string, unknown> {
  const { circuit, processor, method, outputs, observables, basisStates, shots, seed, more } = each;
  const label = (index: number) => index.toString(2).padStart(circuit.qubits, '0');
  return {
    ...written(circuit),
    target_processor: processor,
    shots,
    seed,
    return: outputs,
    ...(method && { method }),
    ...(outputs.includes('expectation') && {
      observables: observables.map((o) => ({ pauli: pauliText(o), coefficient: o.coefficient })),
    }),
    ...(outputs.includes('amplitudes') && { basis_states: [...new Set(basisStates)].map(label) }),
    ...more,
  };
}

/** Sends a case and compares all outputs. */
export async function checkCircuit(
  each: CircuitCase,
  service: Service,
): Promise<Wrong | undefined> {
  if (each.outputs.length === 0) return undefined;
  const { exact, state } = oracle(each.circuit);
  const size = 2 ** each.circuit.qubits;
  const all = Array.from({ length: size }, (_, i) => i);
  const compare = (data: Answer['data']): string | undefined => {
    const { precision } = data['backend'] as { precision: string };
    const tolerance = TOLERANCE[precision]! + cutTolerance(data['truncation_error']);
    const sampled = 'trajectories' in data && data['method'] === 'statevector';
    for (const output of each.outputs) {
      const got = data[output];
      const found = (() => {
        switch (output) {
          case 'counts':
            return countsDiffer(got as Record<string, number>, exact, each.shots);
          case 'memory':
            return countsDiffer(counted(got as string[]), exact, each.shots);
          case 'probabilities':
            if (sampled) return undefined;
            return probabilitiesDiffer(got as Record<string, number>, exact, tolerance);
          case 'statevector':
            return differs('statevector', got, pairs(state.entries), tolerance);
          case 'amplitudes':
            return differs(
              'amplitudes',
              Object.entries(got as object).map(([label, value]) => [
                Number.parseInt(label, 2),
                value,
              ]),
              [...new Set(each.basisStates)]
                .map((index) => [index, [...state.entries[index]!]])
                .sort(byPlace(Object.keys(got as object))),
              tolerance,
            );
          case 'expectation':
            return expectationDiffers(each, got, state, sampled, tolerance);
          case 'density_matrix':
            return differs(
              'density_matrix',
              got,
              all.map((row) => all.map((column) => [...state.element(row, column)])),
              tolerance,
            );
          case 'purity': {
            const purity = all
              .flatMap((row) => all.map((column) => state.element(row, column)))
              .reduce((sum, [re, im]) => sum + re * re + im * im, 0);
            return differs('purity', got, purity, tolerance);
          }
          default:
            throw new Error(`the oracle has no ${output}`);
        }
      })();
      if (found) return found;
    }
    return undefined;
  };
  const expected = { probabilities: Object.fromEntries(exact), state: state.entries.slice(0, 64) };
  return judged(service, 'circuits', bodyOf(each), compare, expected, each.allowed);
}

/** Orders pairs of a basis index as the labels of an answer are ordered. */
function byPlace(labels: readonly string[]) {
  const indices = labels.map((label) => Number.parseInt(label, 2));
  return ([a]: unknown[], [b]: unknown[]) =>
    indices.indexOf(a as number) - indices.indexOf(b as number);
}

/** Standard errors by which an estimate may be off, and a floor for estimates without spread. */
const DEVIATIONS = 7;

function expectationDiffers(
  { observables, shots }: CircuitCase,
  got: unknown,
  state: State,
  isSampled: boolean,
  tolerance: number,
): string | undefined {
  const { values } = got as { values: number[] };
  const exact = expectations(state, observables);
  const scale = Math.max(1, ...observables.map((o) => Math.abs(o.coefficient)));
  const width = isSampled ? scale * (DEVIATIONS / Math.sqrt(shots)) : scale * tolerance;
  return differs('expectation', values, exact, width);
}
