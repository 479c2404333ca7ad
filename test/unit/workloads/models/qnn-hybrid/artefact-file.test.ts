/** Validation of the deployed model's file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  ARTEFACT_FILE,
  contentHash,
  readArtefact,
} from '../../../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { artefactText } from '../../../../../src/workloads/models/qnn-hybrid/build-artefact.ts';
import type { ModelArtefact } from '../../../../../src/workloads/models/qnn-hybrid/model-card.ts';

const folder = mkdtempSync(join(tmpdir(), 'artefact-'));
afterAll(() => rmSync(folder, { recursive: true }));

const whole = readArtefact();

function fileWith(text: string): string {
  const file = join(folder, 'model.json');
  writeFileSync(file, text);
  return file;
}

/** The parameters changed, with the hash made for them. */
function withParameters(change: Partial<ModelArtefact['parameters']>): object {
  const parameters = { ...whole.parameters, ...change };
  return {
    ...whole,
    parameters,
    card: { ...whole.card, parameter_hash: contentHash(parameters) },
  };
}

test('the committed file is read as it is written', () => {
  expect(artefactText(whole)).toBe(readFileSync(ARTEFACT_FILE, 'utf8'));
  expect(readArtefact(fileWith(artefactText(whole)))).toEqual(whole);
});

test.each<[string, object]>([
  ['a parameter is changed', { ...whole, parameters: { ...whole.parameters, threshold: 0.5 } }],
  ['a parameter is missing', withParameters({ theta: whole.parameters.theta.slice(1) })],
  ['the layers do not fit the parameters', withParameters({ layers: 2 })],
  ['the format is a later one', { ...whole, format: 2 }],
  ['there are no known answers', { ...whole, known_answers: [] }],
  ['a range is not of four features', withParameters({ minimums: [1, 2, 3] })],
  [
    'the circuit is too wide to be served',
    withParameters({ qubits: 13, theta: new Array<number>(39).fill(0) }),
  ],
  ['there is a field that nobody knows', { ...whole, comment: 'hello' }],
  ['the card is missing', { ...whole, card: undefined }],
])('a file is refused where %s', (_, content) => {
  const file = fileWith(JSON.stringify(content));
  expect(() => readArtefact(file)).toThrow(
    expect.objectContaining({ code: 'WORKLOADS_ARTEFACT_INVALID' }),
  );
});

test.each([
  ['half of it', artefactText(whole).slice(0, 5000)],
  ['nothing', ''],
])('a file that holds %s is refused', (_, text) => {
  const file = fileWith(text);
  expect(() => readArtefact(file)).toThrow(
    expect.objectContaining({ code: 'WORKLOADS_ARTEFACT_INVALID' }),
  );
});

test('a file that is not there is refused', () => {
  expect(() => readArtefact(join(folder, 'nowhere.json'))).toThrow(
    expect.objectContaining({ code: 'WORKLOADS_ARTEFACT_INVALID' }),
  );
});

test('the fault names the field', () => {
  const file = fileWith(JSON.stringify(withParameters({ layers: 0 })));
  expect(() => readArtefact(file)).toThrow(/parameters\.layers/);
});

test('the hash is of the numbers, not of the order of fields', () => {
  const { parameters } = whole;
  const turned = Object.fromEntries(Object.entries(parameters).reverse());
  expect(contentHash({ ...parameters, ...turned })).toBe(whole.card.parameter_hash);
  const moved = { ...parameters, theta: parameters.theta.toReversed() };
  expect(contentHash(moved)).not.toBe(whole.card.parameter_hash);
});
