/**
 * Generates circuits in Stim's format: memory experiments of the codes of a table. Text and noise are those of
 * `stim gen`, so that the circuits are equal to Stim's.
 */
import { colorMemory } from './color-code.ts';
import { type MemoryExperiment, memoryText } from './memory-experiment.ts';
import type { GeneratedNoise } from './memory-text.ts';
import { repetitionMemory } from './repetition-code.ts';
import { rotatedMemory, unrotatedMemory } from './surface-codes.ts';

/** A task of a code. */
interface GeneratedTask {
  readonly experiment: (distance: number, rounds: number) => MemoryExperiment;
  readonly minDistance: number;
  readonly isOddOnly?: true;
  readonly minRounds: number;
}

const SIMPLE = { minDistance: 2, minRounds: 1 };

/** Tasks by code, under the names of `stim gen`. */
export const GENERATED_CODES: Readonly<Record<string, Readonly<Record<string, GeneratedTask>>>> = {
  repetition_code: { memory: { ...SIMPLE, experiment: repetitionMemory } },
  surface_code: {
    rotated_memory_x: { ...SIMPLE, experiment: (distance) => rotatedMemory(distance, 'X') },
    rotated_memory_z: { ...SIMPLE, experiment: (distance) => rotatedMemory(distance, 'Z') },
    unrotated_memory_x: { ...SIMPLE, experiment: (distance) => unrotatedMemory(distance, 'X') },
    unrotated_memory_z: { ...SIMPLE, experiment: (distance) => unrotatedMemory(distance, 'Z') },
  },
  color_code: {
    memory_xyz: { experiment: colorMemory, minDistance: 3, isOddOnly: true, minRounds: 2 },
  },
};

/** A circuit to generate. */
export interface GeneratedRequest {
  readonly code: string;
  readonly task: string;
  readonly distance: number;
  readonly rounds: number;
  readonly noise: GeneratedNoise;
}

/** The text, or a sentence that says what cannot be generated. */
export function generateStim({
  code,
  task,
  distance,
  rounds,
  noise,
}: GeneratedRequest): { readonly text: string } | { readonly problem: string } {
  const tasks = GENERATED_CODES[code];
  if (tasks === undefined) {
    return { problem: `There is no code ${code}: ${Object.keys(GENERATED_CODES).join(', ')}.` };
  }
  const found = tasks[task];
  if (found === undefined) {
    return { problem: `${code} has no task ${task}: ${Object.keys(tasks).join(', ')}.` };
  }
  const { experiment, minDistance, isOddOnly, minRounds } = found;
  if (distance < minDistance || (isOddOnly && distance % 2 === 0)) {
    const odd = isOddOnly ? 'an odd distance' : 'a distance';
    return { problem: `${code} takes ${odd} of at least ${minDistance}, and not ${distance}.` };
  }
  if (rounds < minRounds) {
    return { problem: `${code} takes at least ${minRounds} rounds, and not ${rounds}.` };
  }
  return { text: memoryText(experiment(distance, rounds), rounds, noise) };
}
