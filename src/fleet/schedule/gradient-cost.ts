/** Times of gradients of a circuit by both methods, on one thread. */

/** Time of a trip over a state in an engine's batch, nanoseconds. */
const NS_PER_OPERATION = 20;
const NS_PER_AMPLITUDE = 0.2;
/** Time of an adjoint gradient: of its program, of an operation in it, and of an amplitude in both trips. */
const NS_PER_ADJOINT = 10_000;
const NS_PER_ADJOINT_OPERATION = 2_500;
const NS_PER_ADJOINT_AMPLITUDE = 0.5;

/** A circuit whose values are derived. */
interface DerivedCircuit {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Terms of each observable. */
  readonly observables: readonly { readonly length: number }[];
}

/**
 * Milliseconds of a gradient of one circuit.
 *
 * @param numShifts - Circuits beside the one itself.
 */
export function gradientMs(
  { numQubits, numOperations, observables }: DerivedCircuit,
  numShifts: number,
): { readonly byShifts: number; readonly adjoint: number } {
  const amplitudes = 2 ** numQubits;
  const numTrips = observables.reduce((sum, terms) => sum + terms.length, numOperations);
  const perTrip = NS_PER_OPERATION + NS_PER_AMPLITUDE * amplitudes;
  const perAdjointTrip = NS_PER_ADJOINT_OPERATION + NS_PER_ADJOINT_AMPLITUDE * amplitudes;
  return {
    byShifts: ((1 + numShifts) * numTrips * perTrip) / 1e6,
    adjoint: (NS_PER_ADJOINT + observables.length * numOperations * perAdjointTrip) / 1e6,
  };
}
