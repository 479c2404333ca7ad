/**
 * The API reference: a page for each operation of the OpenAPI document, and one that lists them.
 *
 * Libraries draw all operations by script. Scalar weighs 885 KB compressed with the document, and axe finds faults in it, in
 * RapiDoc, which also fails at schemas that contain themselves, and in Swagger UI. Redoc's file alone weighs 650 KB; it was not
 * tried further. These pages weigh a few KB, in the frame and with the key of the console.
 */
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Entry } from '../../console/documents/found-entries.ts';
import { jsonBlock } from './console-page.ts';
import {
  escapedHtml,
  framedPage,
  type LinkGroup,
  listingHtml,
  turnsHtml,
} from './document-frame.ts';
import { highlighted } from './highlight.ts';

/** Path of the list of operations. */
export const REFERENCE_PATH = '/docs';
/** Path of the pages of operations. */
export const OPERATIONS_PATH = '/docs/operations';

type Document = OpenAPIV3_1.Document;
type OperationObject = OpenAPIV3_1.OperationObject;

/** An operation with its place. */
interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** Path below /api/v1, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly object: OperationObject;
}

/** A schema of the document, or a reference to one. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Levels of arrays and alternatives that a type is written with. */
const MAX_DEPTH = 4;

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

/** Pages of an OpenAPI document. */
export class Reference {
  readonly #document: Document;
  readonly #operations: readonly Operation[];

  constructor(document: Document) {
    this.#document = document;
    this.#operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method): Operation[] => {
        const object = item?.[method];
        if (object === undefined) return [];
        const {
          operationId: id = '',
          tags: [tag = ''] = [],
          summary = '',
          description = '',
        } = object;
        return [{ id, tag, method, path, summary, description, object }];
      }),
    );
  }

  /** Ids of all operations. */
  ids(): readonly string[] {
    return this.#operations.map(({ id }) => id);
  }

  /** Entries of the search. */
  entries(): readonly Entry[] {
    return this.#operations.map(({ id, method, path, summary, description }) => ({
      path: `${OPERATIONS_PATH}/${id}`,
      title: summary,
      section: '',
      text: `${method.toUpperCase()} /api/v1${path} ${description}`,
    }));
  }

  /** The page with all operations. */
  list(): Promise<string> {
    const { info, tags = [] } = this.#document;
    const groups = tags.map(({ name, description = '' }) => {
      const rows = this.#operations
        .filter(({ tag }) => tag === name)
        .map(
          (each) =>
            `<tr><td>${methodHtml(each)} <code>${escapedHtml(each.path)}</code></td><td><a href="${OPERATIONS_PATH}/${each.id}">${escapedHtml(each.summary)}</a></td></tr>`,
        );
      return `<h2 id="${name}">${titleOf(name)}</h2>\n<p>${escapedHtml(description)}</p>\n<div class="scroll" tabindex="0"><table class="operations"><thead><tr><th>Request</th><th>What it does</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
    });
    const intro = (info.description ?? '')
      .split(/\n\n/)
      .map((paragraph) => `<p>${prose(paragraph)}</p>`);
    const body = [
      '<h1>API reference</h1>',
      ...intro,
      '<p>All paths are below <code>/api/v1</code>. The key is sent in the header <code>X-API-Key</code>.</p>',
      ...groups,
    ].join('\n');
    return this.#framed('API reference', REFERENCE_PATH, body);
  }

  /** The page of an operation. @param id - One of `ids`. */
  operation(id: string): Promise<string> {
    const path = `${OPERATIONS_PATH}/${id}`;
    const one = this.#operations.find((each) => each.id === id);
    if (one === undefined) throw new Error(`unreachable: no operation ${id}`);
    const { object, summary, description } = one;
    const body = [
      `<p class="back"><a href="${REFERENCE_PATH}">All operations</a></p>`,
      `<h1>${escapedHtml(summary)}</h1>`,
      `<p class="endpoint">${methodHtml(one)} /api/v1${escapedHtml(one.path)}</p>`,
      ...(description === '' ? [] : [`<p>${prose(description)}</p>`]),
      '<div id="try"></div>',
      `<script type="application/json" id="operation">${jsonBlock(this.#tried(one))}</script>`,
      this.#parameters(object),
      this.#requestBody(object),
      '<h2 id="answers">Answers</h2>',
      ...Object.entries(object.responses ?? {}).map(([status, response]) =>
        this.#answer(status, response),
      ),
      this.#turns(one),
    ].join('\n');
    return this.#framed(summary, path, body);
  }

  #framed(title: string, path: string, body: string): Promise<string> {
    const groups = (this.#document.tags ?? []).map(
      ({ name }): LinkGroup => ({
        title: titleOf(name),
        links: this.#operations
          .filter(({ tag }) => tag === name)
          .map(({ id, summary }) => ({ path: `${OPERATIONS_PATH}/${id}`, title: summary })),
      }),
    );
    return framedPage({ title, path, side: { label: 'Operations', groups }, body });
  }

  #turns({ id }: Operation): string {
    const at = this.#operations.findIndex((each) => each.id === id);
    const link = (index: number) => {
      const each = this.#operations[index];
      return each && { path: `${OPERATIONS_PATH}/${each.id}`, title: each.summary };
    };
    return turnsHtml(link(at - 1), link(at + 1));
  }

  /** What the page's form needs. */
  #tried({ object, method, path }: Operation) {
    const parameters = this.#parametersOf(object).filter((each) => each.in !== 'header');
    return {
      route: `${method.toUpperCase()} ${path}`,
      isPublic: object.security?.length === 0,
      parameters: parameters.map((each) => ({
        name: each.name,
        in: each.in,
        isRequired: each.required === true,
        example: each.required === true ? String(each.example ?? '') : '',
      })),
      examples: this.#examples(this.#resolved(object.requestBody)?.content),
    };
  }

  #parametersOf({ parameters = [] }: OperationObject) {
    return parameters.map((each) => this.#resolved(each)).filter((each) => each !== undefined);
  }

  #parameters(object: OperationObject): string {
    const rows = this.#parametersOf(object).map((each) => {
      const schema = (each.schema ?? {}) as Schema;
      const where = each.in === 'header' ? 'header' : each.in;
      const words = [where, this.#type(schema), each.required === true ? 'required' : 'optional'];
      return field(each.name, words, each.description ?? schema.description, '');
    });
    if (rows.length === 0) return '';
    return `<h2 id="parameters">Parameters</h2>\n<ul class="fields-of">${rows.join('\n')}</ul>`;
  }

  #requestBody({ requestBody }: OperationObject): string {
    const content = this.#resolved(requestBody)?.content;
    const schema = content?.['application/json']?.schema as Schema | undefined;
    if (schema === undefined) return '';
    const examples = this.#examples(content).map(({ name, value }) =>
      folded(`Example: ${name}`, jsonHtml(value)),
    );
    return `<h2 id="body">Body</h2>\n${this.#fields(schema, [])}\n${examples.join('\n')}`;
  }

  #answer(status: string, given: NonNullable<OperationObject['responses']>[string]): string {
    const response = this.#resolved(given);
    const [[type, media] = []] = Object.entries(response?.content ?? {});
    const schema = media?.schema as Schema | undefined;
    const examples = this.#examples(response?.content);
    const contents = [
      ...(type === undefined || type === 'application/json' ? [] : [`<p>${escapedHtml(type)}</p>`]),
      ...(schema === undefined ? [] : [this.#fields(schema, [])]),
      ...examples.map(({ value }) => folded('A recorded answer', jsonHtml(value))),
    ];
    const title = `${status} ${response?.description ?? ''}`;
    const headers = Object.keys(response?.headers ?? {}).map((name) => `<code>${name}</code>`);
    return folded(
      title,
      `${contents.join('\n')}\n${headers.length === 0 ? '' : `<p>Headers: ${headers.join(', ')}</p>`}`,
    );
  }

  #examples(content: Readonly<Record<string, OpenAPIV3_1.MediaTypeObject>> | undefined) {
    const media = content?.['application/json'];
    if (media === undefined) return [];
    const { examples = {}, example } = media;
    if (example !== undefined) return [{ name: 'example', value: example as unknown }];
    return Object.entries(examples).flatMap(([name, given]) => {
      const { summary = name, value } = this.#resolved(given) ?? {};
      return [{ name: summary, value: value as unknown }];
    });
  }

  /** The object itself, or what a reference leads to. */
  #resolved<T extends object>(given: T | OpenAPIV3_1.ReferenceObject | undefined): T | undefined {
    // A schema may be true or false.
    if (typeof given !== 'object' || !('$ref' in given)) return given;
    let found: unknown = this.#document;
    for (const part of String(given.$ref).split('/').slice(1))
      found = Reflect.get(Object(found), part);
    // The cast is safe: references lead to objects of the kind that they stand for.
    return found as T | undefined;
  }

  /** Fields of an object, alternatives or the items of an array, below each other. @param within - Names of schemas around it. */
  #fields(given: Schema, within: readonly string[]): string {
    const name = given.$ref?.replace(/^.*\//, '');
    if (name !== undefined && within.includes(name)) {
      return `<p>The fields of <code>${escapedHtml(name)}</code> again.</p>`;
    }
    const schema = this.#resolved<Schema>(given) ?? {};
    const inside = name === undefined ? within : [...within, name];
    const { properties, items, anyOf, oneOf, additionalProperties } = schema;
    // Alternatives that say only which fields stand together have no type.
    const others = (anyOf ?? oneOf ?? []).filter((each) => this.#type(each) !== '');
    const rows = Object.entries(properties ?? {}).map(([key, value]) => {
      const isRequired = schema.required?.includes(key) === true;
      const words = [this.#type(value), isRequired ? 'required' : 'optional'];
      const own = this.#resolved<Schema>(value) ?? {};
      return field(key, words, own.description, this.#nested(value, inside));
    });
    const list = rows.length === 0 ? '' : `<ul class="fields-of">${rows.join('\n')}</ul>`;
    const alternatives = others.map((each) =>
      this.#hasFields(each)
        ? folded(`One form: ${this.#type(each)}`, this.#fields(each, inside))
        : `<p>One form: ${escapedHtml(this.#type(each))}</p>`,
    );
    const values =
      typeof additionalProperties === 'object' && this.#hasFields(additionalProperties)
        ? folded('Each value', this.#fields(additionalProperties, inside))
        : '';
    const each = items !== undefined && this.#hasFields(items) ? this.#fields(items, inside) : '';
    return [list, ...alternatives, values, each].filter((part) => part !== '').join('\n');
  }

  #nested(schema: Schema, within: readonly string[]): string {
    return this.#hasFields(schema) ? folded('Fields', this.#fields(schema, within)) : '';
  }

  /** Whether there is more to say of a schema than its type. */
  #hasFields(given: Schema, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    const schema = this.#resolved<Schema>(given) ?? {};
    const { properties, items, anyOf, oneOf, additionalProperties } = schema;
    if (properties !== undefined) return Object.keys(properties).length > 0;
    if (items !== undefined) return this.#hasFields(items, depth + 1);
    if (typeof additionalProperties === 'object')
      return this.#hasFields(additionalProperties, depth + 1);
    return (anyOf ?? oneOf ?? []).some((each) => this.#hasFields(each, depth + 1));
  }

  /** Type and limits of a schema in words. */
  #type(given: Schema, depth = 0): string {
    // Arrays may contain themselves.
    if (depth > MAX_DEPTH) return 'values';
    const schema = this.#resolved<Schema>(given) ?? {};
    const { type, items, prefixItems, enum: values, const: value, anyOf, oneOf } = schema;
    if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
    if (value !== undefined) return JSON.stringify(value);
    const limits = limitsOf(schema);
    const named = typeof type === 'string' ? type : (type?.join(' or ') ?? '');
    if (items !== undefined)
      return [`array of ${this.#type(items, depth + 1) || 'values'}`, ...limits].join(', ');
    if (prefixItems !== undefined) return `array of ${prefixItems.length} values`;
    if (named !== '') return [named, ...limits].join(', ');
    const forms = [...new Set((anyOf ?? oneOf ?? []).map((each) => this.#type(each, depth + 1)))];
    return forms.filter((each) => each !== '').join(' or ');
  }
}

/** Limits of values, in words. */
function limitsOf(schema: Schema): readonly string[] {
  const { format, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const { minLength, maxLength, minItems, maxItems, default: usual } = schema;
  const between = (least: number | undefined, most: number | undefined, unit: string) => {
    // Whole numbers of JSON end where doubles are no longer exact.
    const isBounded = most !== undefined && most < Number.MAX_SAFE_INTEGER;
    if (least !== undefined && isBounded) return [`${least} to ${most}${unit}`];
    if (isBounded) return [`at most ${most}${unit}`];
    return least === undefined || least <= -Number.MAX_SAFE_INTEGER
      ? []
      : [`at least ${least}${unit}`];
  };
  return [
    ...(format === undefined ? [] : [format]),
    ...between(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...between(minLength, maxLength, ' letters'),
    ...between(minItems, maxItems, ' items'),
    ...(pattern === undefined || format !== undefined ? [] : [`matches ${pattern}`]),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
  ];
}

function field(
  name: string,
  words: readonly string[],
  description: string | undefined,
  nested: string,
): string {
  const type = words.filter((word) => word !== '').join('; ');
  const told = description === undefined ? '' : `<p>${prose(description)}</p>`;
  return `<li><code>${escapedHtml(name)}</code> <span class="type">${escapedHtml(type)}</span>${told}${nested}</li>`;
}

/** Text of the document, whose code stands between backticks. */
function prose(text: string): string {
  return escapedHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function folded(title: string, contents: string): string {
  return `<details><summary>${escapedHtml(title)}</summary>\n${contents}\n</details>`;
}

function jsonHtml(value: unknown): string {
  return listingHtml(highlighted(JSON.stringify(value, null, 2), 'json'));
}

function methodHtml({ method }: Pick<Operation, 'method'>): string {
  return `<span class="method ${method}">${method.toUpperCase()}</span>`;
}

function titleOf(tag: string): string {
  return tag === 'tpu' ? 'TPU' : tag.charAt(0).toUpperCase() + tag.slice(1);
}
