/** The inside of a process that runs procedures: one call after the other, as the service sends them. */
import type { ParentPort } from '../../processes/parent-port.ts';
import type { Procedure } from './procedure.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { ServedCall } from './served-call.ts';

/** How often the memory is looked at while a call runs and lets timers run. */
const LOOK_EVERY_MS = 100;

/** A module of procedures. */
export interface ProcedureCatalog {
  findProcedure(owner: string, name: string): Procedure | undefined;
  /** Loads what takes long to load, before the process is ready: no call's deadline pays for it. */
  preload?(): Promise<void>;
}

/**
 * Serves calls until the process ends. Says that it is ready.
 *
 * @returns To be told of what nothing else caught; false where no call is to blame for it.
 */
export function serveProcedures(
  { findProcedure }: ProcedureCatalog,
  { maxResultBytes, maxRssBytes }: Pick<ProcessSetup, 'maxResultBytes' | 'maxRssBytes'>,
  port: ParentPort<ToProcess, FromProcess>,
): (error: unknown) => boolean {
  const { rss } = process.memoryUsage;
  const hasTooMuchMemory = () => rss() > maxRssBytes;
  const post = (message: FromProcess) => port.post(message);
  let current: ServedCall | undefined;
  const start = async (message: Extract<ToProcess, { kind: 'call' }>) => {
    const call = new ServedCall(message, {
      findProcedure,
      maxResultBytes,
      post,
      hasTooMuchMemory,
    });
    current = call;
    const timer = setInterval(() => {
      if (hasTooMuchMemory()) call.failForMemory();
    }, LOOK_EVERY_MS);
    await call.run();
    clearInterval(timer);
  };
  port.onMessage((message) => {
    switch (message.kind) {
      case 'call':
        void start(message);
        return;
      case 'cancel':
        if (current?.number === message.call) current.cancel();
        return;
      case 'answer':
        current?.circuits.answer(message);
    }
  });
  port.post({ kind: 'ready' });
  return (error) => {
    if (current === undefined || current.hasEnded) return false;
    current.failUncaught(error);
    return true;
  };
}
