/** All areas, in the order in which they run. */
import type { Area } from '../area.ts';
import { batchesArea } from './batches.ts';
import { clientsArea } from './clients.ts';
import { detectorsArea } from './detectors.ts';
import { dynamicArea } from './dynamic.ts';
import { methodsArea } from './methods.ts';
import { noiseArea } from './noise.ts';
import { openqasmArea } from './openqasm.ts';
import { staticArea } from './static.ts';
import { stimTextsArea } from './stim-texts.ts';

/** The areas of the fuzzer. */
export const AREAS = [
  staticArea,
  dynamicArea,
  noiseArea,
  methodsArea,
  batchesArea,
  detectorsArea,
  stimTextsArea,
  openqasmArea,
  clientsArea,
] as readonly unknown[] as readonly Area<unknown>[];
