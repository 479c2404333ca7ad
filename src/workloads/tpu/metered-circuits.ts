/** A runner of circuits that counts what passes through it, whichever algorithm sends them. */
import type { Circuit } from '../../circuit/circuit.ts';
import type { CircuitRunner } from '../procedures/procedure-context.ts';
import { circuitFlops } from './circuit-flops.ts';

/** The runner, and what it has counted. */
export class MeteredCircuits {
  /** To be used in place of the one that was given. */
  readonly runner: CircuitRunner;
  /** Shapes are told apart by identity, as runners tell them apart. */
  readonly #flopsOf = new WeakMap<Circuit, number>();
  #flops = 0;
  #numCircuits = 0;

  constructor(circuits: CircuitRunner) {
    this.runner = {
      maxQubits: circuits.maxQubits,
      run: (circuit, request) => {
        this.#numCircuits++;
        this.#flops += circuitFlops(circuit, request.shots);
        return circuits.run(circuit, request);
      },
      runBatch: (shape, request) => {
        const flops = this.#flopsOf.get(shape) ?? circuitFlops(shape);
        this.#flopsOf.set(shape, flops);
        this.#numCircuits += request.numCircuits;
        this.#flops += request.numCircuits * flops;
        return circuits.runBatch(shape, request);
      },
    };
  }

  /** Floating-point operations of all circuits so far, as `circuitFlops` counts them. */
  get flops(): number {
    return this.#flops;
  }

  get numCircuits(): number {
    return this.#numCircuits;
  }
}
