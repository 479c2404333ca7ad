/**
 * The service answers the requests in requests.ts as was recorded in answers.json, whatever is changed inside.
 *
 * Where an answer is to change, `QCS_RECORD_ANSWERS=1` records all of them anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OrderedJson, prettyOrdered, readOrdered, writeOrdered } from './ordered-json.ts';
import type { GoldenRequest } from './requests/golden-request.ts';
import { GOLDEN_REQUESTS } from './requests.ts';
import {
  type Answer,
  ended,
  type GoldenService,
  openGoldenService,
  send,
} from './service/golden-service.ts';
import { stableAnswer } from './stable-answer.ts';

const FILE = new URL('answers.json', import.meta.url);
const IS_RECORDING = process.env['QCS_RECORD_ANSWERS'] === '1';

let golden: GoldenService;
beforeAll(async () => {
  golden = await openGoldenService();
});
afterAll(() => golden?.[Symbol.asyncDispose]());

/** The recorded answers, each a line of the file. */
const recorded = new Map<string, string>(
  readFileSync(FILE, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, answer] = /^("(?:[^"\\]|\\.)*"): (.*?),?$/.exec(line) ?? [];
      return name === undefined || answer === undefined ? [] : [[JSON.parse(name), answer]];
    }),
);
const found = new Map<string, string>();

/** Sends a request, and what is to be read of its job; gives all answers. */
async function answersOf(request: GoldenRequest): Promise<readonly OrderedJson[]> {
  const { method = 'POST', path, body, headers, reads = [], keepsReuse } = request;
  const first = await send(golden, {
    method,
    path,
    body,
    ...(headers !== undefined && { headers }),
  });
  const answers = [stableAnswer(orderedAnswer(first), keepsReuse)];
  const location = reads.length === 0 ? undefined : locationOf(path, first);
  if (location === undefined) return answers;
  await ended(golden, location);
  for (const read of reads) {
    const [verb, below = ''] = read.split(' ');
    const answer = await send(golden, {
      // The cast is safe: the tables write it so.
      method: verb as 'GET',
      path: `${location}${below}`,
    });
    answers.push(stableAnswer(orderedAnswer(answer), keepsReuse));
  }
  return answers;
}

/** Path of the job that a request made; undefined if it was refused. IonQ's interface tells its id alone. */
function locationOf(path: string, { headers, text }: Answer): string | undefined {
  const { id } = JSON.parse(text);
  return headers['location'] ?? (id === undefined ? undefined : `${path}/${id}`);
}

/** An answer as JSON; a body that is none as text. */
function orderedAnswer({ status, headers, text }: Answer): OrderedJson {
  const told = Object.entries(headers);
  const isJson = text.startsWith('{') || text.startsWith('[');
  const body: OrderedJson = isJson ? readOrdered(text) : text;
  return {
    fields: [
      ['status', status],
      ...(told.length === 0 ? [] : [['headers', { fields: told }] as const]),
      ...(text === '' ? [] : [['body', body] as const]),
    ],
  };
}

const pretty = (line: string | undefined) =>
  line === undefined ? 'nothing is recorded' : prettyOrdered(readOrdered(line));

test.each(GOLDEN_REQUESTS)('$name', async (request) => {
  const answer = writeOrdered(await answersOf(request));
  found.set(request.name, answer);
  if (IS_RECORDING || answer === recorded.get(request.name)) return;
  expect(pretty(answer)).toBe(pretty(recorded.get(request.name)));
});

test('each recorded answer is that of one request', () => {
  const names = GOLDEN_REQUESTS.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  if (IS_RECORDING) {
    const lines = names.flatMap((name) => {
      // A run of some of the tests leaves the other answers as they are.
      const answer = found.get(name) ?? recorded.get(name);
      return answer === undefined ? [] : `${JSON.stringify(name)}: ${answer}`;
    });
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
    return;
  }
  expect([...recorded.keys()].filter((name) => !names.includes(name))).toEqual([]);
});
