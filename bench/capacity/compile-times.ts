/**
 * Compile times by kind of circuit. If the service was sent such circuits, they are the times it reported for
 * circuits new to it; otherwise they are measured in this process, after a warm-up: the first circuits of a
 * process take several times as long, until the compiler itself is compiled.
 */
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import { circuitWork } from '../../src/fleet/schedule/scheduled-run.ts';
import { type MixClass, mirrorCircuit } from './circuit-mix.ts';
import type { Costs, ServiceMeasurement } from './measure-load.ts';
import { shapeOnGpu } from './model/circuit-shape.ts';
import type { CircuitShape } from './model/hardware.ts';

/** Origin of a compile time: the service's answers or this process. Both are measured. */
export type CompileBasis = 'service' | 'this process';

/** Kind of circuit with its compile time. */
export interface CompiledKind {
  readonly work: ReturnType<typeof circuitWork>;
  /** Work that a GPU has to do for the circuit. */
  readonly shape: CircuitShape;
  readonly compileMs: number;
  readonly compileBasis: CompileBasis;
}

const LIMITS = { maxQubits: 40, maxGates: 100_000 };
/** Circuits timed per kind; their median counts. */
const NUM_TIMED = 7;
/** Circuits compiled before anything is timed. After the first hundred circuits, times no longer fell. */
const WARM_UP: readonly MixClass[] = [2, 4, 8, 12].map((qubits) => ({
  qubits,
  layers: 4,
  shots: 1,
  weight: 1,
}));
const NUM_WARM_UP = 60;

/** Measures compile times of kinds of circuits. */
export class CompileTimes {
  readonly #measured: ServiceMeasurement | undefined;

  constructor(measured: ServiceMeasurement | undefined) {
    this.#measured = measured;
    for (const kind of WARM_UP) {
      for (let seed = 0; seed < NUM_WARM_UP; seed++) shapeOnGpu(circuitOf(kind, seed));
    }
  }

  of(kind: MixClass): CompiledKind {
    const circuits = Array.from({ length: NUM_TIMED }, (_, seed) => circuitOf(kind, seed));
    const compiled = circuits.map(shapeOnGpu);
    const [circuit] = circuits;
    const [first] = compiled;
    if (circuit === undefined || first === undefined) throw new Error('unreachable: no circuit');
    const stated = statedCosts(kind, this.#measured);
    const here = percentilesOf(compiled.map(({ compileMs }) => compileMs)).p50;
    return {
      work: circuitWork(circuit),
      shape: first.shape,
      compileMs: stated?.compile ?? here,
      compileBasis: stated === undefined ? 'this process' : 'service',
    };
  }
}

/** Costs that the service reported for new circuits of the kind; undefined if it was sent none. */
export function statedCosts(
  { qubits, layers, shots }: MixClass,
  measured: ServiceMeasurement | undefined,
): Costs | undefined {
  const isSent = measured?.mix.some(
    (kind) => kind.qubits === qubits && kind.layers === layers && kind.shots === shots,
  );
  return isSent ? measured?.newCircuits.costsBySize[String(qubits)] : undefined;
}

function circuitOf(kind: MixClass, seed: number) {
  const { gates, qubits } = mirrorCircuit(kind, seed);
  return circuitFromGateObjects(gates, { limits: LIMITS, numQubits: qubits });
}
