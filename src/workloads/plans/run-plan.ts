/** Runs the tasks of a plan, each as soon as its dependencies have completed. */
import { coded } from '../../errors/coded-error.ts';
import type { Json, JsonObject } from '../procedures/json.ts';
import { type PlanStep, valueAt, withReferencesRead } from './plan.ts';

/** A task of the plan failed or was cancelled, so the plan cannot complete. `how`: `failed: …` or `was cancelled`. */
export class PlanTaskError extends coded(
  'WORKLOADS_PLAN_TASK',
  (name: string, how: string) => `The task ${name} of the plan ${how}`,
) {}

/** A task refers to a part that a result does not have. */
export class PlanReferenceError extends coded(
  'WORKLOADS_PLAN_REFERENCE',
  (name: string, from: string, path: string, fields: readonly string[]) => {
    const there = fields.length === 0 ? 'nothing' : fields.slice(0, 20).join(', ');
    return `The task ${name} of the plan needs ${path} of what ${from} found, which is not there; it found ${there}.`;
  },
) {}

/** The referenced values exceed the size limit of an input. */
export class PlanInputSizeError extends coded(
  'WORKLOADS_PLAN_INPUT',
  (name: string, limitCharacters: number) =>
    `The results that the task ${name} of the plan refers to take more than ${limitCharacters} characters in its input.`,
) {}

/** Largest size of the values that references add to a task's input as JSON. */
const MAX_INPUT_CHARACTERS = 2 * 1024 * 1024;

/** Functions and limits that a plan runs with. */
export interface PlanRun {
  /**
   * Runs one task, whose references have been replaced; resolves to the fields of its result.
   *
   * @param onProgress - Called with the fraction of the task done.
   */
  readonly runStep: (
    step: PlanStep,
    input: JsonObject,
    onProgress: (fraction: number) => void,
  ) => Promise<JsonObject>;
  /** Called with the fraction of the plan done, and a message that names the task. */
  readonly onProgress: (fraction: number, message: string) => void;
}

/**
 * Runs a plan. When a task throws, no further task starts; once the running ones have ended, the first
 * error is thrown.
 *
 * @returns The result of each task by its name.
 */
export async function runPlan(
  steps: readonly PlanStep[],
  { runStep, onProgress }: PlanRun,
): Promise<ReadonlyMap<string, JsonObject>> {
  const results = new Map<string, JsonObject>();
  const fractions = new Map<string, number>();
  const runs = new Map<string, Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  const tell = (message: string) => {
    const done = [...fractions.values()].reduce((sum, fraction) => sum + fraction, 0);
    onProgress(done / steps.length, message);
  };
  const start = async (step: PlanStep): Promise<void> => {
    await Promise.all(step.needs.map((name) => runs.get(name)));
    if (failure !== undefined) return;
    const place = `${step.name} (${step.agent} ${step.task})`;
    try {
      const input = readInput(step, results);
      fractions.set(step.name, 0);
      tell(`${place}, ${results.size} of ${steps.length} tasks done`);
      const result = await runStep(step, input, (fraction) => {
        fractions.set(step.name, Math.max(fraction, fractions.get(step.name) ?? 0));
        tell(place);
      });
      results.set(step.name, result);
      fractions.set(step.name, 1);
      tell(`${place} done, ${results.size} of ${steps.length} tasks`);
    } catch (error) {
      failure ??= { error };
    }
  };
  for (const step of steps) runs.set(step.name, start(step));
  await Promise.all(runs.values());
  if (failure !== undefined) throw failure.error;
  return results;
}

function readInput(step: PlanStep, results: ReadonlyMap<string, JsonObject>): JsonObject {
  // The limit covers all references together: one result may be referenced many times.
  const room = new JsonRoom(MAX_INPUT_CHARACTERS);
  const entries = Object.entries(step.input).map(([field, value]) => {
    if (value === undefined) throw new Error('unreachable: JSON with a value left undefined');
    const read = withReferencesRead(value, ({ from, path }) => {
      const found = results.get(from);
      const part = found && valueAt(found, path);
      if (part === undefined) {
        throw new PlanReferenceError(step.name, from, path, Object.keys(found ?? {}));
      }
      if (!room.take(part)) throw new PlanInputSizeError(step.name, MAX_INPUT_CHARACTERS);
      return part;
    });
    return [field, read] as const;
  });
  return Object.fromEntries(entries);
}

/** Bounds the JSON size of values. */
class JsonRoom {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** Counts a value; returns whether it fitted. */
  take(value: Json | undefined): boolean {
    this.#left -= lengthOf(value);
    if (this.#left < 0) return false;
    if (typeof value !== 'object' || value === null) return true;
    for (const [name, entry] of Object.entries(value)) {
      if (!Array.isArray(value)) this.#left -= name.length + 3;
      if (!this.take(entry)) return false;
    }
    return true;
  }
}

/** Characters of a value with its separator; of a list or an object without its entries. */
function lengthOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 3;
  return typeof value === 'object' && value !== null ? 3 : String(value).length + 1;
}
