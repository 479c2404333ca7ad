/** Inferences by model and outcome. Malformed requests and self-tests are not counted. */
import { Counter, type Registry } from 'prom-client';
import { CodedError } from '../../errors/coded-error.ts';
import type { Model } from '../../workloads/models/model.ts';
import type { Requester } from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';
import type { ModelDirectory } from '../directories.ts';
import { specCodeOf } from '../http/error-table.ts';

type Outcome = 'completed' | 'refused' | 'unavailable' | 'failed' | 'abandoned';

interface Labels {
  readonly model: string;
  readonly mode: 'trained' | 'custom' | 'text';
  readonly source: 'key' | 'demo';
}

/** Metrics of inferences. */
export class InferenceMetrics {
  readonly #inferences: Counter<keyof Labels | 'outcome'>;
  readonly #rows: Counter<keyof Labels>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#inferences = new Counter({
      name: 'qcs_inferences_total',
      help: 'Inferences that came to their end, by model, mode, source and outcome.',
      labelNames: ['model', 'mode', 'source', 'outcome'],
      registers,
    });
    this.#rows = new Counter({
      name: 'qcs_inference_rows_total',
      help: 'Rows that completed inferences classified.',
      labelNames: ['model', 'mode', 'source'],
      registers,
    });
  }

  /** Wraps the models so that their inferences are counted. */
  over(directory: ModelDirectory): ModelDirectory {
    const { models, classifier, text } = directory;
    return {
      models,
      classifier: {
        ...bound(classifier),
        card: classifier.card,
        knownAnswers: classifier.knownAnswers,
        lastSelfTest: () => classifier.lastSelfTest(),
        classify: async (request, requester, signal) => {
          const labels: Labels = {
            model: classifier.id,
            mode: request.own === undefined ? 'trained' : 'custom',
            source: requester.keyId === VISITORS.keyId ? 'demo' : 'key',
          };
          const answer = await this.#counted(labels, signal, () =>
            classifier.classify(request, requester, signal),
          );
          this.#rows.inc({ ...labels }, answer.rows.length);
          return answer;
        },
      },
      text: {
        ...bound(text),
        limits: text.limits,
        isConfigured: text.isConfigured,
        generate: (request, requester, signal) =>
          this.#counted({ model: text.id, mode: 'text', source: 'key' }, signal, () =>
            text.generate(request, requester, signal),
          ),
      },
    };
  }

  async #counted<T>(labels: Labels, signal: AbortSignal, infer: () => Promise<T>): Promise<T> {
    try {
      const answer = await infer();
      this.#inferences.inc({ ...labels, outcome: 'completed' });
      return answer;
    } catch (error) {
      this.#inferences.inc({ ...labels, outcome: signal.aborted ? 'abandoned' : outcomeOf(error) });
      throw error;
    }
  }
}

/** Members of every model, bound to it. */
function bound<M extends Model>(
  model: M,
): Pick<M, 'id' | 'name' | 'task' | 'description'> &
  Pick<Model, 'availability' | 'start' | 'close'> {
  const { id, name, task, description } = model;
  return {
    id,
    name,
    task,
    description,
    availability: () => model.availability(),
    start: () => model.start(),
    close: () => model.close(),
  };
}

function outcomeOf(error: unknown): Outcome {
  switch (error instanceof CodedError ? specCodeOf(error.code) : 'INTERNAL_ERROR') {
    case 'SERVICE_UNAVAILABLE':
    case 'RATE_LIMIT_EXCEEDED':
      return 'unavailable';
    case 'INTERNAL_ERROR':
      return 'failed';
    case 'BAD_REQUEST':
    case 'UNAUTHORIZED':
    case 'FORBIDDEN':
    case 'NOT_FOUND':
      return 'refused';
  }
}

/** Low priority, behind all callers with a key. All visitors share one place in the queue. */
export const VISITORS: Requester = {
  keyId: 'demo',
  tier: 'standard',
  priority: 'low',
  maxWaitMs: 15_000,
};
