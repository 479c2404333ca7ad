/**
 * A procedure: one thing that an agent or the TPU fleet can do, with its input schema, limits, an
 * example that runs, and the code.
 *
 * Procedures are described in every process and run only in the processes of the procedure pool.
 * Code that takes long to load (mathjs, the compiler) stands in a file `run-<task>.ts`, which `run`
 * imports when it is first called.
 */
import type { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { ProcedureInputError } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import type { ProcedureContext } from './procedure-context.ts';

/** What bounds one run; the rest are sizes that the input schema holds to, in the names of its fields. */
export interface ProcedureLimits {
  /** From its start to its end, waits for processors included. Milliseconds. */
  readonly deadline_ms: number;
  readonly [name: string]: number;
}

/** Does the work. Resolves with the result's fields; throws a CodedError where the input is to blame. */
export type RunProcedure<Input> = (input: Input, context: ProcedureContext) => Promise<JsonObject>;

/** What a procedure is defined by. */
export interface ProcedureParts<Schema extends z.ZodType> {
  /** snake_case; `evaluate`. */
  readonly name: string;
  /** Other names that requests may use for it; records show `name`. None unless given. */
  readonly aliases?: readonly string[];
  /** One to three sentences for callers: what it does, and what the result has. */
  readonly description: string;
  /** Of the input; a strict object, every field with `describe`. */
  readonly input: Schema;
  /**
   * What is wrong with an input of good form, paths relative to the input (`circuit[3].qubit`). Takes
   * milliseconds at most: it runs before the job is accepted. Nothing unless given.
   */
  readonly check?: (input: z.output<Schema>) => readonly Fault[];
  /**
   * Checks an input in which `check` found nothing, with code that is too large to load everywhere.
   * The run makes the same checks itself.
   */
  readonly lateCheck?: (input: z.output<Schema>) => Promise<readonly Fault[]>;
  readonly limits: ProcedureLimits;
  /** An input that runs, in well under a second. */
  readonly example: JsonObject;
  /**
   * The result's fields that later tasks of a plan may be fed with, each with the name of the input
   * field that it fits by itself: `{ circuit: 'circuit' }`. None unless given.
   */
  readonly feeds?: Readonly<Record<string, string>>;
  readonly run: RunProcedure<z.output<Schema>>;
}

/** A procedure whose input's type is its own business. */
export interface Procedure {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly input: z.ZodType;
  readonly limits: ProcedureLimits;
  readonly example: JsonObject;
  readonly feeds: Readonly<Record<string, string>>;
  /** What is wrong with an input: its form, or where that is good its meaning. Paths are relative to it. */
  readonly faultsOf: (input: unknown) => readonly Fault[];
  /** What else is wrong with an input without faults; undefined where nothing else is looked at. */
  readonly lateFaultsOf: ((input: unknown) => Promise<readonly Fault[]>) | undefined;
  /**
   * Runs.
   *
   * @throws {ProcedureInputError} if the input has faults: that of a task in a plan is known only now.
   */
  readonly run: (input: Json, context: ProcedureContext) => Promise<JsonObject>;
}

/** A procedure from its parts. */
export function procedure<Schema extends z.ZodType>(parts: ProcedureParts<Schema>): Procedure {
  const { name, description, input, limits, example, run, lateCheck } = parts;
  const { aliases = [], feeds = {} } = parts;
  const read = (given: unknown) => {
    const parsed = input.safeParse(given);
    if (!parsed.success) return { faults: formFaults(parsed.error, input, given) };
    return { parsed: parsed.data, faults: parts.check?.(parsed.data) ?? [] };
  };
  return {
    name,
    aliases,
    description,
    input,
    limits,
    example,
    feeds,
    faultsOf: (given) => read(given).faults,
    lateFaultsOf:
      lateCheck &&
      (async (given) => {
        const { parsed, faults } = read(given);
        if (parsed === undefined || faults.length > 0) return faults;
        return lateCheck(parsed);
      }),
    run: async (given, context) => {
      const { parsed, faults } = read(given);
      if (parsed === undefined || faults.length > 0) throw new ProcedureInputError(faults);
      return run(parsed, context);
    },
  };
}

/** The procedure that a request means by a name; undefined where none has it. */
export function findProcedure(
  procedures: readonly Procedure[],
  name: unknown,
): Procedure | undefined {
  return procedures.find((each) => [each.name, ...each.aliases].some((known) => known === name));
}
