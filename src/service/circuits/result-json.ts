/**
 * Writes a processor's result as the JSON text that is stored and answered.
 *
 * Counts and amplitudes are written straight from their typed arrays: objects with a million labels would
 * cost several times the memory and time of the text itself.
 */
import type { CircuitResult } from '../../fleet/processor.ts';
import { basisLabel, outcomeLabel } from '../../math/basis-index.ts';
import { milliseconds, viewBackend, viewCompilation, viewTiming } from '../backend-view.ts';
import type { CircuitResultFields } from '../schemas/circuits.ts';
import type { CheckedCircuit } from './check-circuit.ts';

export { outcomeLabel };

type Counts = CircuitResult['run']['counts'];

/** Fields of a circuit that determine the layout of its result. */
export type ResultLayout = Pick<
  CheckedCircuit,
  'numBits' | 'measuredQubits' | 'outputs' | 'warnings'
>;

/** Writes the result fields of the record as one JSON object. */
export function circuitResultJson(
  { numBits, measuredQubits, outputs, warnings }: ResultLayout,
  { run, backend, compilation, timing }: CircuitResult,
): string {
  const parts: string[] = [];
  if (outputs.includes('counts')) parts.push(`"counts":${countsJson(run.counts)}`);
  if (run.probabilities !== undefined) {
    parts.push(`"probabilities":${probabilitiesJson(run.probabilities, numBits)}`);
  }
  if (run.statevector !== undefined) parts.push(`"statevector":${amplitudesJson(run.statevector)}`);
  if (run.expectations !== undefined) {
    const values = [...run.expectations];
    const sum = values.reduce((total, value) => total + value, 0);
    parts.push(`"expectation":${JSON.stringify({ values, sum })}`);
  }
  const rest: CircuitResultFields = {
    backend: viewBackend(backend),
    compilation: { ...viewCompilation(compilation), state_passes: run.statePasses },
    timing: { ...viewTiming(timing), sampling_ms: milliseconds(run.timing.samplingMs) },
    bit_order: 'little-endian',
    measured_qubits: [...measuredQubits],
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
  parts.push(JSON.stringify(rest).slice(1, -1));
  return `{${parts.join(',')}}`;
}

function countsJson({ numBits, wordsPerOutcome, outcomes, occurrences }: Counts): string {
  const entries: string[] = [];
  for (const [i, occurrence] of occurrences.entries()) {
    const label = outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits);
    entries.push(`"${label}":${occurrence}`);
  }
  return `{${entries.join(',')}}`;
}

function probabilitiesJson(probabilities: Float64Array, numBits: number): string {
  const entries: string[] = [];
  for (const [outcome, probability] of probabilities.entries()) {
    if (probability > 0) entries.push(`"${basisLabel(outcome, numBits)}":${probability}`);
  }
  return `{${entries.join(',')}}`;
}

function amplitudesJson(amplitudes: Float64Array): string {
  const entries: string[] = [];
  for (let i = 0; i < amplitudes.length; i += 2) {
    // Adding 0 turns −0 into 0, as JSON would.
    entries.push(`[${amplitudes[i]! + 0},${amplitudes[i + 1]! + 0}]`);
  }
  return `[${entries.join(',')}]`;
}
