/**
 * A thread that removes types and ends. In a thread of its own because Node's function for it warns
 * that it is experimental, and only a thread or process can be started without that warning.
 */
import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const sources: readonly string[] = workerData;
parentPort?.postMessage(sources.map((source) => stripTypeScriptTypes(source)));
