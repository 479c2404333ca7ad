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

/** Limits of one run: the deadline, and sizes that the input schema enforces, named like its fields. */
export interface ProcedureLimits {
  /**
   * Deadline from start to end, milliseconds; the time in which circuits wait for processors does not
   * count.
   */
  readonly deadline_ms: number;
  readonly [name: string]: number;
}

/** Runs the procedure. Resolves to the result's fields; throws a CodedError if the input is at fault. */
export type RunProcedure<Input> = (input: Input, context: ProcedureContext) => Promise<JsonObject>;

/** Definition of a procedure. */
export interface ProcedureParts<Schema extends z.ZodType> {
  /** In snake_case, such as `evaluate`. */
  readonly name: string;
  /** Other names that requests may use for it; records show `name`. None unless given. */
  readonly aliases?: readonly string[];
  /** One to three sentences for callers: the work of the procedure, and the fields of its result. */
  readonly description: string;
  /** Schema of the input: a strict object, every field with `describe`. */
  readonly input: Schema;
  /**
   * Returns the faults of an input that matches the schema, with paths relative to the input
   * (`circuit[3].qubit`). Takes milliseconds at most, because it runs before the job is accepted. No
   * check unless given.
   */
  readonly check?: (input: z.output<Schema>) => readonly Fault[];
  /**
   * Returns the faults of an input that passed `check`, with code that is too large to load in every
   * process. The run repeats these checks itself.
   */
  readonly lateCheck?: (input: z.output<Schema>) => Promise<readonly Fault[]>;
  readonly limits: ProcedureLimits;
  /** An input that runs in well under a second. */
  readonly example: JsonObject;
  /**
   * Fields of the result that later tasks of a plan may take as input, each with the name of the input
   * field that it fits: `{ circuit: 'circuit' }`. None unless given.
   */
  readonly feeds?: Readonly<Record<string, string>>;
  readonly run: RunProcedure<z.output<Schema>>;
}

/** A procedure, with the type of its input hidden. */
export interface Procedure {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly input: z.ZodType;
  readonly limits: ProcedureLimits;
  readonly example: JsonObject;
  readonly feeds: Readonly<Record<string, string>>;
  /**
   * Faults of an input: of its form, or if that is valid, of its meaning. Paths are relative to the
   * input.
   */
  readonly faultsOf: (input: unknown) => readonly Fault[];
  /**
   * Faults that `lateCheck` finds in an input without others; undefined if the procedure has no such
   * check.
   */
  readonly lateFaultsOf: ((input: unknown) => Promise<readonly Fault[]>) | undefined;
  /**
   * Runs the procedure.
   *
   * @throws {ProcedureInputError} if the input has faults; the input of a task in a plan is not known
   *   earlier.
   */
  readonly run: (input: Json, context: ProcedureContext) => Promise<JsonObject>;
}

/** Makes a procedure from its definition. */
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

/** Finds a procedure by name or alias; undefined if there is none. */
export function findProcedure(
  procedures: readonly Procedure[],
  name: unknown,
): Procedure | undefined {
  return procedures.find((each) => [each.name, ...each.aliases].some((known) => known === name));
}
