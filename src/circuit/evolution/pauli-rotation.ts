/** Gates of exp(−i·θ/2·P) for a Pauli string P. */
import type { GateOperation, Qubit } from '../circuit.ts';
import type { PauliFactor } from '../observable.ts';

/** Gates, one of which has the angle of the rotation. */
export interface RotationGates {
  readonly before: readonly GateOperation[];
  /** Without its angle. */
  readonly rotation: GateOperation;
  /** Angle of the rotation's gate as a multiple of θ: −½ for a global phase, else 1. */
  readonly scale: number;
  readonly after: readonly GateOperation[];
}

/**
 * Gates of the rotation about a Pauli string under controls. Only the gate with the angle is controlled, since the
 * others undo each other.
 *
 * One and two equal Paulis have gates of their own, and so have Z and X; other strings are turned into Z on all of
 * their qubits, whose parity is then collected on the last one.
 */
export function rotationGates(
  factors: readonly PauliFactor[],
  controls: readonly Qubit[],
): RotationGates {
  const named = namedRotation(factors);
  if (named !== undefined) {
    const { gate, targets } = named;
    const rotation = { kind: 'gate', gate, controls, targets, angles: [] } as const;
    return { before: [], rotation, scale: gate === 'GPHASE' ? -1 / 2 : 1, after: [] };
  }
  const qubits = factors.map(({ qubit }) => qubit);
  const toZ = factors.flatMap(({ pauli, qubit }) => fixed(TO_Z[pauli], qubit));
  const fromZ = factors.flatMap(({ pauli, qubit }) => fixed(FROM_Z[pauli], qubit));
  const ladder = qubits.slice(1).map(
    (target, i): GateOperation => ({
      kind: 'gate',
      gate: 'CX',
      controls: [qubits[i]!],
      targets: [target],
      angles: [],
    }),
  );
  const targets = [qubits.at(-1)!];
  return {
    before: [...toZ, ...ladder],
    rotation: { kind: 'gate', gate: 'RZ', controls, targets, angles: [] },
    scale: 1,
    after: [...ladder.toReversed(), ...fromZ],
  };
}

/** The gate of the table that is the rotation. */
function namedRotation(
  factors: readonly PauliFactor[],
): { readonly gate: string; readonly targets: readonly Qubit[] } | undefined {
  const [first, second] = factors;
  if (first === undefined) return { gate: 'GPHASE', targets: [] };
  if (second === undefined) return { gate: `R${first.pauli}`, targets: [first.qubit] };
  if (factors.length > 2) return undefined;
  const targets = [first.qubit, second.qubit];
  const both = first.pauli + second.pauli;
  if (first.pauli === second.pauli) return { gate: `R${both}`, targets };
  if (both === 'ZX') return { gate: 'RZX', targets };
  return both === 'XZ' ? { gate: 'RZX', targets: targets.toReversed() } : undefined;
}

/** Gates that turn a Pauli into Z, and back: X = H·Z·H and Y = √X†·Z·√X. */
const TO_Z = { X: 'H', Y: 'SX', Z: undefined } as const;
const FROM_Z = { X: 'H', Y: 'SXDG', Z: undefined } as const;

function fixed(gate: string | undefined, target: Qubit): readonly GateOperation[] {
  if (gate === undefined) return [];
  return [{ kind: 'gate', gate, controls: [], targets: [target], angles: [] }];
}
