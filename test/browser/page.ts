/** Script of the page: it runs the WebGPU engine's claims, each when the test asks for it. */
import { openGpuDevice } from '../../src/engine/webgpu/open-gpu-device.ts';
import {
  openWebGpuEngine,
  type WebGpuEngineOptions,
} from '../../src/engine/webgpu/webgpu-engine.ts';
import { describeEngine } from '../conformance/engine-suite.ts';
import * as claims from './claims.ts';

/** The full names of all claims, in the order of the text. */
export const claimNames = claims.claimNames;

const CLAIMS = { tolerance: 1e-5, maxQubits: 12 };

/** Names of the engines that claims are about. */
export const ENGINES = {
  whole: 'webgpu in Chromium',
  chunked: 'webgpu in Chromium, in small tiles and chunks',
  faulty: 'webgpu in Chromium, with a fault in its shader',
};

/** As in test/conformance/webgpu-engine.test.ts. */
const SMALL = { tileQubits: 8, chunkQubits: 8, maxQubits: 12, memoryBytes: 2 ** 24 };

/** A wrong sign in the product of complex numbers, which every sweep with a phase computes. */
const FAULT = {
  shader: 'lib/complex',
  from: 'a.x * b.x - a.y * b.y',
  to: 'a.x * b.x + a.y * b.y',
};

/** Text of the shaders by name; the page's server has them. */
async function fetchShaders(): Promise<ReadonlyMap<string, string>> {
  const answer: unknown = await (await fetch('/shaders')).json();
  return new Map(Object.entries(Object(answer)).map(([name, text]) => [name, String(text)]));
}

async function openEngine(
  sizes: Partial<WebGpuEngineOptions> = {},
  alter = (_: string, text: string) => text,
) {
  const texts = await fetchShaders();
  const shaders = (name: string) => alter(name, texts.get(name) ?? `missing shader ${name}`);
  const device = await openGpuDevice(navigator.gpu);
  return await openWebGpuEngine({ ...sizes, device, shaders });
}

function withFault(name: string, text: string): string {
  if (name !== FAULT.shader) return text;
  if (!text.includes(FAULT.from)) throw new Error(`The text to alter is not in ${name}.wgsl.`);
  return text.replaceAll(FAULT.from, FAULT.to);
}

describeEngine(ENGINES.whole, () => openEngine(), CLAIMS);
describeEngine(ENGINES.chunked, () => openEngine(SMALL), CLAIMS);
describeEngine(ENGINES.faulty, () => openEngine({}, withFault), CLAIMS);

/** Runs the claims that the server names, one after the other. */
export async function serveClaims(): Promise<void> {
  let answer: { readonly fault: string | null } | null = null;
  for (;;) {
    const next = await fetch('/next', { method: 'POST', body: JSON.stringify(answer) });
    answer = { fault: await faultOf(Number(await next.text())) };
  }
}

/** Why a claim does not hold; null where it does. */
async function faultOf(index: number): Promise<string | null> {
  try {
    await claims.runClaim(index);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? String(error)) : String(error);
  }
}
