#!/usr/bin/env node
/** `qcs`: from its sources in a checkout, so that nothing has to be built; the published package has none. */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// Half of a short command's time is compiling what it loads.
enableCompileCache();

const source = new URL('../src/cli.ts', import.meta.url);
const built = new URL('../dist/cli.js', import.meta.url);
await import((existsSync(source) ? source : built).href);
