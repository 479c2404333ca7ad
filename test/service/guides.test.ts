/** The guides under /docs/guides and the page of the API reference, as HTTP sends them. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUIDES_PATH, Guides } from '../../src/service/documents/guides.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (url: string) => service.app.inject({ url });
const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, link]) => link ?? '');
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '');

/** Every page of words, by its path. */
async function pages(): Promise<ReadonlyMap<string, string>> {
  const paths = [GUIDES_PATH, ...new Guides().names().map((name) => `${GUIDES_PATH}/${name}`)];
  const found = new Map<string, string>();
  for (const path of paths) {
    const { statusCode, headers, body } = await get(path);
    expect([path, statusCode]).toEqual([path, 200]);
    if (String(headers['content-type']).startsWith('text/html')) found.set(path, body);
  }
  return found;
}

describe('the guides', () => {
  test('are those of docs/, the README and the examples', () => {
    const names = new Guides().names();
    const docs = readdirSync('docs').filter((name) => name.endsWith('.md'));
    expect(names).toEqual(
      expect.arrayContaining([
        'overview',
        'decisions',
        'decisions/0003-jobs-in-sqlite',
        'examples/bell.qasm',
        'grafana/qcs-dashboard.json',
        ...docs.map((name) => name.replace('.md', '')),
      ]),
    );
    expect(names).not.toContain('openapi.json');
  });

  test('are listed in the groups of the overview, with title and first words, and no single decision', async () => {
    const { body, headers } = await get(GUIDES_PATH);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const links = linksOf(body).filter((link) => link.startsWith(`${GUIDES_PATH}/`));
    expect(links[0]).toBe(`${GUIDES_PATH}/overview`);
    expect(links).toContain(`${GUIDES_PATH}/agents`);
    const groups = new Guides().list().map(({ title }) => title);
    expect(groups).toEqual(expect.arrayContaining(['Using it', 'Running it', 'Changing it']));
    // Those of the table stand in its order.
    const names = new Guides().list().flatMap(({ guides }) => guides.map(({ name }) => name));
    expect(names.indexOf('circuits')).toBe(names.indexOf('console') + 1);
    expect(new Set(names).size).toBe(names.length);
    expect(links.filter((link) => /decisions\/\d/.test(link))).toEqual([]);
    expect(body).toContain('An agent takes tasks.');
    expect(body).not.toContain('Generated from');
  });

  test('are HTML whose every link leads to what is there', async () => {
    const all = await pages();
    expect(all.size).toBeGreaterThan(25);
    const numLinks = new Map<string, number>();
    for (const [path, html] of all) {
      for (const link of linksOf(html).filter((each) => !each.startsWith('http'))) {
        const [target = '', fragment] = link.split('#');
        const there = target === '' ? html : (all.get(target) ?? (await get(target)).body);
        expect([path, link, there.includes('"SERVICE_ROUTE_NOT_FOUND"')]).toEqual([
          path,
          link,
          false,
        ]);
        if (fragment !== undefined)
          expect([path, link, idsOf(there)]).toEqual([
            path,
            link,
            expect.arrayContaining([fragment]),
          ]);
        numLinks.set(path, (numLinks.get(path) ?? 0) + 1);
      }
    }
    // To other guides, not only those around every page.
    expect(numLinks.get(`${GUIDES_PATH}/overview`)).toBeGreaterThan(15);
  });

  test('load scripts, styles and pictures of this service alone', async () => {
    const { headers, body } = await get(`${GUIDES_PATH}/jobs`);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(body).not.toMatch(/<script(?! type="module" src="\/console\/)|<style|\sstyle=|\son\w+=/);
    expect(body).not.toMatch(/<(?:img|link|script)[^>]*="(?:https?:)?\/\//);
    for (const [, path] of body.matchAll(/<link [^>]*href="([^"]+)"/g)) {
      expect([path, (await get(path ?? '')).statusCode]).toEqual([path, 200]);
    }
  });

  test('have tables, code and headings that can be linked', async () => {
    const { body } = await get(`${GUIDES_PATH}/jobs`);
    expect(body).toContain('<title>Watching jobs · Quantum Compute Service</title>');
    expect(body).toMatch(/<h1 id="watching-jobs">/);
    expect(body).toMatch(/<div class="scroll" tabindex="0"><table>/);
    expect(body).toMatch(/<pre tabindex="0"><code/);
    expect(body).toContain('<a href="#from-the-command-line">');
  });

  test('lead on and back, and name each other by their titles', async () => {
    const { body } = await get(`${GUIDES_PATH}/circuits`);
    expect(body).toContain(`<a href="${GUIDES_PATH}/console" rel="prev">Previous: The console</a>`);
    expect(body).toMatch(/ rel="next">Next: /);
    expect(body).not.toMatch(/<a href="[^"]+">[\w-]+\.md<\/a>/);
  });

  test('have the words of their languages coloured', async () => {
    const { body } = await get(`${GUIDES_PATH}/circuits`);
    expect(body).toContain('<span class="hl-name">&quot;gate&quot;</span>');
  });

  test('are found by their sections, as the operations of the API are', async () => {
    const entries: readonly Record<string, string>[] = (await get('/docs/search.json')).json();
    const of = (path: string) => entries.find((each) => each['path'] === path);
    expect(of(`${GUIDES_PATH}/jobs#from-the-command-line`)).toMatchObject({
      title: 'Watching jobs',
      section: 'From the command line',
    });
    expect(of('/docs/operations/submitCircuit')).toMatchObject({
      text: expect.stringContaining('POST /api/v1/quantum/circuits'),
    });
    for (const { path = '', title, text } of entries) {
      expect([path, title === '', text === undefined]).toEqual([path, false, false]);
      expect([path, /<\w+|&\w+;/.test(`${title}`)]).toEqual([path, false]);
    }
  });

  test('send examples as text, unless the client has them', async () => {
    const first = await get(`${GUIDES_PATH}/examples/bell.qasm`);
    expect(first.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(first.body).toMatch(/^OPENQASM/m);
    const again = await service.app.inject({
      url: `${GUIDES_PATH}/examples/bell.qasm`,
      headers: { 'if-none-match': String(first.headers['etag']) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test.each([
    'nothing',
    'agents.md',
    'openapi.json',
    '..%2f..%2fpackage.json',
    '../package.json',
    'decisions/..%2f..%2fsrc%2fmain.ts',
    '%00',
    'constructor',
  ])('do not include %s', async (name) => {
    const answer = await get(`${GUIDES_PATH}/${name}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('the page of the API reference', () => {
  test.each(['/docs', '/docs/'])('at %s bears this service’s name, and no other’s', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(body).toContain('<title>API reference · Quantum Compute Service</title>');
    expect(body).toContain('name="viewport" content="width=device-width');
    expect(body).not.toMatch(/fastify|swagger/i);
    expect(linksOf(body)).toContain(GUIDES_PATH);
    const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    for (const path of files) expect([path, (await get(path)).statusCode]).toEqual([path, 200]);
  });

  test('has a page for each operation, which names its fields and has its examples', async () => {
    const { paths } = (await get('/docs/json')).json();
    const ids = Object.values<Record<string, { operationId?: string }>>(paths)
      .flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId ?? '');
    const links = linksOf((await get('/docs')).body);
    for (const id of ids) {
      expect(links).toContain(`/docs/operations/${id}`);
      expect([id, (await get(`/docs/operations/${id}`)).statusCode]).toEqual([id, 200]);
    }
    const { body } = await get('/docs/operations/submitCircuit');
    for (const text of [
      '<code>target_processor</code> <span class="type">string, at most 100 letters; required</span>',
      'Example: qasm, seed, name, tags',
      '<summary>429 ',
      // A description, with its code.
      'Needs the scope <code>circuits</code>',
    ]) {
      expect(body).toContain(text);
    }
    expect((await get('/docs/operations/nothing')).statusCode).toBe(404);
  });
});
