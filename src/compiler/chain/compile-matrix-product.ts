/**
 * Compiles a circuit to be run on a matrix product state: wide gates are decomposed, qubits placed on a chain, and distant ones
 * brought together by swaps (`chain-router.ts`); then gates are fused and ordered (`chain-builder.ts`).
 */
import {
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  hasChannels,
  type Operation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import { applyToColumns, targetMatrix } from '../../circuit/operation-matrix.ts';
import { MatrixProductNoiseError } from '../errors.ts';
import { twoQubitForm } from '../native/two-qubit-form.ts';
import { stepsOf, trajectoryProgram } from '../noise/compile-trajectories.ts';
import { lastReadings } from '../noise/last-readings.ts';
import { absorbKnownStates } from '../passes/absorb-known-states.ts';
import { optimize } from '../passes/pipeline.ts';
import type {
  BondLimits,
  ChainStep,
  MatrixProductProgram,
  MatrixProductTrajectories,
  Measure,
} from '../program.ts';
import { ChainBuilder, MatrixList } from './chain-builder.ts';
import { ChainSegments, SiteMatrices, sweepsOf } from './chain-programs.ts';
import { ChainRouter } from './chain-router.ts';
import { isOnEachQubit } from './gate-front.ts';

/** Limits where a request has none. */
export const DEFAULT_BOND_LIMITS: BondLimits = {
  maxBondDimension: 256,
  truncationThreshold: 1e-12,
};

const PASSES = [absorbKnownStates];

/**
 * Compiles a circuit without channels for matrix product states; misread bits are no channels.
 *
 * Global phases are exact, but for those of gates on more than 12 qubits or three and more under a condition.
 */
export function compileMatrixProduct(
  circuit: DynamicCircuit,
  limits: Partial<BondLimits> = {},
): MatrixProductProgram {
  if (hasChannels(circuit)) throw new Error('unreachable: channels without trajectories');
  return compileGates(circuit, limits);
}

/**
 * The gates of a circuit on a chain, as `compileMatrixProduct` has them, for estimates. Channels are left out, but keep the gates
 * around them apart, as they are apart where noise acts between them.
 */
export function compileGates(
  circuit: DynamicCircuit,
  limits: Partial<BondLimits> = {},
): MatrixProductProgram {
  const { operations, finalLayout, ...readings } = onChain(circuit);
  const { numQubits, numBits, control } = circuit;
  const [builder, matrices] = [new ChainBuilder(numQubits), new MatrixList()];
  const known = new SiteMatrices();
  const steps: readonly ChainStep[] = stepsOf(operations, (gates) =>
    sweepsOf(gates, builder, matrices, known),
  );
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    steps,
    lastMeasures: readings.measures,
    lastMisreads: readings.misreads,
    lastAssignments: readings.assignments,
    matrices: matrices.all(),
    finalLayout,
    ...DEFAULT_BOND_LIMITS,
    ...limits,
  };
}

/**
 * Compiles a circuit with channels for trajectories on matrix product states. Sites of noise are in the order of the circuit, so
 * that shots draw the same noise as on state vectors.
 *
 * @throws {MatrixProductNoiseError} if a channel on three or more qubits is more than rare Pauli errors.
 */
export function compileMatrixProductTrajectories(
  circuit: DynamicCircuit,
  limits: Partial<BondLimits> = {},
): MatrixProductTrajectories {
  const { operations, finalLayout, measures, misreads, assignments } = onChain(circuit);
  const routed = [...operations, ...measures, ...misreads, ...assignments];
  return {
    ...trajectoryProgram({ ...circuit, operations: routed }, new ChainSegments(circuit)),
    finalLayout,
    ...DEFAULT_BOND_LIMITS,
    ...limits,
  };
}

/** A circuit on the sites of a chain, with its last readings apart. */
function onChain(circuit: DynamicCircuit) {
  const { numQubits } = circuit;
  // Gates on qubits that are still |0⟩ would count as if they entangled them. Noise leaves few such, and draws of shots depend on
  // what is measured and reset.
  const simplified = hasChannels(circuit)
    ? circuit
    : optimize(circuit, { keepState: true, passes: PASSES }).circuit;
  const { operations, measures, ...last } = lastReadings(
    withPairsOnly(simplified.operations, numQubits),
  );
  const { operations: routed, sites } = new ChainRouter(numQubits, operations).routed();
  const onSites = (measure: Measure) => ({
    ...measure,
    qubits: measure.qubits.map((q) => sites[q]!),
  });
  return { operations: routed, finalLayout: sites, measures: measures.map(onSites), ...last };
}

/** Whether a matrix product state takes a channel. */
export const takesChannel = (channel: Channel): boolean =>
  channel.numQubits <= 2 || isOnEachQubit(channel);

/** The operations with gates on at most two qubits, and without barriers. */
function withPairsOnly(
  operations: readonly DynamicOperation[],
  numQubits: number,
): readonly DynamicOperation[] {
  return operations.flatMap((operation): readonly DynamicOperation[] => {
    switch (operation.kind) {
      case 'barrier':
        return [];
      case 'noise':
        if (!takesChannel(operation.channel)) {
          throw new MatrixProductNoiseError(operation.channel.numQubits);
        }
        return [operation];
      case 'while':
        return [{ ...operation, body: withPairsOnly(operation.body, numQubits) }];
      case 'gate':
      case 'unitary': {
        const width = operation.controls.length + operation.targets.length;
        if (width > 0 && width <= 2) return [operation];
        if (width > 0) return pairDecomposition(operation, numQubits);
        const [re = 1, im = 0] = targetMatrix(operation);
        const { condition } = operation;
        return [{ ...phaseOn(0, [re, im]), ...(condition === undefined ? {} : { condition }) }];
      }
      default:
        return [operation];
    }
  });
}

type GateLike = GateOperation | UnitaryOperation;

/** Most qubits of a decomposition whose phase is computed: a state on them has 2^12 amplitudes. */
const MAX_PHASE_QUBITS = 12;

/**
 * Decomposes a gate on three or more qubits. The phase is exact on up to 12 qubits, those included that a gate with
 * many controls borrows.
 */
function pairDecomposition(operation: GateLike, numQubits: number): readonly Operation[] {
  const { operations } = twoQubitForm({ numQubits, numBits: 0, operations: [operation] });
  const parts = operations.filter(isGateLike);
  if (operation.condition !== undefined) return parts;
  const phase = phaseBetween(operation, parts);
  return phase === undefined ? parts : [...parts, phaseOn(operationQubits(operation)[0]!, phase)];
}

/** A global phase, as a gate on a qubit. */
function phaseOn(qubit: Qubit, [re, im]: readonly [number, number]): UnitaryOperation {
  const matrix = Float64Array.of(re, im, 0, 0, 0, 0, re, im);
  return { kind: 'unitary', controls: [], targets: [qubit], matrix };
}

function isGateLike(operation: Operation): operation is GateLike {
  return operation.kind === 'gate' || operation.kind === 'unitary';
}

/** The phase that the parts lack; undefined if it is 1, or unknown. */
function phaseBetween(
  whole: GateLike,
  parts: readonly GateLike[],
): readonly [number, number] | undefined {
  const qubits = [...new Set([whole, ...parts].flatMap(operationQubits))];
  if (qubits.length > MAX_PHASE_QUBITS) return undefined;
  const place = new Map(qubits.map((qubit, i) => [qubit, i]));
  const amplitudes = new Float64Array(2 * 2 ** qubits.length);
  amplitudes[0] = 1;
  const at = (qubit: Qubit) => place.get(qubit)!;
  for (const part of parts) {
    const placed = { ...part, controls: part.controls.map(at), targets: part.targets.map(at) };
    applyToColumns(amplitudes, 2 ** qubits.length, placed);
  }
  // The image of |0…0⟩: itself under controls, else the first column of the matrix.
  const matrix = whole.controls.length > 0 ? [1, 0] : targetMatrix(whole);
  const size = whole.controls.length > 0 ? 1 : 2 ** whole.targets.length;
  let [row, largest] = [0, 0];
  for (let i = 0; i < size; i++) {
    const mass = matrix[2 * i * size]! ** 2 + matrix[2 * i * size + 1]! ** 2;
    if (mass > largest) [row, largest] = [i, mass];
  }
  let from = 0;
  for (const [t, target] of whole.targets.entries()) {
    if (((row >> t) & 1) === 1) from += 2 * 2 ** at(target);
  }
  const [ar, ai] = [amplitudes[from]!, amplitudes[from + 1]!];
  const [br, bi] = [matrix[2 * row * size]!, matrix[2 * row * size + 1]!];
  const [re, im] = [br * ar + bi * ai, bi * ar - br * ai];
  const length = Math.hypot(re, im);
  if (Math.abs(re - length) < 1e-15 && Math.abs(im) < 1e-15) return undefined;
  return [re / length, im / length];
}
