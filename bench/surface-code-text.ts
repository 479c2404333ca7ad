/** Memory experiments of the rotated surface code in Stim's language, for benchmarks. */
import { generateStim } from '../src/circuit/stim/generate/generate-stim.ts';
import { NO_NOISE } from '../src/circuit/stim/generate/memory-text.ts';

/** Text of an experiment of as many rounds as its distance, with noise of one strength everywhere. */
export function surfaceCodeText(distance: number, probability: number): string {
  const generated = generateStim({
    code: 'surface_code',
    task: 'rotated_memory_z',
    distance,
    rounds: distance,
    noise: {
      ...NO_NOISE,
      afterCliffordDepolarization: probability,
      beforeRoundDataDepolarization: probability,
      beforeMeasureFlipProbability: probability,
      afterResetFlipProbability: probability,
    },
  });
  if ('problem' in generated) throw new Error(generated.problem);
  return generated.text;
}
