/** Registry of the service's models, by id. */
import type { Model } from './model.ts';
import type { QnnHybrid } from './qnn-hybrid/qnn-hybrid.ts';
import type { TextModel } from './text-generation/text-model.ts';

/** All models, and the ones that accept requests, grouped by task. */
export class ModelRegistry {
  readonly classifier: QnnHybrid;
  readonly text: TextModel;
  readonly models: readonly Model[];

  constructor(models: { readonly classifier: QnnHybrid; readonly text: TextModel }) {
    this.classifier = models.classifier;
    this.text = models.text;
    this.models = [models.classifier, models.text];
  }

  /**
   * Starts the self-tests; resolves when the classifier's first one has ended. The upstream's first one
   * may take as long as its time-outs, and is not awaited.
   */
  async start(): Promise<void> {
    void this.text.start();
    await this.classifier.start();
  }

  /** One line per model: the backend that serves it, or the reason why none does. */
  describe(): readonly string[] {
    const { available, reason } = this.classifier.availability();
    const state = available ? 'available' : `not available. ${reason}`;
    return [`${this.classifier.id}: ${state}`, this.text.describe()];
  }

  /** See Model.close. */
  async close(graceMs = 0): Promise<void> {
    await Promise.all(this.models.map((model) => model.close(graceMs)));
  }
}
