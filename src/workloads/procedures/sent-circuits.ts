/** Sends the circuits of a call from its process to the service, which runs them. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import { type CircuitRequest, isBatch } from '../../fleet/schedule/scheduled-run.ts';
import { type PackedCircuit, packCircuit } from '../../fleet/workers/sent-batch.ts';
import type { CircuitRunner } from './procedure-context.ts';
import {
  type CircuitAnswer,
  type CircuitAsked,
  CircuitFailure,
  errorOf,
  MAX_OUTSTANDING,
  MAX_SHAPES,
} from './procedure-messages.ts';

/** A circuit with more operations is sent as bytes: its worker parses it, and the service does not. */
const MAX_WRITTEN_OPERATIONS = 512;

type Failed = Extract<CircuitAnswer['answer'], { failure: unknown }>;
type Answer = Exclude<CircuitAnswer['answer'], Failed>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/** The circuits of one call. */
export class SentCircuits {
  readonly #call: number;
  readonly #post: (message: CircuitAsked) => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Requests beyond the limit; each is sent when another ends. */
  readonly #held: (() => void)[] = [];
  readonly #slotOf = new Map<DynamicCircuit, number>();
  #numUnderWay = 0;
  #numAsked = 0;
  #numShapes = 0;
  #closedBy: { readonly reason: unknown } | undefined;
  readonly runner: CircuitRunner;

  constructor(
    call: number,
    widths: Pick<CircuitRunner, 'maxQubits' | 'maxNoisyQubits'>,
    post: (message: CircuitAsked) => void,
  ) {
    this.#call = call;
    this.#post = post;
    this.runner = {
      maxQubits: widths.maxQubits,
      maxNoisyQubits: widths.maxNoisyQubits,
      run: (circuit, request) => this.#run(circuit, request),
    };
  }

  /** Settles a circuit; ignores one that is no longer awaited. */
  answer({ call, circuit, answer }: CircuitAnswer): void {
    const waiting = call === this.#call ? this.#waiting.get(circuit) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(circuit);
    if ('failure' in answer) waiting.reject(circuitError(circuit, answer.failure));
    else waiting.resolve(answer);
  }

  /** Rejects all pending and future circuits. */
  close(reason: unknown): void {
    if (this.#closedBy !== undefined) return;
    this.#closedBy = { reason };
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  async #run(circuit: DynamicCircuit, request: CircuitRequest): Promise<RunOutputs> {
    const call = this.#call;
    // A circuit that runs alone is packed at once: its caller may change it while it is held.
    const own = isBatch(request) ? undefined : { packed: packed(circuit) };
    const { outputs } = await this.#ask((n) => ({
      kind: 'run',
      call,
      circuit: n,
      ...(own ?? this.#slotFor(circuit)),
      request,
    }));
    return outputs;
  }

  async #ask(asked: (circuit: number) => CircuitAsked): Promise<Answer> {
    if (this.#numUnderWay < MAX_OUTSTANDING) this.#numUnderWay++;
    // A request that ends passes its slot on.
    else await new Promise<void>((resolve) => void this.#held.push(resolve));
    try {
      return await new Promise((resolve, reject) => {
        if (this.#closedBy !== undefined) throw this.#closedBy.reason;
        const circuit = this.#numAsked++;
        this.#post(asked(circuit));
        this.#waiting.set(circuit, { resolve, reject });
      });
    } finally {
      const next = this.#held.shift();
      if (next === undefined) this.#numUnderWay--;
      else next();
    }
  }

  /** Slot of a shape. Both sides assign slots in the same order, so a number identifies a shape again. */
  #slotFor(shape: DynamicCircuit): Pick<CircuitAsked, 'slot' | 'packed'> {
    const known = this.#slotOf.get(shape);
    if (known !== undefined) return { slot: known };
    const slot = this.#numShapes++ % MAX_SHAPES;
    for (const [other, taken] of this.#slotOf) {
      if (taken !== slot) continue;
      this.#slotOf.delete(other);
      break;
    }
    this.#slotOf.set(shape, slot);
    return { slot, packed: packed(shape) };
  }
}

function packed(circuit: DynamicCircuit): PackedCircuit {
  return packCircuit(circuit, circuit.operations.length > MAX_WRITTEN_OPERATIONS);
}

function circuitError(circuit: number, failure: Failed['failure']) {
  if (failure.kind === 'coded') {
    return new CircuitFailure(circuit, failure.code, failure.message, failure.faults);
  }
  if (failure.kind === 'memory') return new Error('unreachable: a circuit took the memory');
  return errorOf(failure, () => new Error('unreachable: a circuit of a circuit'));
}
