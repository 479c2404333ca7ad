/** The service's generator of circuits in Stim's format, for pages: pure functions of a few kilobytes, so that no worker is needed. */
export { GENERATED_CODES, generateStim } from '../../circuit/stim/generate/generate-stim.ts';
export { NO_NOISE } from '../../circuit/stim/generate/memory-text.ts';
