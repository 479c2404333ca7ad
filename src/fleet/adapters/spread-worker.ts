/**
 * Entry of the process of several adapters that hold states together: opens their engine and serves
 * it.
 *
 * Environment variables that a driver reads when its WebGPU instance is made distinguish adapters of
 * one name, so this entry sets them, and only while that adapter is opened.
 */
import type { SpreadWorkerSetup } from '../workers/worker-messages.ts';
import { type OpenPinned, openSpread } from './open-adapter.ts';
import { serveAdapter } from './serve-adapter.ts';

const openPinned: OpenPinned = async (pin, open) => {
  const before = Object.keys(pin).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, pin);
  try {
    return await open();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

// Checked: spreadStarter wrote it.
const setup: SpreadWorkerSetup = JSON.parse(process.argv[2] ?? '');
await serveAdapter(() => openSpread(setup, openPinned));
