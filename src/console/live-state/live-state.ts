/**
 * The live state for a page: a client of the worker that computes it. The page's script has nothing of compiler, engine
 * and readers; they are loaded with the worker.
 */
import type {
  CircuitSource,
  FromWorker,
  GateMatrices,
  LiveAnswer,
  LiveReply,
  LiveRequest,
  LiveSource,
  ParsedText,
  Refused,
  ShowOptions,
  TextSource,
  ToWorker,
  WrittenText,
} from './messages.ts';

/** Computes states, and reads and writes OpenQASM, without the service. */
export interface LiveStates {
  /**
   * Computes the state of a circuit after a step. One circuit is computed at a time and the newest waits for it.
   *
   * @returns Undefined where a newer call took its place.
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  show(source: LiveSource, options?: ShowOptions): Promise<LiveAnswer | undefined>;
  /**
   * Reads an OpenQASM text.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  parseOpenqasm(qasm: string, inputs?: TextSource['inputs']): Promise<ParsedText | Refused>;
  /**
   * Writes a circuit as OpenQASM.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  writeOpenqasm(source: CircuitSource, version: 2 | 3): Promise<WrittenText | Refused>;
  /**
   * Computes the matrix of each gate of a circuit.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  gateMatrices(source: CircuitSource): Promise<GateMatrices | Refused>;
  /** Ends the worker; unanswered requests fail. */
  close(): void;
}

/** The worker failed, could not be loaded, or was closed. */
export class LiveStateError extends Error {
  override readonly name = 'LiveStateError';
}

interface Waiting {
  readonly source: LiveSource;
  readonly options: ShowOptions;
  readonly answer: PromiseWithResolvers<LiveAnswer | undefined>;
}

/** Starts the worker. Its script and the WebAssembly module are loaded in the background. */
export function openLiveState(): LiveStates {
  return new LiveStateClient();
}

class LiveStateClient implements LiveStates {
  readonly #worker = new Worker(new URL('./state-worker.ts', import.meta.url), { type: 'module' });
  readonly #pending = new Map<number, PromiseWithResolvers<LiveReply>>();
  #numSent = 0;
  #isShowing = false;
  #waiting: Waiting | undefined;
  #failure: LiveStateError | undefined;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      const pending = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if ('reply' in data) pending?.resolve(data.reply);
      else pending?.reject(new LiveStateError(data.failure));
    });
    this.#worker.addEventListener('error', ({ message }) => {
      this.#fail(message || 'The worker could not be loaded.');
    });
  }

  show(source: LiveSource, options: ShowOptions = {}): Promise<LiveAnswer | undefined> {
    const answer = Promise.withResolvers<LiveAnswer | undefined>();
    this.#waiting?.answer.resolve(undefined);
    this.#waiting = { source, options, answer };
    if (!this.#isShowing) void this.#showAll();
    return answer.promise;
  }

  async parseOpenqasm(qasm: string, inputs?: TextSource['inputs']): Promise<ParsedText | Refused> {
    const source = inputs === undefined ? { qasm } : { qasm, inputs };
    const reply = await this.#ask({ ask: 'parse', source });
    if (reply.kind === 'parsed' || reply.kind === 'refused') return reply;
    throw new Error(`unreachable: ${reply.kind} for a text`);
  }

  async writeOpenqasm(source: CircuitSource, version: 2 | 3): Promise<WrittenText | Refused> {
    const reply = await this.#ask({ ask: 'write', source, version });
    if (reply.kind === 'written' || reply.kind === 'refused') return reply;
    throw new Error(`unreachable: ${reply.kind} for a text`);
  }

  async gateMatrices(source: CircuitSource): Promise<GateMatrices | Refused> {
    const reply = await this.#ask({ ask: 'matrices', source });
    if (reply.kind === 'matrices' || reply.kind === 'refused') return reply;
    throw new Error(`unreachable: ${reply.kind} for matrices`);
  }

  close(): void {
    this.#worker.terminate();
    this.#fail('The live state is closed.');
  }

  async #showAll(): Promise<void> {
    this.#isShowing = true;
    for (let next = this.#taken(); next !== undefined; next = this.#taken()) {
      const { source, options, answer } = next;
      try {
        const reply = await this.#ask({ ask: 'show', source, options });
        if (reply.kind === 'state' || reply.kind === 'too-large' || reply.kind === 'refused') {
          answer.resolve(reply);
        } else throw new Error(`unreachable: ${reply.kind} for a state`);
      } catch (error) {
        answer.reject(error);
      }
    }
    this.#isShowing = false;
  }

  #taken(): Waiting | undefined {
    const taken = this.#waiting;
    this.#waiting = undefined;
    return taken;
  }

  async #ask(request: LiveRequest): Promise<LiveReply> {
    if (this.#failure !== undefined) throw this.#failure;
    const id = ++this.#numSent;
    const pending = Promise.withResolvers<LiveReply>();
    this.#pending.set(id, pending);
    const message: ToWorker = { id, request };
    this.#worker.postMessage(message);
    return await pending.promise;
  }

  #fail(reason: string): void {
    this.#failure ??= new LiveStateError(reason);
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}
