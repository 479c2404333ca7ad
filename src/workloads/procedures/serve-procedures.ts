/** Serves procedure calls inside their process, one after the other. */
import type { ParentPort } from '../../processes/parent-port.ts';
import type { Procedure } from './procedure.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { ServedCall } from './served-call.ts';

/** Interval of the memory check during calls that yield to timers, milliseconds. */
const LOOK_EVERY_MS = 100;

/** A module that exports procedures. */
export interface ProcedureCatalog {
  findProcedure(owner: string, name: string): Procedure | undefined;
  /** Loads slow modules before the process is ready, so that no call's deadline pays for it. */
  preload?(): Promise<void>;
}

/**
 * Serves calls until the process ends. Tells the service when it is ready.
 *
 * @returns A handler for uncaught errors; it returns false if no call is to blame.
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
