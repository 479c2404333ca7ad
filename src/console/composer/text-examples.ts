/** Texts in Stim's format to begin with. */
import { generateStim, NO_NOISE } from '../live-state/generated-circuits.ts';
import type { Example } from './examples.ts';

/** An example that only a text describes. */
type TextExample = Pick<Example, 'name' | 'title' | 'says'> & { readonly stim: string };

/** A memory experiment of distance 3 in three rounds, with each kind of error at 0.5 %. */
function memory(code: string, task: string): string {
  const p = 0.005;
  const noise = {
    ...NO_NOISE,
    afterCliffordDepolarization: p,
    beforeRoundDataDepolarization: p,
    beforeMeasureFlipProbability: p,
    afterResetFlipProbability: p,
  };
  const made = generateStim({ code, task, distance: 3, rounds: 3, noise });
  if ('problem' in made) throw new Error(`unreachable: ${made.problem}`);
  return made.text;
}

export const TEXT_EXAMPLES: readonly TextExample[] = [
  {
    name: 'repetition-code',
    title: 'Repetition code (Stim)',
    says: 'Three rounds of the two checks of a repetition code, with noise and detectors.',
    stim: memory('repetition_code', 'memory'),
  },
  {
    name: 'surface-code',
    title: 'Surface code (Stim)',
    says: 'Three rounds of the eight checks of a rotated surface code: the slider shows how its detectors grow and end.',
    stim: memory('surface_code', 'rotated_memory_z'),
  },
];
