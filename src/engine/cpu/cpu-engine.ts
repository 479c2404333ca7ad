/** The CPU engine in Node. */
import { type CpuEngine, type CpuEngineOptions, openHostedEngine } from './hosted-engine.ts';
import { NODE_HOST } from './node-host.ts';

/** @see openHostedEngine */
export function openCpuEngine(options: CpuEngineOptions): CpuEngine {
  return openHostedEngine(options, NODE_HOST);
}
