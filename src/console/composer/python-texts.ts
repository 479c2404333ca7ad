/**
 * The circuit as a Python program for Qiskit, Cirq and PennyLane, as people write them. Inputs are parameters, and gates
 * that a framework lacks are written as their matrices, at the values of their inputs.
 */
import type { MatrixRows } from '../live-state/messages.ts';
import { CIRQ, CIRQ_TURNS, cirqText } from './cirq-text.ts';
import {
  type EditedCircuit,
  type Step,
  takesControls,
  withoutOpenControls,
} from './edited-circuit.ts';
import { PENNYLANE, PENNYLANE_INVERSES, pennylaneText } from './pennylane-text.ts';
import { type Framework, UnwritableGateError, type Values, withValues } from './python-parts.ts';
import { QISKIT, qiskitText } from './qiskit-text.ts';

/**
 * Writes a program that builds the circuit.
 *
 * @param inputs - Values of inputs.
 * @param matrices - Matrix of each gate on its targets, in order; the first target is least significant.
 * @param origin - Address of the service that the program runs the circuit at; by default it runs where it is.
 * @throws {UnwritableGateError}
 */
export function pythonText(
  framework: Framework,
  circuit: EditedCircuit,
  inputs: Values,
  matrices: readonly MatrixRows[],
  origin?: string,
): string {
  const evolution = circuit.steps.find((step) => step.evolution !== undefined);
  if (evolution !== undefined) {
    const why = 'is not written here for this gate, which POST /quantum/compile writes out';
    throw new UnwritableGateError(framework, evolution, why);
  }
  let numGates = 0;
  const steps = withoutOpenControls(circuit.steps).map((step) => {
    const matrix = takesControls(step) ? matrices[numGates++] : undefined;
    if (step.name === 'GPHASE' && step.controls.length > 0) return phaseStep(step);
    if (matrix !== undefined && !isKnown(framework, step)) return matrixStep(step, matrix);
    // Cirq has this gate as a function of numbers.
    return framework === 'Cirq' && step.name === 'U' ? withValues(step, inputs) : step;
  });
  const written = { ...circuit, steps };
  switch (framework) {
    case 'Qiskit':
      return qiskitText(written, inputs, origin);
    case 'Cirq':
      return cirqText(written, inputs, origin);
    case 'PennyLane':
      return pennylaneText(written, inputs, origin);
  }
}

/** Whether a framework has a gate, whatever its controls. */
function isKnown(framework: Framework, { name }: Step): boolean {
  if (name === 'UNITARY') return true;
  switch (framework) {
    case 'Qiskit':
      return name === 'GPHASE' || Object.hasOwn(QISKIT, name);
    case 'Cirq':
      return Object.hasOwn(CIRQ, name) || Object.hasOwn(CIRQ_TURNS, name);
    case 'PennyLane':
      return Object.hasOwn(PENNYLANE, name) || Object.hasOwn(PENNYLANE_INVERSES, name);
  }
}

/** A global phase under controls is a phase of the last one. */
function phaseStep(step: Step): Step {
  const { controls, angles } = step;
  const theta = angles.gamma ?? 0;
  return {
    ...step,
    name: 'P',
    controls: controls.slice(0, -1),
    targets: controls.slice(-1),
    angles: { theta },
  };
}

/** The gate as its matrix. That of a global phase is on a qubit. */
function matrixStep(step: Step, matrix: MatrixRows): Step {
  const unitary = { ...step, name: 'UNITARY', angles: {} };
  const phase = matrix.length === 1 ? matrix[0]?.[0] : undefined;
  if (phase === undefined) return { ...unitary, matrix };
  const onQubit: MatrixRows = [
    [phase, [0, 0]],
    [[0, 0], phase],
  ];
  return { ...unitary, targets: step.targets.slice(0, 1), matrix: onQubit };
}
