/** A reader of bodies in this process: what it reads is what a process would; it can neither hang nor run full. */
import type { StartChild } from '../../../src/processes/supervised-child.ts';
import type { FromReader, ToReader } from '../../../src/service/http/reading/reading-messages.ts';
import { serveReading } from '../../../src/service/serve-reading.ts';

/** Starts it. Messages are cloned, as between processes, and come in later turns of the event loop. */
export const startInProcessReader: StartChild<ToReader, FromReader> = ({ onMessage, onExit }) => {
  let hasEnded = false;
  const later = <T>(deliver: (message: T) => void, message: T) => {
    const sent = structuredClone(message);
    setImmediate(() => {
      if (!hasEnded) deliver(sent);
    });
  };
  let listener: (message: ToReader) => void = () => {};
  serveReading({
    post: (message) => later(onMessage, message),
    onMessage: (added) => {
      listener = added;
    },
  });
  return {
    post: (message) => later((sent: ToReader) => listener(sent), message),
    setHolding: () => {},
    kill: () => {
      if (hasEnded) return;
      hasEnded = true;
      setImmediate(() => onExit({ how: 'signal SIGKILL' }));
    },
  };
};
