/** Entry of the thread that writes large results: one after the other. */
import { parentPort } from 'node:worker_threads';
import { circuitResultJson } from './result-json.ts';
import type { FromResultThread, ToResultThread } from './result-thread.ts';

if (parentPort === null) throw new Error('unreachable: this module is the entry of a thread');
const port = parentPort;
port.on('message', (message: ToResultThread) => port.postMessage(answer(message)));

function answer({ id, layout, result }: ToResultThread): FromResultThread {
  try {
    return { id, text: circuitResultJson(layout, result) };
  } catch (error) {
    return { id, stack: error instanceof Error ? (error.stack ?? '') : String(error) };
  }
}
