/** Entry of the thread that writes large results, one at a time. */
import { parentOfThread } from '../../processes/parent-port.ts';
import { circuitResultJson } from './result-json.ts';
import type { FromResultThread, ToResultThread } from './result-thread.ts';

const parent = parentOfThread<ToResultThread, FromResultThread>();
parent.onMessage((message) => parent.post(answer(message)));
parent.post({ kind: 'ready' });

function answer({ id, layout, result, further }: ToResultThread): FromResultThread {
  try {
    return { kind: 'written', id, text: circuitResultJson(layout, result, further) };
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : String(error);
    return { kind: 'broken', id, stack };
  }
}
