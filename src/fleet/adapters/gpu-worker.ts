/** Entry of the process of one adapter: opens its engine and serves it. */
import type { GpuWorkerSetup } from '../workers/worker-messages.ts';
import { openAdapter } from './open-adapter.ts';
import { serveAdapter } from './serve-adapter.ts';

// Checked: processStarter wrote it.
const setup: GpuWorkerSetup = JSON.parse(process.argv[2] ?? '');
await serveAdapter(() => openAdapter(setup));
