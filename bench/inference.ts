/**
 * The deployed model `qnn-hybrid` from the engine to the wire: one inference and batches of them at the
 * engine, in process over a whole fleet, and over HTTP; then its training. The parts are in inference/.
 *
 * Every answer is held to the exact expectation value, six standard errors at most.
 */
import { report } from './harness.ts';
import { measureAtEngine } from './inference/at-engine.ts';
import { deployedModel } from './inference/deployed-model.ts';
import { measureInProcess } from './inference/in-process.ts';
import { measureOverHttp } from './inference/over-http.ts';
import { measureTraining } from './inference/training.ts';

/** Prints and stores the duration of an inference at each level. */
export async function benchInference(): Promise<void> {
  const model = await deployedModel();
  report('inference', [
    ...(await measureAtEngine(model)),
    ...(await measureInProcess(model)),
    ...(await measureOverHttp(model)),
    ...(await measureTraining(model)),
  ]);
}
