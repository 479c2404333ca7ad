/**
 * What compiling takes. Of kinds of circuits that were sent to the service, it is what the service stated
 * for circuits that it had not met; of others it is measured here, once the compiler itself is compiled:
 * in a process that has just begun the first few circuits take several times as long.
 */
import { circuitFromGateObjects } from '../../circuit/gate-objects.ts';
import { shapeOnGpu } from '../../fleet/capacity/circuit-shape.ts';
import type { CircuitShape } from '../../fleet/capacity/hardware.ts';
import { percentilesOf } from '../../fleet/capacity/latency-log.ts';
import { circuitWork } from '../../fleet/schedule/scheduled-run.ts';
import { type MixClass, mirrorCircuit } from './circuit-mix.ts';
import type { Costs, ServiceMeasurement } from './measure-load.ts';

/** Where a time is from: what the service's answers stated, or this process. Both are measured. */
export type CompileBasis = 'service' | 'this process';

/** A kind of circuit, and what compiling one of it takes. */
export interface CompiledKind {
  readonly work: ReturnType<typeof circuitWork>;
  /** What a GPU would have to do. */
  readonly shape: CircuitShape;
  readonly compileMs: number;
  readonly compileBasis: CompileBasis;
}

const LIMITS = { maxQubits: 40, maxGates: 100_000 };
/** Circuits of a kind; the median counts. */
const NUM_TIMED = 7;
/** Compiled before anything is timed: after the first hundred circuits times no longer fell. */
const WARM_UP: readonly MixClass[] = [2, 4, 8, 12].map((qubits) => ({
  qubits,
  layers: 4,
  shots: 1,
  weight: 1,
}));
const NUM_WARM_UP = 60;

/** Compiles kinds of circuits. */
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

/** What the service stated of new circuits of the kind; undefined where it was sent none. */
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
