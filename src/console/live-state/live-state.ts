/**
 * The live state for a page: a client of the worker that computes it. The page's script has nothing of compiler, engine
 * and readers; they are loaded with the worker.
 */
import type {
  CircuitSource,
  DetectorSlice,
  DrawnTimeline,
  FromWorker,
  GateMatrices,
  LiveAnswer,
  LiveReply,
  LiveRequest,
  LiveSource,
  ParsedText,
  Refused,
  ShowOptions,
  StimSource,
  TextForm,
  TextSource,
  ToWorker,
  WrittenText,
} from './messages.ts';

/** Computes states, and reads, writes and draws texts, without the service. */
export interface LiveStates {
  /**
   * Computes the state of a circuit after a step. One circuit is computed at a time and the newest waits for it.
   *
   * @returns Undefined where a newer call took its place.
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  show(source: LiveSource, options?: ShowOptions): Promise<LiveAnswer | undefined>;
  /**
   * Reads a text for an editor of gates.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  parseText(source: TextSource): Promise<ParsedText | Refused>;
  /**
   * Writes a circuit as a text.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  writeText(source: LiveSource, form: TextForm): Promise<WrittenText | Refused>;
  /**
   * Places a text in Stim's format along time.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  timeline(source: StimSource): Promise<DrawnTimeline | Refused>;
  /**
   * Finds the detecting regions of a text in Stim's format at a TICK, of which the first is number 0.
   *
   * @throws {LiveStateError} if the worker failed or was closed.
   */
  slice(source: StimSource, tick: number): Promise<DetectorSlice | Refused>;
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

  parseText(source: TextSource): Promise<ParsedText | Refused> {
    return this.#askFor('parsed', { ask: 'parse', source });
  }

  writeText(source: LiveSource, form: TextForm): Promise<WrittenText | Refused> {
    return this.#askFor('written', { ask: 'write', source, form });
  }

  timeline(source: StimSource): Promise<DrawnTimeline | Refused> {
    return this.#askFor('timeline', { ask: 'timeline', source });
  }

  slice(source: StimSource, tick: number): Promise<DetectorSlice | Refused> {
    return this.#askFor('slice', { ask: 'slice', source, tick });
  }

  gateMatrices(source: CircuitSource): Promise<GateMatrices | Refused> {
    return this.#askFor('matrices', { ask: 'matrices', source });
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

  async #askFor<K extends LiveReply['kind']>(
    kind: K,
    request: LiveRequest,
  ): Promise<Extract<LiveReply, { kind: K }> | Refused> {
    const reply = await this.#ask(request);
    // Checked: the reply has that kind.
    if (reply.kind === kind) return reply as Extract<LiveReply, { kind: K }>;
    if (reply.kind === 'refused') return reply;
    throw new Error(`unreachable: ${reply.kind} in place of ${kind}`);
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
