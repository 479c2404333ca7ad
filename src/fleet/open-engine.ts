/** Opens an engine from plain data; called in worker threads only. */
import type { Engine } from '../engine/engine.ts';
import { openReferenceEngine } from '../engine/reference/reference-engine.ts';
import type { EngineOptions } from './worker-messages.ts';

/** The engine that the options name. */
export function openEngine(options: EngineOptions): Engine {
  switch (options.engine) {
    case 'reference':
      return openReferenceEngine(options);
  }
}
