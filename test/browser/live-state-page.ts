/** Serves a page with the live state, bundled as the console has it, under the console's policy. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BrowserPage } from './demo-page-browser.ts';

const SRC = new URL('../../src/', import.meta.url);
const ENTRIES = ['live-state.ts', 'state-worker.ts'];
/** The service's, for its pages. */
const POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'";

/** A page whose global `live` is the live state. */
export interface LiveStatePage extends AsyncDisposable {
  readonly page: BrowserPage;
  /** Bytes of each script by its name. */
  readonly scriptBytes: ReadonlyMap<string, number>;
}

/** Bundles the scripts and opens a browser on the page. */
export async function openLiveStatePage(): Promise<LiveStatePage> {
  const { outputFiles } = await build({
    entryPoints: ENTRIES.map((name) => fileURLToPath(new URL(`console/live-state/${name}`, SRC))),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: '/',
    write: false,
  });
  const scripts = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts.get(url);
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    } else if (url === '/') {
      const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY };
      response.writeHead(200, headers).end('<!doctype html><title>Live state</title>');
    } else if (/^\/wasm\/f64(-relaxed)?\.wasm$/.test(url)) {
      const headers = { 'content-type': 'application/wasm' };
      response.writeHead(200, headers).end(readFileSync(new URL(`engine/cpu${url}`, SRC)));
    } else {
      // Browsers ask for an icon by themselves.
      response.writeHead(url === '/favicon.ico' ? 204 : 404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const page = await BrowserPage.open();
  await page.load(`http://127.0.0.1:${port}/`);
  await page.evaluate(`import('/live-state.js').then(({ openLiveState }) => {
    globalThis.live = openLiveState({ workerUrl: '/state-worker.js', wasmUrl: '/wasm' });
  })`);
  return {
    page,
    scriptBytes: new Map(outputFiles.map(({ path, contents }) => [path, contents.length])),
    [Symbol.asyncDispose]: async () => {
      await page[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}
