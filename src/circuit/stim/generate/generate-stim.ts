/**
 * Generates circuits in Stim's format: memory experiments and preparations of T states, by the codes of a table. Those
 * that `stim gen` has are equal to its circuits.
 */
import { colorMemory } from './color-code.ts';
import { cultivationText } from './cultivation.ts';
import { distillationText } from './distillation.ts';
import { honeycombText } from './honeycomb-code.ts';
import { type MemoryExperiment, memoryText } from './memory-experiment.ts';
import type { GeneratedNoise } from './memory-text.ts';
import { repetitionMemory } from './repetition-code.ts';
import { rotatedMemory, unrotatedMemory } from './surface-codes.ts';

/** A task of a code. */
interface GeneratedTask {
  readonly text: (distance: number, rounds: number, noise: GeneratedNoise) => string;
  readonly minDistance: number;
  readonly maxDistance?: number;
  readonly minRounds: number;
  readonly maxRounds?: number;
  /** Whether numbers must be odd or even. */
  readonly distances?: 'odd' | 'even';
  readonly rounds?: 'odd';
  /** Whether it has T gates, and no REPEAT, and takes the noise of both. */
  readonly preparesMagic?: true;
}

/** A task that takes any distance and rounds. */
const simple = (experiment: (distance: number) => MemoryExperiment): GeneratedTask => ({
  text: (distance, rounds, noise) => memoryText(experiment(distance), rounds, noise),
  minDistance: 2,
  minRounds: 1,
});

/** Tasks by code. Names are those of `stim gen` where it has the task. */
export const GENERATED_CODES: Readonly<Record<string, Readonly<Record<string, GeneratedTask>>>> = {
  repetition_code: { memory: simple(repetitionMemory) },
  surface_code: {
    rotated_memory_x: simple((distance) => rotatedMemory(distance, 'X')),
    rotated_memory_z: simple((distance) => rotatedMemory(distance, 'Z')),
    unrotated_memory_x: simple((distance) => unrotatedMemory(distance, 'X')),
    unrotated_memory_z: simple((distance) => unrotatedMemory(distance, 'Z')),
  },
  color_code: {
    memory_xyz: {
      text: (distance, rounds, noise) => memoryText(colorMemory(distance, rounds), rounds, noise),
      minDistance: 3,
      distances: 'odd',
      minRounds: 2,
    },
    cultivation: {
      text: cultivationText,
      minDistance: 3,
      maxDistance: 3,
      minRounds: 2,
      preparesMagic: true,
    },
  },
  reed_muller_code: {
    distillation: {
      text: distillationText,
      minDistance: 3,
      maxDistance: 3,
      minRounds: 1,
      maxRounds: 1,
      preparesMagic: true,
    },
  },
  honeycomb_code: {
    memory: {
      text: honeycombText,
      minDistance: 2,
      distances: 'even',
      minRounds: 3,
      rounds: 'odd',
    },
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
  const { text, minDistance, maxDistance = distance, distances } = found;
  const { minRounds, maxRounds = rounds, rounds: parity, preparesMagic } = found;
  if (distance < minDistance || isOther(distance, distances)) {
    const kind = distances === undefined ? 'a' : `an ${distances}`;
    return {
      problem: `${code} takes ${kind} distance of at least ${minDistance}, and not ${distance}.`,
    };
  }
  if (rounds < minRounds || isOther(rounds, parity)) {
    const kind = parity === undefined ? 'at least' : `an ${parity} number of rounds, at least`;
    const noun = parity === undefined ? ' rounds' : '';
    return { problem: `${code} takes ${kind} ${minRounds}${noun}, and not ${rounds}.` };
  }
  if (distance > maxDistance || rounds > maxRounds) {
    const [what, most] =
      distance > maxDistance ? ['distance', maxDistance] : ['number of rounds', maxRounds];
    return { problem: `The ${what} of ${task} is ${most} at most.` };
  }
  const { idleDepolarization, afterTPhaseFlipProbability } = noise;
  if (preparesMagic === undefined && (idleDepolarization > 0 || afterTPhaseFlipProbability > 0)) {
    return {
      problem: `${task} of ${code} takes no noise of idle qubits and T gates; cultivation and distillation do.`,
    };
  }
  return { text: text(distance, rounds, noise) };
}

const isOther = (count: number, parity: 'odd' | 'even' | undefined): boolean =>
  parity !== undefined && (count % 2 === 1) !== (parity === 'odd');
