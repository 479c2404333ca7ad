/** Checks noise, method and outputs of a submission together, and chooses the method of its run. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { withoutDelays, withoutIdleResets } from '../../circuit/idle-resets.ts';
import { lowerLoss } from '../../circuit/loss/lower-loss.ts';
import { applyNoise } from '../../circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { type NoiseModel, readNoiseModel } from '../../circuit/noise/read-noise-model.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import { DELAY_IGNORED } from '../../circuit/openqasm/durations.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { factsOf, type OutputName } from '../../circuit/outputs.ts';
import { NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import type { BondLimits, PauliLimits } from '../../compiler/program.ts';
import { chooseMethod } from '../../fleet/choose-method.ts';
import { nameOfMethod } from '../../fleet/method-limits.ts';
import type { MethodName, RunMethodName } from '../../fleet/method-names.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import {
  circuitWork,
  type MethodRequest,
  type RunMethod,
} from '../../fleet/schedule/scheduled-run.ts';
import { type Asked, namesOf } from './check-outputs.ts';

/** Method of a run, and why. */
export interface ChosenMethod extends MethodRequest {
  readonly method: RunMethod;
  /** A sentence with the figures. */
  readonly methodReason: string;
}

/** The method as a processor is asked for it; a circuit on one state needs none. */
export function methodRequestOf({ method, figures, bonds, paulis }: ChosenMethod): MethodRequest {
  return {
    ...(method !== 'statevector' && { method }),
    ...(figures !== undefined && { figures }),
    ...(bonds !== undefined && { bonds }),
    ...(paulis !== undefined && { paulis }),
  };
}

/** Reads the noise model of a body; undefined after adding its faults. */
export function readModel(noise: NoiseModelObject, faults: FaultList): NoiseModel | undefined {
  return readNoiseModel(noise, faults, NOISE_MODELS);
}

/**
 * Attaches the noise model, if any, to a circuit with final measurement; lowers losses, and removes idle resets and
 * delays.
 *
 * @param outputs - Outputs that are asked for.
 */
export function withModel(
  circuit: DynamicCircuit,
  model: NoiseModel | undefined,
  outputs: readonly OutputName[],
  faults: FaultList,
): DynamicCircuit {
  const noisy = model === undefined ? circuit : applyNoise(circuit, model, faults);
  const readsState = outputs.some((name) => factsOf(name).reads === 'state');
  // Before resets go: a qubit that is |0⟩ may be lost all the same.
  const present = lowerLoss(noisy, { rules: model?.loss ?? [], readsState });
  return withoutDelays(withoutIdleResets(present));
}

/** Warnings of a program that hold under a noise model: with idle qubits, delays have an effect. */
export function warningsUnder(
  model: NoiseModel | undefined,
  warnings: readonly ProgramWarning[],
): readonly ProgramWarning[] {
  if (model === undefined || model.idle.length === 0) return warnings;
  return warnings.filter(({ code }) => code !== DELAY_IGNORED);
}

/** Fields of a body that decide its method. */
export interface MethodFields {
  readonly noise?: NoiseModelObject | undefined;
  readonly method?: MethodName | undefined;
  readonly max_bond_dimension?: number | undefined;
  readonly truncation_threshold?: number | undefined;
  readonly approximate?: boolean | undefined;
  readonly max_terms?: number | undefined;
  readonly min_coefficient?: number | undefined;
  readonly max_weight?: number | undefined;
}

/** A submission as far as its method depends on it. */
interface MethodAsked extends Asked, MethodFields {
  readonly circuit: DynamicCircuit;
  /** As in `MethodQuestion`. */
  readonly typicalPoint?: (() => DynamicCircuit) | undefined;
  /** As in `MethodQuestion`. */
  readonly whyAsked?: string | undefined;
  /** As in `MethodQuestion`. */
  readonly sums?: readonly PauliSum[] | undefined;
  /** Whether estimates may take longer than a few milliseconds; true unless given. */
  readonly mayTakeLong?: boolean;
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
  const { circuit, shots, method = 'automatic', noise } = given;
  const { typicalPoint, whyAsked, sums, mayTakeLong = true } = given;
  const work = circuitWork(circuit);
  if (spec.family === 'superconducting') return onHardware({ noise, method }, spec, faults);
  const choice = chooseMethod(
    {
      circuit,
      work,
      shots: shots ?? 1,
      asked: method,
      outputs: namesOf(given),
      bonds: bondLimitsOf(given),
      paulis: pauliLimitsOf(given),
      ...(typicalPoint !== undefined && { typicalPoint }),
      ...(whyAsked !== undefined && { whyAsked }),
      ...(sums !== undefined && { observables: sums }),
      mayTakeLong,
    },
    spec,
  );
  if ('problem' in choice) {
    faults.add(choice.field, choice.problem, choice.isLimit ? LIMIT_EXCEEDED : undefined);
    return undefined;
  }
  const { reason: methodReason, ...chosen } = choice;
  checkOwnFields(given, chosen.method, faults);
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

/** Limits of Pauli propagation that a body sets. */
function pauliLimitsOf(given: MethodAsked): Partial<PauliLimits> {
  const { approximate, max_terms: maxTerms } = given;
  const { min_coefficient: minCoefficient, max_weight: maxWeight } = given;
  return {
    ...(approximate !== undefined && { isApproximate: approximate }),
    ...(maxTerms !== undefined && { maxTerms }),
    ...(minCoefficient !== undefined && { minCoefficient }),
    ...(maxWeight !== undefined && { maxWeight }),
  };
}

/** Fields that one method has. */
const OWN_FIELDS = {
  max_bond_dimension: 'matrix_product_state',
  truncation_threshold: 'matrix_product_state',
  approximate: 'pauli_propagation',
  max_terms: 'pauli_propagation',
  min_coefficient: 'pauli_propagation',
  max_weight: 'pauli_propagation',
} as const;

/** Refuses limits of one method where another is asked for, and those that leave strings out without consent. */
function checkOwnFields(given: MethodAsked, method: RunMethod, faults: FaultList): void {
  for (const name of ['min_coefficient', 'max_weight'] as const) {
    if (given[name] === undefined || given.approximate === true) continue;
    faults.add(name, 'Only taken with "approximate": true, because it leaves Pauli strings out.');
  }
  if ((given.method ?? 'automatic') === 'automatic') return;
  for (const [name, own] of Object.entries(OWN_FIELDS) as readonly [
    keyof typeof OWN_FIELDS,
    RunMethodName,
  ][]) {
    if (given[name] === undefined || nameOfMethod(method) === own) continue;
    faults.add(name, `Only taken with the method ${own} or automatic.`);
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
