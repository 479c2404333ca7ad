/** Serves a page with the live state, bundled as the console has it, under the console's policy. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { BrowserPage, DESK, type Opened } from './browser-page.ts';

const ENTRY = 'live-state-entry';
const LIVE_STATE = fileURLToPath(
  new URL('../../src/console/live-state/live-state.ts', import.meta.url),
);
/** The page's script. Its global `live` is the live state. */
const SCRIPT = `import { openLiveState } from ${JSON.stringify(LIVE_STATE)};
Object.assign(globalThis, { live: openLiveState() });`;
/** The service's, for its pages. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'";
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** A page whose global `live` is the live state. */
export interface LiveStatePage extends AsyncDisposable {
  readonly page: BrowserPage;
  /** Bytes of each script by its name. */
  readonly scriptBytes: ReadonlyMap<string, number>;
}

/** Bundles the scripts and opens the page. */
export async function openLiveStatePage(opened: Opened): Promise<LiveStatePage> {
  const files = await bundled();
  const server = createServer(({ url = '/' }, response) => {
    const file = files.get(url.slice(1));
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': TYPES[extname(url)] }).end(file);
    } else if (url === '/') {
      const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY };
      response.writeHead(200, headers).end('<!doctype html><title>Live state</title>');
    } else {
      // Browsers ask for an icon by themselves.
      response.writeHead(url === '/favicon.ico' ? 204 : 404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const page = new BrowserPage(opened);
  await page.resize(DESK);
  await page.load(`http://127.0.0.1:${port}/`);
  await page.evaluate(`import('/client.js')`);
  const scripts = [...files].filter(([name]) => name.endsWith('.js'));
  return {
    page,
    scriptBytes: new Map(scripts.map(([name, text]) => [name, text.length])),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Scripts and modules by their paths. */
async function bundled(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? SCRIPT : null),
      },
    ],
    worker: {
      format: 'es',
      rolldownOptions: {
        output: { entryFileNames: 'worker.js', chunkFileNames: '[name].js' },
      },
    },
    build: {
      write: false,
      assetsInlineLimit: 0,
      target: 'es2023',
      rolldownOptions: { input: ENTRY, output: { entryFileNames: 'client.js' } },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('unreachable: no bundle');
  return new Map(
    output.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  );
}
