/** Runs the task `shorten`. */
import { shortenCircuit } from '../../../compiler/native/shorten-circuit.ts';
import { verifyCircuits } from '../../algorithms/equivalence/verify-circuits.ts';
import { circuitOf } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { circuitView } from './circuit-view.ts';
import { circuitSize } from './gate-counts.ts';
import { gateSetOf } from './gate-set-field.ts';
import { SHORTEN_MAX_QUBITS, type ShortenInput } from './shorten.ts';

/** Shortens the input's circuit, if a shorter one is found, and verifies it. */
export async function runShorten(
  input: ShortenInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const given = circuitOf(input, { maxQubits: SHORTEN_MAX_QUBITS });
  const { preserve, seed = context.seed } = input;
  context.progress(0.05, 'Shortening');
  const circuit = shortenCircuit(given, gateSetOf(input.gate_set), preserve);
  context.progress(0.5, 'Verifying');
  const verification = await verifyCircuits(given, circuit, { preserve, seed }, context);
  return {
    ...circuitView(circuit),
    before: circuitSize(given),
    after: circuitSize(circuit),
    preserved: preserve,
    verification,
  };
}
