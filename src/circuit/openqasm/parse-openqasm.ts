/**
 * Parses OpenQASM text into a circuit.
 *
 * One token of lookahead, one statement in memory: time and memory are linear in the text and its expansion.
 * The header's version selects the grammar. A program without one is read as version 3, unless it includes a
 * library of version 2 and is valid in that version. The two then differ in angles such as `1/2`, a division
 * of whole numbers in version 3 only.
 */

import { MAX_FAULTS } from '../../errors/coded-error.ts';
import type { AngleFormulas } from '../angle-formulas.ts';
import { type Circuit, type DynamicCircuit, isStatic } from '../circuit.ts';
import type { CircuitLimits } from '../circuit-limits.ts';
import { OpenQasmError, OpenQasmLimitError, OpenQasmUnsupportedError } from '../errors.ts';
import { withoutDelays, withoutIdleResets } from '../idle-resets.ts';
import { type InputColumns, inputsAt } from '../input-columns.ts';
import type { BitRegister, CircuitBuilder } from './circuit-builder.ts';
import { DiagramTooLargeError, MAX_BITS_TESTED } from './decision-diagram.ts';
import { readInclude } from './gate-definitions.ts';
import { Interpreter } from './interpreter.ts';
import { type InputPoint, Inputs, type InputValues, OpenInputs } from './open-inputs.ts';
import { OpenQasm2Reader } from './openqasm2.ts';
import { NO_RESULTS, type ProgramResults, type Results } from './results.ts';
import { StatementParser } from './statement-parser.ts';
import type { Statement } from './syntax-tree.ts';
import { type ProgramWarning, quoted, TokenStream } from './token-stream.ts';

const TOO_LARGE_CONDITION = `A condition on measured bits has too many cases, or depends on more than ${MAX_BITS_TESTED} bits.`;

/** Options of reading a program. */
interface OpenQasmOptions {
  /** Values for `input` declarations, by name. */
  readonly inputs?: InputValues;
  /** Called with each fault after the first one, which is thrown in the end; without it, reading stops at the first. */
  readonly onFurtherFault?: (fault: OpenQasmError) => void;
}

/** A program that was read at one point of its inputs. */
export interface OpenProgram extends OpenQasmProgram {
  /** Formulas of the circuit's angles in the inputs, as long as the structural ones keep their values. */
  readonly formulas: AngleFormulas;
  /** Inputs whose values decide more than angles. */
  readonly structural: ReadonlySet<number>;
  /** For each input without a derivative a clause that says why: `decides which gates run (line 7)`. */
  readonly obstacles: ReadonlyMap<number, string>;
}

/** Result of reading a program. */
export interface OpenQasmProgram {
  readonly circuit: DynamicCircuit;
  /** Classical registers whose bits are part of the outcome, in the order of their declaration. */
  readonly registers: readonly BitRegister[];
  /** Parts of the text that were ignored. */
  readonly warnings: readonly ProgramWarning[];
  /** Results that the text requests. */
  readonly results: ProgramResults;
}

/**
 * Parses a program for a caller that accepts no noise, no loops on measured bits and no requests for results. Idle
 * resets are left out.
 *
 * @throws as `readOpenQasm`, and {OpenQasmUnsupportedError} where the text has noise, requests results, loops on
 *   measured bits or computes values from them.
 */
export function parseOpenQasm(
  source: string,
  limits: CircuitLimits,
  options: OpenQasmOptions = {},
): Circuit {
  const { circuit } = readAny(source, limits, { ...options, takesPragmas: false });
  if (isStatic(circuit)) return circuit;
  const construct = 'A loop on measured bits, or a value computed from them, in this place';
  throw new OpenQasmUnsupportedError({ line: 1, column: 1 }, construct);
}

/**
 * Parses an OpenQASM 2.0 or 3 program. Everything known while reading (variables, loops over ranges,
 * subroutines) is resolved. Everything that depends on measured bits becomes conditions, assignments and
 * loops of the circuit.
 *
 * Registers are numbered in the order of their declaration. Gate definitions are expanded. Idle resets stay
 * (`idle-resets.ts`).
 *
 * @throws {OpenQasmSyntaxError} where the grammar is broken; names the expected tokens.
 * @throws {OpenQasmMeaningError} at unknown names, indices out of range and the like.
 * @throws {OpenQasmUnsupportedError} at constructs that this service does not run, naming them.
 * @throws {OpenQasmLimitError} when a limit is exceeded, naming it.
 * @throws {OpenQasmInputError} when `inputs` do not match the program's declarations.
 */
export function readOpenQasm(
  source: string,
  limits: CircuitLimits,
  options: OpenQasmOptions = {},
): OpenQasmProgram {
  const { circuit, registers, warnings, results } = readAny(source, limits, {
    ...options,
    takesPragmas: true,
  });
  return { circuit, registers, warnings, results };
}

/**
 * Reads a program at one point of its inputs, and how its angles follow from them.
 *
 * @param fits - Shared by all readings of one program.
 * @throws as `readOpenQasm`.
 */
export function readOpenQasmAt(
  source: string,
  limits: CircuitLimits,
  columns: InputColumns,
  point: number,
  fits: Set<string>,
): OpenProgram {
  const inputs = inputsAt(columns, point);
  const at = { columns, point, fits };
  const { tokens, open, ...read } = readAny(source, limits, { inputs, at, takesPragmas: true });
  if (open === undefined) throw new Error('unreachable: a reading without a record');
  const obstacles = new Map<number, string>();
  for (const [input, { reason, offset }] of open.obstacles) {
    obstacles.set(input, `${reason} (line ${tokens.lineAt(offset)})`);
  }
  const structural = new Set(open.structural.keys());
  return { ...read, formulas: open.formulas(), structural, obstacles };
}

type ReadingOptions = OpenQasmOptions & {
  /** Whether the text may request results and have noise. */
  readonly takesPragmas: boolean;
  /** Point of many whose values `inputs` are. */
  readonly at?: InputPoint;
};

interface Reading extends OpenQasmProgram {
  /** Given where the program is read for many points. */
  readonly open: OpenInputs | undefined;
  readonly tokens: TokenStream;
}

function readAny(source: string, limits: CircuitLimits, options: ReadingOptions): Reading {
  const tokens = new TokenStream(source, limits.maxGates);
  const version = readVersion(tokens);
  const libraries = includedFirst(source, tokens.current.offset);
  const grammarOf2 = QUANTINUUM.some((library) => libraries.has(library)) ? 'hqslib1' : 2;
  if (version !== undefined) {
    return readVersioned(version === 2 ? grammarOf2 : 3, tokens, limits, options);
  }
  if (LIBRARIES_OF_2.some((library) => libraries.has(library))) {
    try {
      return readVersioned(grammarOf2, tokens, limits, options);
    } catch (error) {
      // A statement that version 2 lacks makes it a program of version 3.
      if (!(error instanceof OpenQasmError) || error instanceof OpenQasmLimitError) throw error;
    }
  }
  return readVersioned(3, new TokenStream(source, limits.maxGates), limits, options);
}

/** Noise where a circuit without noise is needed. */
const NOISE_HERE = '"#pragma braket noise" where a circuit without noise is needed';

function readVersioned(
  grammar: Grammar,
  tokens: TokenStream,
  limits: CircuitLimits,
  { inputs: values = {}, at, takesPragmas, onFurtherFault }: ReadingOptions,
): Reading {
  const open = at && new OpenInputs(at, limits.maxGates);
  const inputs = new Inputs(values, open);
  let read: { readonly builder: CircuitBuilder; readonly results?: Results };
  try {
    read =
      grammar === 2
        ? { builder: new OpenQasm2Reader(tokens, limits, open).read() }
        : readStatements(grammar === 3 ? 3 : 2, tokens, limits, inputs, onFurtherFault);
    if (!takesPragmas) {
      read.results?.refuse();
      const { noiseOffset } = read.builder;
      if (noiseOffset !== undefined) throw tokens.unsupported(noiseOffset, NOISE_HERE);
    }
  } catch (error) {
    // An error after a missing input may be a consequence of it.
    inputs.checkTaken();
    throw error;
  }
  // A circuit's own reading hands on warnings; a value that is not used elsewhere may be a sweep of nothing.
  const ignored = inputs.checkAll(takesPragmas && at === undefined);
  const written = read.builder.circuit(tokens.current.offset);
  const circuit = takesPragmas ? written : withoutDelays(withoutIdleResets(written));
  const results = read.results?.of(circuit) ?? NO_RESULTS;
  const { bitRegisters: registers } = read.builder;
  return {
    circuit,
    registers,
    warnings: [...tokens.warnings, ...ignored],
    results,
    tokens,
    open,
  };
}

/** Grammar of a program: version 2, version 2 with Quantinuum's assignments and conditions, or version 3. */
type Grammar = 2 | 'hqslib1' | 3;

/** Libraries of Quantinuum, which come with its grammar. */
const QUANTINUUM: readonly string[] = ['hqslib1.inc', 'hqslib1_dev.inc'];
/** Libraries of version 2; a few programs of version 3 include them too. */
const LIBRARIES_OF_2: readonly string[] = ['qelib1.inc', 'hqslib1.inc'];

/** The libraries that the first statements from `offset` on include. */
function includedFirst(source: string, offset: number): ReadonlySet<string> {
  const libraries = new Set<string>();
  const tokens = new TokenStream(source, undefined, offset);
  while (tokens.isWord('include')) {
    tokens.next();
    libraries.add(tokens.next().text);
    if (!tokens.accept(';')) break;
  }
  return libraries;
}

/** Statements that leave something in memory until the program is read. */
const STAYS: ReadonlySet<Statement['kind']> = new Set([
  ...(['gate', 'def', 'opaque', 'variable', 'array', 'register', 'alias', 'duration'] as const),
]);

/** Statements that leave nothing behind, so that reading goes on after one that has a fault. */
const LEAVE_NOTHING: ReadonlySet<Statement['kind']> = new Set([
  ...(['call', 'measure', 'reset', 'barrier', 'delay'] as const),
]);

/** @param version - 2 is version 2 with Quantinuum's assignments and conditions. */
function readStatements(
  version: 2 | 3,
  tokens: TokenStream,
  limits: CircuitLimits,
  inputs: Inputs,
  onFurtherFault: ReadingOptions['onFurtherFault'],
): Interpreter {
  const parser = new StatementParser(tokens, version);
  const interpreter = new Interpreter(tokens, limits, inputs, version);
  // Statements after `end`, and after a fault that others may follow from, are parsed, but not executed.
  let isParsedOnly = false;
  let first: OpenQasmError | undefined;
  let numFaults = 0;
  while (parser.isNext()) {
    const { offset } = tokens.current;
    tokens.beginStatement();
    let statement: Statement | undefined;
    try {
      if (tokens.isWord('include')) {
        readInclude(tokens, interpreter.gates);
        continue;
      }
      statement = parser.statement();
      if (isParsedOnly) continue;
      isParsedOnly = interpreter.runNext(statement);
      if (STAYS.has(statement.kind)) tokens.keepStatement();
    } catch (error) {
      const fault =
        error instanceof DiagramTooLargeError
          ? tokens.pastLimit(offset, TOO_LARGE_CONDITION)
          : error;
      if (!(fault instanceof OpenQasmError)) throw fault;
      if (first !== undefined && !(fault instanceof OpenQasmLimitError)) onFurtherFault?.(fault);
      first ??= fault;
      isParsedOnly ||= statement === undefined || !LEAVE_NOTHING.has(statement.kind);
      const isLast = ++numFaults === MAX_FAULTS || fault instanceof OpenQasmLimitError;
      if (onFurtherFault === undefined || isLast) throw first;
      // A statement that was parsed has been passed.
      if (statement === undefined && !tokens.skipStatement(offset)) throw first;
    }
  }
  if (first !== undefined) throw first;
  interpreter.finish();
  return interpreter;
}

/** Reads `OPENQASM 2.0;` or `OPENQASM 3.0;`, which must come first; undefined where it is left out. */
function readVersion(tokens: TokenStream): 2 | 3 | undefined {
  if (!tokens.isWord('OPENQASM')) return undefined;
  tokens.next();
  const { kind, text, offset } = tokens.current;
  if (kind !== 'integer' && kind !== 'real') throw tokens.unexpected('a version, 2.0 or 3.0');
  tokens.next();
  tokens.expect(';');
  if (/^2(\.0)?$/.test(text)) return 2;
  if (/^3(\.[01])?$/.test(text)) return 3;
  throw tokens.unsupported(
    offset,
    `OpenQASM version ${quoted(text)}, other than 2.0, 3.0 and 3.1,`,
  );
}
