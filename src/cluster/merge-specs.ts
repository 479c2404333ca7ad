/** One processor of a cluster out of the processors of that id on its nodes. */
import type { ProcessorSpec } from '../fleet/processor.ts';
import type { RunMethod } from '../fleet/schedule/scheduled-run.ts';
import type { ReportedProcessor, ReportedSpec } from './node-status.ts';

/** A processor's limits on one node. */
export type NodeLimits = Pick<ReportedProcessor, 'spec' | 'maxUsedQubits'>;

/** Qubits of the widest state by method; a density matrix is a state of twice the qubits of its circuit. */
export interface WidthLimits {
  readonly maxQubits: number;
  /** Qubits of the widest trajectory. */
  readonly maxNoisyQubits: number;
  readonly maxDensityQubits: number;
}

/** Qubits of the widest state vector. */
export function widestState({ spec, maxUsedQubits = spec.maxQubits }: NodeLimits): number {
  return maxUsedQubits;
}

/**
 * Widths that a node takes, so that the precision of a density matrix is the same at all nodes: single only where the
 * widest node of the cluster has no room for double.
 *
 * @param widestOfAll - Qubits of the cluster's widest state vector.
 */
export function widthLimits(limits: NodeLimits, widestOfAll: number): WidthLimits {
  const maxQubits = widestState(limits);
  const { maxNoisyQubits = maxQubits, maxSingleQubits = maxQubits } = limits.spec;
  return {
    maxQubits,
    maxNoisyQubits,
    maxDensityQubits: widestOfAll > maxQubits ? maxQubits : Math.max(maxQubits, maxSingleQubits),
  };
}

/** Widest state of a method. */
export function widthFor(limits: WidthLimits, method: RunMethod): number {
  switch (method) {
    case 'statevector':
      return limits.maxQubits;
    case 'trajectories':
    case 'stabilizer':
    case 'matrix_product_state':
    case 'matrix_product_trajectories':
    case 'sparse':
    case 'pauli_propagation':
      return limits.maxNoisyQubits;
    case 'density_matrix':
      return limits.maxDensityQubits;
  }
}

/**
 * The processor of the cluster. Identity, limits of gates and shots and the device are this node's; widths are those of
 * the widest node; adapters and GPUs are those of all nodes together.
 *
 * @param own - The processor on this node.
 * @param sized - Nodes whose widths count, at least one.
 * @param running - Nodes that run circuits now; their hardware counts.
 */
export function mergeSpecs(
  own: ProcessorSpec,
  sized: readonly NodeLimits[],
  running: readonly NodeLimits[],
): ProcessorSpec {
  const [first, ...others] = sized;
  if (first === undefined) throw new Error('unreachable: a processor without a node');
  const isWider = (a: NodeLimits, b: NodeLimits) => widestState(a) > widestState(b);
  const widest = others.reduce((best, each) => (isWider(each, best) ? each : best), first);
  const most = (read: (spec: ReportedSpec) => number | undefined) => {
    const values = sized.flatMap(({ spec }) => read(spec) ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  const maxNoisyQubits = most((spec) => spec.maxNoisyQubits);
  const maxSingleQubits = most((spec) => spec.maxSingleQubits);
  const { stateMemory: _, ...identity } = own;
  const { target, stateMemory, maxQubits } = widest.spec;
  const isOnGpu = sized.some(({ spec }) => spec.execution === 'webgpu');
  return {
    ...identity,
    maxQubits,
    ...(maxNoisyQubits !== undefined && { maxNoisyQubits }),
    ...(maxSingleQubits !== undefined && { maxSingleQubits }),
    execution: isOnGpu ? 'webgpu' : widest.spec.execution,
    target,
    ...(stateMemory && { stateMemory }),
    ...(own.physicalGpus !== undefined && { physicalGpus: gpusOf(running) }),
    ...(own.adapters && { adapters: running.flatMap(({ spec }) => spec.adapters ?? []) }),
    ...(own.device && { device: deviceOf(own.device, widest) }),
  };
}

function deviceOf(
  { emulation, ...device }: NonNullable<ProcessorSpec['device']>,
  widest: NodeLimits,
): NonNullable<ProcessorSpec['device']> {
  if (emulation === undefined) return device;
  return { ...device, emulation: { ...emulation, maxUsedQubits: widestState(widest) } };
}

function gpusOf(parts: readonly NodeLimits[]): number {
  return parts.reduce((sum, { spec }) => sum + (spec.physicalGpus ?? 0), 0);
}
