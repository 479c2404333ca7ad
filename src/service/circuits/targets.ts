/** Processors as the targets of submissions: their ids, their current limits, and the limits of reading for them. */
import {
  type CircuitLimits,
  DEFAULT_MAX_ROUNDS,
  MAX_CIRCUIT_QUBITS,
} from '../../circuit/circuit-limits.ts';
import type { FaultList } from '../../circuit/errors.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { isSimulator, type Processor, type ProcessorSpec } from '../../fleet/processor.ts';
import type { ProcessorDirectory } from '../directories.ts';

/** Properties of a processor that submissions are checked against. */
export interface Target {
  readonly spec: ProcessorSpec;
  readonly available: boolean;
}

/** Current state of the processors as targets, as plain data for a thread. */
export function targetsOf(fleet: ProcessorDirectory): readonly Target[] {
  return fleet.processors.map((processor) => ({
    spec: processor.spec,
    available: processor.availability().available,
  }));
}

/**
 * Processors as targets that read a processor's state only when it is first needed, because a submission
 * concerns one processor.
 */
export function liveTargetsOf(fleet: ProcessorDirectory): readonly Target[] {
  return fleet.processors.map((processor) => new LiveTarget(processor));
}

class LiveTarget implements Target {
  readonly #processor: Processor;
  #spec: ProcessorSpec | undefined;
  #available: boolean | undefined;

  constructor(processor: Processor) {
    this.#processor = processor;
  }

  get spec(): ProcessorSpec {
    this.#spec ??= this.#processor.spec;
    return this.#spec;
  }

  get available(): boolean {
    this.#available ??= this.#processor.availability().available;
    return this.#available;
  }
}

/** The processor of that name; undefined after adding a fault where there is none. */
export function checkTarget(
  id: string | undefined,
  targets: readonly Target[],
  faults: FaultList,
): Target | undefined {
  if (id === undefined) return undefined;
  const target = targets.find(({ spec }) => spec.id === id);
  if (target === undefined) {
    const known = targets.map(({ spec }) => spec.id);
    const problem = `There is no processor ${JSON.stringify(id)}; there are ${known.join(', ')}.`;
    faults.add('target_processor', `${problem}${didYouMean(id, known)}`);
  }
  return target;
}

/**
 * Limits of the target. If it is unknown or unavailable, those of the widest processor are used: an offline
 * processor may have no limits, and its caller should learn that it is offline. Other emulated devices do not count,
 * because they simulate only some of their qubits.
 */
export function limitsOf(target: Target | undefined, targets: readonly Target[]): CircuitLimits {
  const others = targets.filter(({ spec }) => spec.device?.emulation === undefined);
  const given = target === undefined ? [] : [target];
  const specs = (target?.available ? given : [...given, ...others]).map(({ spec }) => spec);
  const maxQubits = Math.max(1, ...specs.map((spec) => spec.maxQubits));
  const stateMemory = specs.find((spec) => spec.maxQubits === maxQubits)?.stateMemory;
  return {
    maxQubits,
    maxGates: Math.max(1, ...specs.map((spec) => spec.maxGates)),
    maxRounds: Math.max(...specs.map((spec) => spec.maxRounds ?? DEFAULT_MAX_ROUNDS)),
    ...(stateMemory === undefined ? {} : { stateMemory }),
    ...widerElsewhere(target, targets),
  };
}

/** Hint for a circuit that is too wide for a simulator of state vectors alone. */
function widerElsewhere(
  target: Target | undefined,
  targets: readonly Target[],
): Pick<CircuitLimits, 'widerElsewhere'> {
  if (target === undefined || !isSimulator(target)) return {};
  const wide = targets.find(({ spec }) => spec.family === 'qvm');
  return wide === undefined ? {} : { widerElsewhere: `${wide.spec.id} ${TAKES_WIDER}` };
}

const TAKES_WIDER = `takes up to ${MAX_CIRCUIT_QUBITS.toLocaleString('en-US')} qubits of circuits that are Clifford or little entangled.`;

/** Limits of reading: a processor that chooses methods says itself which of them take a wide circuit. */
export function readLimitsOf(target: Target | undefined, limits: CircuitLimits): CircuitLimits {
  if (target?.spec.family !== 'qvm') return limits;
  const { stateMemory: _, ...others } = limits;
  return { ...others, maxQubits: MAX_CIRCUIT_QUBITS };
}

/** The target with the width limit that its circuits are checked against. */
export function sizedSpec({ spec }: Target, { maxQubits }: CircuitLimits): ProcessorSpec {
  return { ...spec, maxQubits };
}
