/** Checks one program of a batch: its form, its circuit at all points, and what is asked of it. */

import { z } from 'zod';
import { CONSTANT, evaluateAngles } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  isNoisy,
  measuredQubits,
  withAngles,
  withFinalMeasurement,
} from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import {
  type InputColumns,
  inputColumns,
  inputPath,
  inputRows,
} from '../../circuit/input-columns.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { type PauliSum, parseObservables } from '../../circuit/observable.ts';
import { factsOf } from '../../circuit/outputs.ts';
import { readSweep, type Sweep, type SweepSource } from '../../circuit/read-sweep.ts';
import { FIELD_ADVICE } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { foundText } from '../../errors/wrong-values.ts';
import { circuitWork } from '../../fleet/schedule/scheduled-run.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import {
  attempt,
  checkOutcomeBits,
  checkShots,
  checkSource,
  readLimitsOf,
  sizedSpec,
  type Target,
} from '../circuits/check-circuit.ts';
import {
  type ChosenMethod,
  checkMethod,
  warningsUnder,
  withModel,
} from '../circuits/check-method.ts';
import { checkAsked, checkFields } from '../circuits/check-outputs.ts';
import {
  type EmulationRequest,
  namesDeviceQubits,
  numReadableQubits,
  observedQubits,
  onObserved,
} from '../circuits/emulated-circuit.ts';
import { emulatedDeviceOf, readNoise } from '../circuits/emulated-noise.ts';
import { checkResultsOfBatch, fieldsOf } from '../circuits/program-results.ts';
import { headOf, walkedForm } from '../circuits/read-circuit.ts';
import {
  BATCH_OUTPUTS,
  type BatchBody,
  type BatchOutput,
  type ProgramBody,
  programBody,
} from '../schemas/batches.ts';
import { type CheckedProgram, isEstimated, type ProgramGroup } from './batch-program.ts';
import { checkBatchDevice, emulatedGroups } from './check-batch-device.ts';
import { unpackedInputs } from './packed-inputs.ts';

/** The fields of a batch that are of good form. */
export type BatchParts = { readonly [K in keyof BatchBody]?: BatchBody[K] | undefined };

/** Inputs are checked without a schema, which would walk a million numbers. */
const programHead = headOf(programBody).extend({
  inputs: z.record(z.string(), z.unknown()).optional(),
});

/** Fields of a circuit that no program of a batch has. */
const OF_CIRCUITS: readonly string[] = [
  'basis_states',
  'detectors',
  'logical_observables',
  'detector_error_model',
];
FIELD_ADVICE.add(programHead, {
  advise: (_, field) =>
    OF_CIRCUITS.includes(field)
      ? `Programs of a batch have no ${field}; circuits do, at POST /api/v1/quantum/circuits.`
      : undefined,
});

/** Check of one program against the defaults of its batch and a target. */
export class ProgramCheck {
  readonly #batch: BatchParts;
  readonly #target: Target | undefined;
  readonly #limits: CircuitLimits;
  readonly #faults: FaultList;
  readonly #noise: NoiseModel | undefined;

  /** @param noise - Model of the batch; a program may have its own. */
  constructor(
    batch: BatchParts,
    target: Target | undefined,
    limits: CircuitLimits,
    faults: FaultList,
    noise: NoiseModel | undefined,
  ) {
    this.#batch = batch;
    this.#noise = noise;
    this.#target = target;
    this.#limits = limits;
    this.#faults = faults;
  }

  /** The program; undefined if it has faults. */
  check(value: unknown): CheckedProgram | undefined {
    const faults = this.#faults;
    if (!isJsonObject(value)) {
      faults.add('', `A program is a JSON object, not ${foundText(value)}.`);
      return undefined;
    }
    const { maxGates } = this.#limits;
    const form = walkedForm(value, programHead, maxGates, ['inputs']);
    for (const { path, message, code } of form.faults) faults.add(path, message, code);
    if (form.faults.length > 0) return undefined;
    // The cast is safe: the form has no faults, but inputs are still as they came.
    const program = { ...form.fields, ...form.lists } as ProgramParts;
    checkSource(form.given, faults);
    const given = unpackedInputs(program.inputs ?? {}, faults);
    const inputs = attempt(faults, () => inputColumns(given));
    const source = sourceOf(program);
    if (inputs === undefined || source === undefined || faults.count > 0) return undefined;
    const noise =
      program.noise === undefined
        ? this.#noise
        : readNoise(program.noise, this.#target?.spec, faults);
    const limits = readLimitsOf(this.#target, this.#limits);
    const sweep = attempt(faults, () => readSweep(source, inputs, limits));
    if (sweep !== undefined) return this.#withSweep(program, sweep, noise);
    this.#checkMostShots(program.shots ?? this.#batch.shots);
    return undefined;
  }

  #withSweep(
    program: ProgramParts,
    sweep: Sweep,
    noise: NoiseModel | undefined,
  ): CheckedProgram | undefined {
    const faults = this.#faults;
    const device = emulatedDeviceOf(this.#target?.spec);
    const written = sweep.groups.map(({ circuit, formulas, points }) => ({
      circuit: withFinalMeasurement(circuit),
      formulas,
      points,
    }));
    const [{ circuit }] = written as [ProgramGroup];
    const { numQubits, numBits } = circuit;
    const uneven = written.find(
      (group) => group.circuit.numQubits !== numQubits || group.circuit.numBits !== numBits,
    );
    if (uneven !== undefined) {
      const point = uneven.points?.[0] ?? 0;
      const problem = `All points of a program have the same number of qubits and classical bits: point 0 has ${numQubits} and ${numBits}, point ${point} has ${uneven.circuit.numQubits} and ${uneven.circuit.numBits}.`;
      faults.add('inputs', problem);
      return undefined;
    }
    const { results } = sweep.groups[0]!;
    const observables = attempt(faults, () =>
      parseObservables(
        [...(program.observables ?? []), ...results.observables],
        numReadableQubits(circuit, device),
        'observables',
      ),
    );
    if (observables === undefined) return undefined;
    const filled = fieldsOf(results.results, numQubits);
    checkResultsOfBatch(results.results, numQubits, faults);
    const outputs = this.#outputs(program, filled, observables);
    const shots = program.shots ?? this.#batch.shots;
    const source = program.qasm === undefined ? 'circuit' : 'qasm';
    if (this.#target !== undefined && faults.count === 0) {
      checkBatchDevice(written, { outputs, shots, source }, this.#target.spec, faults);
    }
    const observed = device && observedQubits(observables);
    const groups =
      device === undefined || observed === undefined
        ? written.map((group) => ({ ...group, circuit: withModel(group.circuit, noise, faults) }))
        : this.#emulatedGroups(written, sweep, {
            outputs,
            observed,
            noise,
            device,
            source,
            isPlaced: namesDeviceQubits(program.qasm),
          });
    if (groups === undefined) return undefined;
    const chosen = this.#method(program, groups, sweep.inputs, { outputs, shots });
    const { method } = chosen;
    const asked = { outputs, method, ...(shots !== undefined && { shots }) };
    this.#checkShots(asked, circuit);
    for (const group of groups)
      checkAsked(group.circuit, { ...asked, results: [] }, method, faults);
    // Where there is no method, that is said already.
    const byAdjoint = method === 'statevector' && !isEstimated(asked) && faults.count === 0;
    if (outputs.includes('gradient') && byAdjoint) {
      const most = device?.emulation.maxUsedQubits ?? this.#limits.maxQubits;
      this.#checkGradientWidth(groups[0]!.circuit.numQubits, most - 1);
    }
    const gradientInputs = this.#gradientInputs(program, outputs, sweep);
    if (faults.count > 0) return undefined;
    const { name, seed } = program;
    return {
      ...(name !== undefined && { name }),
      ...chosen,
      groups,
      inputs: sweep.inputs,
      numQubits,
      numBits,
      measuredQubits: measuredQubits(circuit),
      outputs,
      observables: observed === undefined ? observables : onObserved(observables, observed),
      gradientInputs,
      ...(shots !== undefined && { shots }),
      ...(seed !== undefined && { seed }),
      arrayFormat: program.array_format ?? this.#batch.array_format ?? 'json',
      warnings: warningsUnder(noise, sweep.warnings),
    };
  }

  /** The circuits that an emulated device runs; undefined if there are faults. */
  #emulatedGroups(
    groups: readonly ProgramGroup[],
    { inputs }: Sweep,
    {
      outputs,
      noise,
      ...rest
    }: Pick<EmulationRequest, 'observed' | 'device' | 'source' | 'isPlaced'> & {
      readonly outputs: readonly BatchOutput[];
      readonly noise: NoiseModel | undefined;
    },
  ): readonly ProgramGroup[] | undefined {
    if (this.#faults.count > 0 || noise === undefined) return undefined;
    const request = {
      ...rest,
      noise,
      id: this.#target?.spec.id ?? '',
      isRead: outputs.some((name) => factsOf(name).reads !== 'state'),
      mayTakeLong: this.#limits.maxSteps === undefined,
    };
    return emulatedGroups(groups, inputs, outputs, request, this.#faults);
  }

  /** Results that are asked for, in the order of the answer. */
  #outputs(
    program: ProgramParts,
    ofText: readonly BatchOutput[],
    observables: readonly PauliSum[],
  ): readonly BatchOutput[] {
    const hasObservables = observables.length > 0;
    const byDefault: readonly BatchOutput[] = [hasObservables ? 'expectation' : 'counts'];
    const ofProgram = program.return ?? this.#batch.return;
    const asked = ofProgram ?? (ofText.length > 0 ? [] : byDefault);
    const all = [...asked, ...ofText.filter((name) => !asked.includes(name))];
    checkFields('batch', all, hasObservables ? ['observables'] : [], this.#faults);
    return BATCH_OUTPUTS.filter((name) => all.includes(name));
  }

  /** Method of all points: that of the first circuit with noise, or else of one that measures in mid-circuit. */
  #method(
    program: ProgramParts,
    groups: readonly ProgramGroup[],
    inputs: InputColumns,
    asked: Pick<Parameters<typeof checkMethod>[0], 'outputs' | 'shots'>,
  ): ChosenMethod {
    const batch = this.#batch;
    const { method = batch.method, noise = batch.noise } = program;
    const { max_bond_dimension = batch.max_bond_dimension } = program;
    const { truncation_threshold = batch.truncation_threshold } = program;
    const given = { method, noise, max_bond_dimension, truncation_threshold };
    const mayTakeLong = this.#limits.maxSteps === undefined;
    const group =
      groups.find(({ circuit }) => isNoisy(circuit)) ??
      groups.find(({ circuit }) => circuitWork(circuit).isBranching) ??
      groups[0]!;
    const { circuit } = group;
    // Where all points run the same gates at the same angles, the circuit has them.
    const isOne = inputs.numPoints === 1 || group.formulas.results.every((at) => at === CONSTANT);
    const typicalPoint = groups.length === 1 && isOne ? undefined : () => typicalOf(group, inputs);
    const chosen =
      this.#target &&
      checkMethod(
        { circuit, ...given, results: [], ...asked, typicalPoint, mayTakeLong },
        sizedSpec(this.#target, this.#limits),
        this.#faults,
      );
    return chosen ?? { method: 'statevector', methodReason: '' };
  }

  #checkShots(
    { outputs, shots, method }: Pick<CheckedProgram, 'outputs' | 'shots' | 'method'>,
    circuit: DynamicCircuit,
  ): void {
    if (shots === undefined) {
      if (outputs.includes('counts')) this.#faults.add('shots', 'Required: return has "counts".');
      else if (method === 'trajectories') {
        const problem = 'Required: with noise, values are means over the trajectories of shots.';
        this.#faults.add('shots', problem);
      }
      return;
    }
    if (isEstimated({ shots, outputs, method }) && shots < 2) {
      this.#faults.add('shots', 'At least 2, for the standard error of an estimated expectation.');
    }
    this.#checkMostShots(shots);
    checkOutcomeBits(circuit, shots, this.#faults);
  }

  #checkMostShots(shots: number | undefined): void {
    if (this.#target?.available) checkShots(shots, this.#target.spec, this.#faults);
  }

  #checkGradientWidth(numQubits: number, most: number): void {
    if (numQubits <= most) return;
    const problem = `gradient of ${numQubits} qubits; it holds two states, so the limit is ${most}, one less than max_qubits.`;
    this.#faults.add('return', problem, LIMIT_EXCEEDED);
  }

  #gradientInputs(
    program: ProgramParts,
    outputs: readonly BatchOutput[],
    { inputs, derivativeFaults, groups }: Sweep,
  ): readonly number[] {
    const faults = this.#faults;
    if (!outputs.includes('gradient')) {
      if (program.gradient_inputs !== undefined) {
        faults.add('gradient_inputs', 'Only taken where return has "gradient".');
      }
      return [];
    }
    const { names, columns } = inputs;
    const ofText = groups[0]?.results.results.find((result) => result.type === 'adjoint_gradient');
    const isOfText = program.gradient_inputs === undefined && ofText?.inputs !== undefined;
    const asked = program.gradient_inputs ?? ofText?.inputs ?? this.#batch.gradient_inputs;
    const addAt = (i: number, problem: string) => {
      if (isOfText) faults.add('qasm', `OpenQASM line ${ofText.line}: ${problem}`);
      else faults.add(`gradient_inputs[${i}]`, problem);
    };
    const numeric = [...names.keys()].filter((i) => columns[i]?.kind === 'number');
    const chosen = asked === undefined ? numeric : chosenInputs(asked, inputs, addAt);
    if (asked === undefined && numeric.length === 0) {
      const problem =
        'gradient is by the inputs of a program, and this one has no numbers among its inputs.';
      faults.add('return', problem);
    }
    for (const { input, message } of derivativeFaults) {
      if (!chosen.includes(input)) continue;
      if (asked === undefined) {
        const problem = `${message} So there is no derivative by it, and gradient is by all numbers among the inputs, unless gradient_inputs names some.`;
        faults.add(inputPath(names[input]!), problem);
      } else {
        addAt(asked.indexOf(names[input]!), `${message} So there is no derivative by it.`);
      }
    }
    return chosen;
  }
}

/** Where the point lies whose angles stand for those of all: at neither end nor in the middle, where angles are often 0. */
const TYPICAL_PLACE = 0.62;

/** The circuit of a point that stands for all points of a group. */
function typicalOf({ circuit, formulas, points }: ProgramGroup, inputs: InputColumns) {
  const at = Math.floor(TYPICAL_PLACE * (points?.length ?? inputs.numPoints));
  return withAngles(circuit, evaluateAngles(formulas, inputRows(inputs, points, at, at + 1), 1));
}

/**
 * Indices of inputs by their names.
 *
 * @param addAt - Adds the fault of a name by its index.
 */
function chosenInputs(
  asked: readonly string[],
  { names, columns }: InputColumns,
  addAt: (i: number, problem: string) => void,
): readonly number[] {
  const places = new Map(names.map((name, i) => [name, i]));
  const chosen = new Set<number>();
  for (const [i, name] of asked.entries()) {
    const input = places.get(name);
    if (input === undefined) {
      const known = didYouMean(name, names);
      addAt(i, `The program has no input ${JSON.stringify(name)}.${known}`);
    } else if (columns[input]!.kind !== 'number') {
      const { kind } = columns[input]!;
      addAt(i, `The input ${JSON.stringify(name)} is a ${kind}, not a number.`);
    } else if (chosen.has(input)) addAt(i, `${name} is named twice.`);
    else chosen.add(input);
  }
  return [...chosen];
}

/** A program of good form, with inputs as they came. */
type ProgramParts = Omit<ProgramBody, 'inputs'> & {
  readonly inputs?: Readonly<Record<string, unknown>>;
};

function sourceOf({ circuit, qasm, qubits }: ProgramParts): SweepSource | undefined {
  const width = qubits === undefined ? {} : { qubits };
  if (circuit !== undefined) return { circuit, ...width };
  return qasm === undefined ? undefined : { qasm, ...width };
}
