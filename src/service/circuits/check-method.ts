/** Checks noise, method and outputs of a submission together, and chooses the method of its run. */
import { type DynamicCircuit, isNoisy } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { withoutDelays, withoutIdleResets } from '../../circuit/idle-resets.ts';
import { applyNoise } from '../../circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { type NoiseModel, readNoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { DELAY_IGNORED } from '../../circuit/openqasm/durations.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import type { BondLimits } from '../../compiler/program.ts';
import { chooseMethod } from '../../fleet/choose-method.ts';
import type { MethodName } from '../../fleet/method-names.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import {
  circuitWork,
  type MethodRequest,
  type RunMethod,
} from '../../fleet/schedule/scheduled-run.ts';
import {
  MAX_DENSITY_QUBITS,
  MAX_LISTED_QUBITS,
  MAX_MEMORY_SHOTS,
  type Output,
} from '../schemas/circuits.ts';

/** Method of a run, and why. */
export interface ChosenMethod extends MethodRequest {
  readonly method: RunMethod;
  /** A sentence with the figures. */
  readonly methodReason: string;
}

/** The method as a processor is asked for it; a circuit on one state needs none. */
export function methodRequestOf({ method, figures, bonds }: ChosenMethod): MethodRequest {
  return {
    ...(method !== 'statevector' && { method }),
    ...(figures !== undefined && { figures }),
    ...(bonds !== undefined && { bonds }),
  };
}

/** Reads the noise model of a body; undefined after adding its faults. */
export function readModel(noise: NoiseModelObject, faults: FaultList): NoiseModel | undefined {
  return readNoiseModel(noise, faults, NOISE_MODELS);
}

/** Attaches a noise model, if there is one, to a circuit with its final measurement. Then removes idle resets and delays. */
export function withModel(
  circuit: DynamicCircuit,
  model: NoiseModel | undefined,
  faults: FaultList,
): DynamicCircuit {
  const noisy = model === undefined ? circuit : applyNoise(circuit, model, faults);
  return withoutDelays(withoutIdleResets(noisy));
}

/** Warnings of a program that hold under a noise model: with idle qubits, delays have an effect. */
export function warningsUnder(
  model: NoiseModel | undefined,
  warnings: readonly ProgramWarning[],
): readonly ProgramWarning[] {
  if (model === undefined || model.idle.length === 0) return warnings;
  return warnings.filter(({ code }) => code !== DELAY_IGNORED);
}

/** Outputs that a state vector has exactly only without noise and without measurements in between. */
const EXACT: readonly string[] = [
  'probabilities',
  'expectation',
  'gradient',
  'probability',
  'variance',
];
/** Outputs that only a density matrix has. */
const OF_DENSITY: readonly string[] = ['density_matrix', 'purity'];
/** Outputs that need measurements at the end alone, unless the run has a density matrix. */
const NEEDS_FINAL_STATE: readonly string[] = [...EXACT, 'statevector', 'amplitudes'];

/** A submission as far as its method depends on it. */
interface MethodAsked {
  readonly circuit: DynamicCircuit;
  readonly noise?: NoiseModelObject | undefined;
  readonly shots?: number | undefined;
  readonly method?: MethodName | undefined;
  readonly max_bond_dimension?: number | undefined;
  readonly truncation_threshold?: number | undefined;
  /** As in `MethodQuestion`. */
  readonly typicalPoint?: (() => DynamicCircuit) | undefined;
  /** Whether estimates may take longer than a few milliseconds; true unless given. */
  readonly mayTakeLong?: boolean;
  readonly outputs: readonly string[];
  readonly results: readonly ProgramResult[];
}

/**
 * Chooses the method for a circuit, or adds the reason why there is none.
 *
 * @param spec - The target, with the widest state vector that it takes.
 */
export function checkMethod(
  given: MethodAsked,
  spec: ProcessorSpec,
  faults: FaultList,
): ChosenMethod | undefined {
  const { circuit, shots, method = 'automatic', noise, outputs, results } = given;
  const { typicalPoint, mayTakeLong = true } = given;
  const work = circuitWork(circuit);
  const asked = [...outputs, ...results.map(({ type }) => type)];
  if (spec.family === 'superconducting') return onHardware({ noise, method }, spec, faults);
  const densityOutput = asked.find((name) => OF_DENSITY.includes(name));
  const choice = chooseMethod(
    {
      circuit,
      work,
      shots: shots ?? 1,
      asked: method,
      outputs: asked,
      wantsExact: asked.some((name) => EXACT.includes(name)),
      ...(densityOutput !== undefined && { densityOutput }),
      bonds: bondLimitsOf(given),
      ...(typicalPoint !== undefined && { typicalPoint }),
      mayTakeLong,
    },
    spec,
  );
  if ('problem' in choice) {
    faults.add(choice.field, choice.problem, choice.isLimit ? LIMIT_EXCEEDED : undefined);
    return undefined;
  }
  checkOutputsOf(choice.method, isNoisy(circuit), outputs, faults);
  if (choice.method === 'trajectories' && shots === 1) {
    const values = asked.find((name) => name === 'expectation' || name === 'variance');
    const why = 'for the spread of its values over trajectories';
    if (values !== undefined) faults.add('shots', `At least 2 with ${values} and noise, ${why}.`);
  }
  const { reason: methodReason, ...chosen } = choice;
  checkBondFields(given, chosen.method, faults);
  return { ...chosen, methodReason };
}

/** Limits of bonds that a body sets. */
function bondLimitsOf(given: MethodAsked): Partial<BondLimits> {
  const { max_bond_dimension: maxBondDimension, truncation_threshold: truncationThreshold } = given;
  return {
    ...(maxBondDimension !== undefined && { maxBondDimension }),
    ...(truncationThreshold !== undefined && { truncationThreshold }),
  };
}

/** Refuses limits of bonds where another method is asked for. */
function checkBondFields(given: MethodAsked, method: RunMethod, faults: FaultList): void {
  if ((given.method ?? 'automatic') === 'automatic' || method === 'matrix_product_state') return;
  for (const name of ['max_bond_dimension', 'truncation_threshold'] as const) {
    if (given[name] === undefined) continue;
    faults.add(name, `Only taken with the method matrix_product_state or automatic.`);
  }
}

/** Hardware has its own errors, and gives counts. */
function onHardware(
  { noise, method }: Pick<MethodAsked, 'noise'> & { readonly method: MethodName },
  { id }: ProcessorSpec,
  faults: FaultList,
): ChosenMethod {
  if (noise !== undefined) faults.add('noise', `${id} takes no noise of the caller; qvm does.`);
  if (method !== 'automatic') faults.add('method', `${id} takes no method; qvm does.`);
  return { method: 'statevector', methodReason: `${id} runs state vectors.` };
}

/** Whether a method holds a pure state, which has amplitudes. */
export function isOfPureStates(method: RunMethod): boolean {
  return method === 'statevector' || method === 'matrix_product_state';
}

/** Refuses outputs that a method does not have. */
function checkOutputsOf(
  method: RunMethod,
  hasNoise: boolean,
  outputs: readonly string[],
  faults: FaultList,
): void {
  if (isOfPureStates(method)) return;
  const why = hasNoise ? 'with noise' : 'by the method density_matrix';
  const advice = hasNoise
    ? 'Ask for counts, probabilities or expectation, or for density_matrix on qvm, or leave the noise out.'
    : 'Ask for counts, probabilities, expectation or density_matrix, or for another method.';
  if (outputs.includes('statevector')) {
    faults.add('return', `There is no statevector ${why}. ${advice}`);
  }
  if (outputs.includes('amplitudes')) {
    faults.add('return', `There are no amplitudes ${why}. ${advice}`);
  }
  if (method !== 'trajectories') return;
  if (!outputs.includes('gradient')) return;
  const which = 'gradient with noise needs the method density_matrix';
  faults.add('return', `${which}, which qvm has for circuits that are narrow enough.`);
}

/** Whether values are read off one final state, and a circuit has none: it measures, resets or has conditions before the end. */
export function lacksFinalState(circuit: DynamicCircuit, method: RunMethod | undefined): boolean {
  return (method ?? 'statevector') === 'statevector' && circuitWork(circuit).isBranching;
}

/** Checks the sizes of outputs, and that the circuit has them. */
export function checkOutputLimits(
  circuit: DynamicCircuit,
  outputs: readonly Output[],
  shots: number | undefined,
  method: RunMethod | undefined,
  faults: FaultList,
): void {
  const { numQubits, numBits } = circuit;
  const isMidCircuit = lacksFinalState(circuit, method);
  for (const name of outputs) {
    if (!isMidCircuit || !NEEDS_FINAL_STATE.includes(name)) continue;
    const needs =
      'needs a circuit whose measurements are all last, without conditions and without resets of qubits in use';
    faults.add('return', `${name} ${needs}. Leave those out, or ask for counts.`);
  }
  const check = (name: Output, size: number, what: string, limit: number) => {
    if (!outputs.includes(name) || size <= limit) return;
    const problem = `${name} of ${size} ${what}; the limit for a JSON answer is ${limit}.`;
    faults.add('return', problem, LIMIT_EXCEEDED);
  };
  check('statevector', numQubits, 'qubits', MAX_LISTED_QUBITS);
  check('probabilities', numBits, 'measured bits', MAX_LISTED_QUBITS);
  check('density_matrix', numQubits, 'qubits', MAX_DENSITY_QUBITS);
  check('memory', shots ?? 0, 'shots', MAX_MEMORY_SHOTS);
}
