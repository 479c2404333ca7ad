/** The page at `/` and its files, as HTTP sends them. */
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DemoFacts } from '../../src/console/demo/demo-facts.ts';
import { pageFiles } from '../../src/service/documents/console-page.ts';
import { DEMO_FACTS } from '../support/demo-facts.ts';
import { openModelService } from './support/model-service.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
let facts: DemoFacts = DEMO_FACTS;
beforeAll(async () => {
  service = await openTestService({ demoFacts: () => facts });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Everything that the page names of this service's files. */
function linksOf(page: string): readonly string[] {
  return [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, link]) => link ?? '');
}

function factsOf(page: string): unknown {
  const [, json] = /<script type="application\/json" id="facts">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json ?? '');
}

const demoFacts = z.object({
  labelAbove: z.literal([0, 1]),
  labels: z.array(z.string()),
  examples: z.array(z.object({ input: z.array(z.number()) })),
});
const demoFactsOf = (page: string) => demoFacts.parse(factsOf(page));

describe('GET /', () => {
  test('is a page without a key that may load nothing but files of this service', async () => {
    const page = await service.app.inject({ url: '/' });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page.body).not.toContain('{{');
  });

  test('holds no style and no script of its own', async () => {
    const { body } = await service.app.inject({ url: '/' });
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=/);
    const scripts = [...body.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
    expect(scripts).toHaveLength(2);
    expect(scripts[0]).toContain('type="application/json"');
    expect(scripts[1]).toContain('src="');
  });

  test('holds the facts of its moment, and is not kept', async () => {
    const first = await service.app.inject({ url: '/' });
    expect(factsOf(first.body)).toEqual(DEMO_FACTS);
    facts = { ...DEMO_FACTS, availability: { available: false, reason: 'Maintenance.' } };
    const second = await service.app.inject({ url: '/' });
    facts = DEMO_FACTS;
    expect(factsOf(second.body)).toMatchObject({ availability: { available: false } });
    expect(second.headers['cache-control']).toBe('no-cache');
  });

  test('cannot be left by a text in the facts', async () => {
    const reason = '</script><script>alert(1)</script><!-- $& {{folder}}';
    facts = { ...DEMO_FACTS, availability: { available: false, reason } };
    const { body } = await service.app.inject({ url: '/' });
    facts = DEMO_FACTS;
    expect(body.match(/<script/g)).toHaveLength(2);
    expect(factsOf(body)).toMatchObject({ availability: { reason } });
  });

  test('shows the deployed model where a service has no other setting', async () => {
    await using plain = await openTestService();
    const { body } = await plain.app.inject({ url: '/' });
    const { threshold } = plain.deps.models.classifier.card.circuit;
    expect(factsOf(body)).toMatchObject({ model: { id: 'qnn-hybrid' }, threshold });
  });

  test('says which class is above the threshold, as runs do', async () => {
    await using own = await openModelService();
    const { body } = await own.service.app.inject({ url: '/' });
    const { labelAbove, labels, examples } = demoFactsOf(body);
    const sides = new Set<boolean>();
    for (const { input } of examples) {
      const answer = await own.service.app.inject({
        method: 'POST',
        url: '/api/v1/demo/qnn-hybrid',
        payload: { input },
      });
      const { expectation, threshold, prediction_label: label } = answer.json().data;
      const isAbove = expectation > threshold;
      sides.add(isAbove);
      expect(label).toBe(labels[isAbove ? labelAbove : 1 - labelAbove]);
    }
    expect(sides.size).toBe(2);
  });

  test('says whose the shots are: the classical baseline has none', async () => {
    await using plain = await openTestService();
    const { body } = await plain.app.inject({ url: '/' });
    expect(factsOf(body)).toMatchObject({
      accuracy: {
        basis: expect.stringMatching(
          /^Both by 5-fold cross-validation, \d+ times over\. .*circuit.* 1,024 shots; .*classical.* none$/,
        ),
      },
    });
  });

  test('does not tell visitors why nothing runs, in the operator’s words', async () => {
    await using own = await openModelService();
    for (const processor of [own.fleet, own.simulator]) {
      processor.setMaintenance({ reason: 'Rack 12 leaks.' });
    }
    const { body } = await own.service.app.inject({ url: '/' });
    expect(body).not.toContain('Rack 12');
    expect(factsOf(body)).toMatchObject({
      availability: { available: false, reason: expect.stringContaining('out of service') },
    });
  });

  test('answers HEAD without a body', async () => {
    const answer = await service.app.inject({ method: 'HEAD', url: '/' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('');
  });

  test('is not sent again to who has it', async () => {
    const first = await service.app.inject({ url: '/' });
    const again = await service.app.inject({
      url: '/',
      headers: { 'if-none-match': String(first.headers['etag']) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('is in no document of the interface', async () => {
    const { paths } = (await service.app.inject({ url: '/api/v1/openapi.json' })).json();
    expect(Object.keys(paths).filter((path) => path.startsWith('/console'))).toEqual([]);
    expect(paths['/'].get.operationId).toBe('getRoot');
  });
});

describe('the files of the page', () => {
  test('are all there, may be kept for ever, and are what their ending says', async () => {
    const { body } = await service.app.inject({ url: '/' });
    const { files } = await pageFiles();
    const links = linksOf(body);
    expect(links.length).toBeGreaterThan(2);
    for (const url of new Set([...links, ...[...files.keys()].map((name) => `/console/${name}`)])) {
      const file = await service.app.inject({ url });
      expect([url, file.statusCode]).toEqual([url, 200]);
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(file.headers['x-content-type-options']).toBe('nosniff');
      const type = {
        js: 'text/javascript',
        css: 'text/css',
        svg: 'image/svg+xml',
        wasm: 'application/wasm',
      }[url.slice(url.lastIndexOf('.') + 1)];
      expect(file.headers['content-type']).toContain(type);
      expect(file.rawPayload.length).toBeGreaterThan(0);
      const headers = { 'accept-encoding': 'br' };
      const packed = await service.app.inject({ url, headers });
      if (packed.headers['content-encoding'] === undefined) {
        expect(file.rawPayload.length).toBeLessThan(1024);
        continue;
      }
      expect(packed.headers['vary']).toBe('Accept-Encoding');
      expect(brotliDecompressSync(packed.rawPayload).equals(file.rawPayload)).toBe(true);
    }
  });

  test('change their names with their content', async () => {
    for (const name of (await pageFiles()).files.keys()) {
      expect(name).toMatch(/^assets\/[\w.-]+-[\w-]{8}\.\w+$/);
    }
  });

  test.each([
    '/console/index.html',
    '/console/manifest.json',
    '/console/assets/..%2findex.html',
    '/console/..%2f..%2f..%2fpackage.json',
    '/console/assets/nothing.js',
    '/console/assets',
    '/console/',
  ])('do not include %s', async (path) => {
    const answer = await service.app.inject({ url: path });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    expect(answer.headers['cache-control']).toBeUndefined();
  });
});
