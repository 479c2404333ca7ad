/** Describes procedures in Markdown: parameters, limits, and an example that runs. */
import { z } from 'zod';
import type { JsonObject } from '../src/workloads/procedures/json.ts';
import type { Procedure } from '../src/workloads/procedures/procedure.ts';

const field = z.object({
  description: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  $ref: z.string().optional(),
});
const objectSchema = z.object({
  properties: z.record(z.string(), field).default({}),
  required: z.array(z.string()).default([]),
});

/** Heading and description of a procedure; `body` is an example of a whole request. */
export function procedureSection(procedure: Procedure, path: string, body: JsonObject): string {
  const { name, description, limits, feeds } = procedure;
  const schema = objectSchema.parse(z.toJSONSchema(procedure.input, { io: 'input' }));
  const rows = Object.entries(schema.properties).map(([key, value]) => {
    const kind = value.enum?.map((each) => JSON.stringify(each)).join(', ') ?? kindOf(value);
    const isRequired = schema.required.includes(key) ? ', required' : '';
    return `| \`${key}\` | ${cell(kind)}${isRequired} | ${cell(value.description ?? '')} |`;
  });
  const bounds = Object.entries(limits).map(([key, value]) => `\`${key}\` ${value}`);
  const fed = Object.entries(feeds).map(([from, to]) => `its \`${from}\` feeds \`${to}\``);
  return [
    `### \`${name}\`\n`,
    `${description}\n`,
    rows.length > 0 ? `| input | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n` : '',
    `Limits: ${bounds.join(', ')}.${fed.length > 0 ? ` In plans, ${fed.join(', ')} of later tasks.` : ''}\n`,
    `\`POST /api/v1${path}\`\n`,
    `\`\`\`json\n${JSON.stringify(body)}\n\`\`\`\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function kindOf({ type, anyOf, $ref }: z.output<typeof field>): string {
  // Schemas with a name are objects.
  if ($ref !== undefined) return 'object';
  if (type !== undefined) return Array.isArray(type) ? type.join(' or ') : type;
  const kinds = (anyOf ?? []).map((each) => kindOf(field.parse(each)));
  return kinds.length > 0 ? [...new Set(kinds)].join(' or ') : 'any';
}

/** Escapes a text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
