/**
 * Turns the issues that zod finds in a value into plain sentences: which field is wrong, the required and the found
 * value, and a correction. Lists that are too long are found before zod reads them.
 *
 * Every message about the form of an input is worded here; zod's own wording is never shown.
 */
import * as z from 'zod';
import { type Fault, MAX_FAULTS } from './coded-error.ts';
import { formatPath } from './fault-path.ts';
import { didYouMean } from './nearest-names.ts';
import { foundText, insteadOf } from './wrong-values.ts';

/** Returns a schema's own advice on a field that its object does not have; undefined where it has none. */
export type FieldAdvice = (object: unknown, field: string) => string | undefined;

/** Advice of schemas. Register the schema last: a name or meta data makes a new schema object. */
export const FIELD_ADVICE = z.registry<{ readonly advise: FieldAdvice }>();

/** Most fields of an object that a message lists. */
const MAX_LISTED = 20;

/**
 * Returns the faults of a value's form, one a field even where zod reports several fields together.
 *
 * A message begins with the name of its field, or quotes it.
 *
 * @param error - Result of parsing `value` with `schema`.
 * @param root - Path of `value` in the input.
 * @returns At most MAX_FAULTS faults.
 */
export function formFaults(
  error: z.ZodError,
  schema: z.ZodType,
  value: unknown,
  root: readonly PropertyKey[] = [],
): readonly Fault[] {
  const faults: Fault[] = [];
  describe(error.issues, { schema, value, root }, faults);
  return faults.slice(0, MAX_FAULTS);
}

/** A value, its schema, and its path in the caller's input. */
interface Place {
  readonly schema: z.ZodType | undefined;
  readonly value: unknown;
  readonly root: readonly PropertyKey[];
}

function describe(issues: readonly z.core.$ZodIssue[], place: Place, faults: Fault[]): void {
  for (const [i, issue] of issues.entries()) {
    if (faults.length >= MAX_FAULTS) return;
    if (isRepeated(issue, issues[i + 1])) continue;
    describeIssue(issue, inside(place, issue.path), faults);
  }
}

/**
 * Whether the next issue says the same of the same value. An integer beyond 2^53 breaks zod's bound for
 * integers first, and then that of its field.
 */
function isRepeated(issue: z.core.$ZodIssue, next: z.core.$ZodIssue | undefined): boolean {
  const isOfBound = issue.code === 'too_big' || issue.code === 'too_small';
  return isOfBound && next?.code === issue.code && `${next.path}` === `${issue.path}`;
}

function inside({ schema, value, root }: Place, path: readonly PropertyKey[]): Place {
  let found = value;
  for (const key of path) {
    // Checked: reading an own field of an object is safe.
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Record<PropertyKey, unknown>)[key]
        : undefined;
  }
  return {
    schema: schema && schemaAt(schema, path, value),
    value: found,
    root: [...root, ...path],
  };
}

function describeIssue(issue: z.core.$ZodIssue, place: Place, faults: Fault[]): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      faults.push({ path: formatPath([...place.root, key]), message: unknownField(key, place) });
    }
    return;
  }
  if (issue.code === 'invalid_union') {
    const branch = branchMeant(issue.errors);
    if (branch !== undefined) {
      describe(branch, place, faults);
      return;
    }
  }
  faults.push({ path: formatPath(place.root), message: sentence(issue, place) });
}

/**
 * Alternative of a union that the caller most likely meant: its own type fits, and it has the fewest issues.
 */
function branchMeant(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const fitting = branches.filter((issues) =>
    issues.every(({ code, path }) => path.length > 0 || !TYPE_CODES.has(code)),
  );
  return fitting.toSorted((a, b) => a.length - b.length)[0];
}

const TYPE_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function unknownField(field: string, { schema, value }: Place): string {
  const object = schema && unwrapped(schema);
  const advice = object && FIELD_ADVICE.get(object)?.advise(value, field);
  if (advice !== undefined) return advice;
  const known = object instanceof z.ZodObject ? Object.keys(object.shape) : [];
  const shown = field.length > 40 ? `${field.slice(0, 40)}…` : field;
  const problem = `There is no field ${JSON.stringify(shown)} here`;
  const near = didYouMean(field, known);
  if (near !== '') return `${problem}.${near}`;
  if (known.length === 0) return `${problem}; leave it out.`;
  const listed = known.slice(0, MAX_LISTED).join(', ');
  return `${problem}; leave it out. The fields are ${listed}${known.length > MAX_LISTED ? ', …' : ''}.`;
}

/** Builds the sentence of one issue: `shots must be at least 1, not 0.` */
function sentence(issue: z.core.$ZodIssue, place: Place): string {
  const name = nameOf(place.root);
  // A custom check may bring a whole sentence of its own.
  if (issue.code === 'custom' && !/^must\b/i.test(issue.message)) return issue.message;
  if (place.value === undefined) {
    return `${name} is missing; give ${withNote(kindOf(place.schema), place.schema)}.`;
  }
  return `${name} ${predicate(issue, place)}`;
}

/** Last name of a path with the indices after it. The whole input is called the body. */
function nameOf(path: readonly PropertyKey[]): string {
  const last = path.findLastIndex((part) => typeof part !== 'number');
  const name = formatPath(path.slice(Math.max(0, last)));
  if (name.startsWith('[')) return `Entry ${name}`;
  return name === '' ? 'The body' : name;
}

function predicate(issue: z.core.$ZodIssue, { schema, value, root }: Place): string {
  const found = foundText(value);
  switch (issue.code) {
    case 'too_small':
      return `must ${boundText(issue.origin, 'least', issue.minimum, issue)}${sizeFound(value)}.`;
    case 'too_big':
      return `must ${boundText(issue.origin, 'most', issue.maximum, issue)}${sizeFound(value)}.`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}, not ${found}.`;
    case 'invalid_value': {
      const near = typeof value === 'string' ? didYouMean(value, issue.values.map(String)) : '';
      return `must be ${oneOf(issue.values.map(String))}, not ${found}.${near}`;
    }
    case 'invalid_format':
      return `${formatText(issue)}, not ${found}.`;
    case 'invalid_key': {
      const [fault] = issue.issues;
      const key = { schema: undefined, value: root.at(-1), root };
      return fault === undefined
        ? 'must have another name.'
        : `must have another name: it ${predicate(fault, key)}`;
    }
    case 'custom':
      return `${lowerFirst(issue.message).replace(/\.$/, '')}.`;
    default:
      // All other issues are wrong types, however zod reports them.
      return `must be ${withNote(kindOf(schema), schema)}, not ${found}${instead(value, schema)}.`;
  }
}

function instead(value: unknown, schema: z.ZodType | undefined): string {
  if (value !== null) return insteadOf(value, kindOf(schema));
  return schema?.safeParse(undefined).success
    ? '; leave the field out if it has no value (a number that is not finite becomes null in JSON)'
    : '';
}

function boundText(
  origin: string,
  end: 'least' | 'most',
  bound: number | bigint,
  { inclusive, exact }: { readonly inclusive?: boolean; readonly exact?: boolean },
): string {
  const noun = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : undefined;
  if (noun === undefined) {
    if (inclusive === false) return `be ${end === 'least' ? 'more' : 'less'} than ${bound}`;
    return `be at ${end} ${bound}`;
  }
  const nouns = Number(bound) === 1 ? noun : noun === 'entry' ? 'entries' : `${noun}s`;
  return `have ${exact ? 'exactly' : `at ${end}`} ${bound} ${nouns}`;
}

/** Length of a string or list that has a wrong size; the number itself of a number. */
function sizeFound(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value)) return `; it has ${value.length}`;
  return `, not ${foundText(value)}`;
}

/** Name of a format, or else the schema's own message. */
function formatText({ format, message }: z.core.$ZodIssueInvalidStringFormat): string {
  if (format === 'datetime') return 'must be a time with its zone, such as 2027-06-30T00:00:00Z';
  return lowerFirst(message).replace(/\.$/, '');
}

/** Joins values: `low, normal or high`. */
function oneOf(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}

/** Adds the field's description from the document, where it is short. */
function withNote(kind: string, schema: z.ZodType | undefined): string {
  const description = schema?.description ?? (schema && unwrapped(schema).description);
  if (description === undefined || description.length > MAX_NOTE) return kind;
  return `${kind} (${lowerFirst(description)})`;
}

const MAX_NOTE = 80;

function lowerFirst(text: string): string {
  // Does not change names such as M, UNITARY and OpenQASM.
  return /^(?:A|[A-Z][a-z]+)\b/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/**
 * Returns a fault for every array and object that is too long. It runs before a schema validates every entry
 * of them.
 *
 * @param value - Parsed JSON that is not nested deeply: the walk is recursive.
 * @param maxLength - Most entries of an array, and most fields of an object.
 * @param longer - Fields of `value` itself whose arrays, and the arrays directly in them, have no limit here.
 */
export function sizeFaults(
  value: unknown,
  maxLength: number,
  longer: ReadonlySet<PropertyKey> = new Set(),
): readonly Fault[] {
  const faults: Fault[] = [];
  walk(value, [], faults);
  return faults;

  function walk(part: unknown, path: readonly PropertyKey[], found: Fault[]): void {
    if (typeof part !== 'object' || part === null || found.length >= MAX_FAULTS) return;
    const isList = Array.isArray(part);
    const isLonger = isList && path.length <= 2 && longer.has(path[0] ?? '');
    const entries: readonly unknown[] = isList ? part : Object.values(part);
    if (entries.length > maxLength && !isLonger) {
      const what = isList ? 'entries' : 'fields';
      const message = `${entries.length} ${what}; at most ${maxLength} are read.`;
      found.push({ path: formatPath(path), message });
      return;
    }
    const names = isList ? undefined : Object.keys(part);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (typeof entry === 'object') walk(entry, [...path, names?.[i] ?? i], found);
    }
  }
}

// Finds the part of a zod schema that describes a place in a value, and names the kind of value that it
// accepts.

/** Strips the wrappers that make a schema optional, nullable, defaulted, read-only or transformed. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  for (;;) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodCatch ||
      inner instanceof z.ZodReadonly
    ) {
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodPipe) {
      inner = inner.def.in;
    } else {
      // Checked: zod's public constructors wrap public types only.
      return inner as z.ZodType;
    }
  }
}

/**
 * Returns the schema of a place; undefined where the schema does not describe it.
 *
 * @param path - Path from the root to the place.
 * @param value - Value at the root. In a union, the first alternative that has such a place is taken.
 */
function schemaAt(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  value: unknown,
): z.ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const outer = unwrapped(schema);
  if (outer instanceof z.ZodUnion) {
    const found = outer.options.map((option) => schemaAt(publicType(option), path, value));
    return found.find((candidate) => candidate !== undefined);
  }
  const inner = childOf(outer, key);
  return inner && schemaAt(inner, rest, undefined);
}

function childOf(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<PropertyKey, z.ZodType>> = schema.shape;
    return Object.hasOwn(shape, key) ? shape[key] : undefined;
  }
  if (schema instanceof z.ZodArray) return publicType(schema.element);
  if (schema instanceof z.ZodRecord) return publicType(schema.valueType);
  if (schema instanceof z.ZodTuple && typeof key === 'number') {
    const item = schema.def.items[key];
    return item && publicType(item);
  }
  return undefined;
}

/** Names the kind of value that a schema accepts, to end "must be …" and "give …". */
function kindOf(schema: z.ZodType | undefined): string {
  const inner = schema && unwrapped(schema);
  if (inner instanceof z.ZodNumber) return isWhole(inner) ? 'a whole number' : 'a number';
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return 'a string';
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodArray) return 'a list';
  if (inner instanceof z.ZodTuple) return `a list of ${inner.def.items.length}`;
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return 'a JSON object';
  if (inner instanceof z.ZodEnum) return `one of ${inner.options.join(', ')}`;
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String).join(' or ');
  if (inner instanceof z.ZodNull) return 'null';
  if (inner instanceof z.ZodUnion) {
    return [...new Set(inner.options.map((option) => kindOf(publicType(option))))].join(' or ');
  }
  return 'a value';
}

/** Whether a number must be an integer, including those that only the document calls integers. */
function isWhole(schema: z.ZodNumber): boolean {
  return schema.format === 'safeint' || schema.meta()?.['type'] === 'integer';
}

/** Checked: zod's public constructors hold public types only. */
function publicType(schema: z.core.$ZodType): z.ZodType {
  return schema as z.ZodType;
}
