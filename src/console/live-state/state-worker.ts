/** Entry of the worker that computes the live state. */
import type { KernelHost } from '../../engine/cpu/kernel-host.ts';
import { kernelName } from '../../engine/cpu/wasm-kernels.ts';
import type { FromWorker, LiveReply, ToWorker } from './messages.ts';
import { StateComputer } from './state-computer.ts';

// Engines have it as a key; some browsers do not know it.
if (!Reflect.has(Symbol, 'asyncDispose')) {
  Object.defineProperty(Symbol, 'asyncDispose', { value: Symbol.for('Symbol.asyncDispose') });
}

/** Largest memory of the engine: 16 qubits take 1 MiB, programs of 20,000 gates some 100 MiB. */
const MAX_MEMORY_BYTES = 2 ** 28;

/** URLs of the builds of the engine's WebAssembly. */
const MODULES: Readonly<Record<string, URL>> = {
  f64: new URL('../../engine/cpu/wasm/f64.wasm', import.meta.url),
  'f64-relaxed': new URL('../../engine/cpu/wasm/f64-relaxed.wasm', import.meta.url),
};

const opened = openComputer();
// The first request reports it.
opened.catch(() => {});
/** Requests are answered in order. */
let last: Promise<void> = Promise.resolve();

addEventListener('message', ({ data: { id, request } }: MessageEvent<ToWorker>) => {
  last = last.then(async () => {
    try {
      const reply = await (await opened).answer(request);
      send({ id, reply }, buffersOf(reply));
    } catch (error) {
      send({ id, failure: String(error) }, []);
    }
  });
});

function send(message: FromWorker, transfer: readonly ArrayBuffer[]): void {
  postMessage(message, { transfer: [...transfer] });
}

/** Loads the module that this browser runs. */
async function openComputer(): Promise<StateComputer> {
  const name = kernelName('f64');
  const url = MODULES[name];
  if (url === undefined) throw new Error(`unreachable: no address of ${name}`);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const module = await WebAssembly.compile(await answer.arrayBuffer());
  const host: KernelHost = {
    maxMemoryBytes: MAX_MEMORY_BYTES,
    narrowStateBytes: MAX_MEMORY_BYTES,
    module: () => module,
    startHelper() {
      throw new Error('unreachable: an engine with one thread starts no helper');
    },
    // A page cannot ask for it; the engine's memory stays.
    collectGarbage() {},
  };
  return new StateComputer(host);
}

/** Arrays that are handed over instead of copied. */
function buffersOf(reply: LiveReply): readonly ArrayBuffer[] {
  if (reply.kind !== 'state') return [];
  const { amplitudes, probabilities, bloch, displays, pair } = reply;
  const arrays = [
    amplitudes,
    probabilities,
    bloch,
    ...(displays ? [displays] : []),
    ...(pair ? [pair.density] : []),
  ];
  return arrays.map(({ buffer }) => buffer);
}
