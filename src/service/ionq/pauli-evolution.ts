/**
 * Gates of exp(−i·t·H) for a sum H of Pauli strings: the gate `pauliexp` of IonQ's interface.
 *
 * It is EVOLVE without error. A product formula would be an approximation that the caller did not ask for. The gates are
 * written out here, because the noise of IonQ's backends follows each of them.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import { InvalidCircuitError } from '../../circuit/errors.ts';
import type { GateObject } from '../../circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../circuit/gate-objects.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';

/** Pauli strings with coefficients, and the time of the evolution. */
export interface PauliEvolution {
  /** Strings of I, X, Y and Z, one character a target; the last character acts on `targets[0]`. */
  readonly terms: readonly string[];
  readonly coefficients: readonly number[];
  readonly time: number;
  readonly targets: readonly Qubit[];
}

/**
 * Gates of an evolution; undefined if its strings do not commute and act on more qubits than a unitary may. Strings of I
 * alone are a global phase, which is left out.
 *
 * @param mayTakeLong - Whether the exponential of a wide sum may be computed.
 * @throws {StepsSpentError} if it is needed and may not be computed.
 */
export function evolutionGates(
  { terms, coefficients, time, targets }: PauliEvolution,
  mayTakeLong: boolean,
): readonly GateObject[] | undefined {
  const hamiltonian = terms.flatMap((term, i) => {
    const pauli = [...term].flatMap((letter, at) =>
      letter === 'I' ? [] : [`${letter}${targets[term.length - 1 - at]}`],
    );
    return pauli.length === 0
      ? []
      : [{ pauli: pauli.join(' '), coefficient: coefficients[i] ?? 0 }];
  });
  if (hamiltonian.length === 0) return [];
  const numQubits = Math.max(...targets) + 1;
  const limits = {
    maxQubits: numQubits,
    maxGates: Number.MAX_SAFE_INTEGER,
    ...(!mayTakeLong && { maxSteps: 0 }),
  };
  try {
    const evolve = { gate: 'EVOLVE', hamiltonian, time };
    return gateObjectsFromCircuit(circuitFromGateObjects([evolve], { numQubits, limits }));
  } catch (error) {
    if (error instanceof InvalidCircuitError) return undefined;
    throw error;
  }
}
