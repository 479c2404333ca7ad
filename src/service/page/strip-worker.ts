/**
 * Thread that strips types and ends. Node's function for it warns that it is experimental; only a separate
 * thread or process can be started without that warning.
 */
import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const sources: readonly string[] = workerData;
parentPort?.postMessage(sources.map((source) => stripTypeScriptTypes(source)));
