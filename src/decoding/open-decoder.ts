/** The decoders by name. */
import type { Decoder, DecodingModel, NoDecoder } from './decoder.ts';
import { openGraphDecoder } from './graph-decoder.ts';
import { openLookup } from './lookup.ts';
import { Matcher } from './matcher.ts';
import { UnionFind } from './union-find.ts';

const DECODERS = {
  /** The likeliest single errors: a minimum-weight perfect matching. */
  matching: (model) =>
    openGraphDecoder(model, (graph, masks) => {
      const matcher = new Matcher(graph, masks);
      return (events, numEvents) => matcher.match(events, numEvents);
    }),
  /** Errors within clusters that grow from the events. */
  union_find: (model) =>
    openGraphDecoder(model, (graph, masks) => {
      const unionFind = new UnionFind(graph, masks);
      return (events, numEvents) => unionFind.decode(events, numEvents);
    }),
  /** The likeliest observables, by a table of all syndromes of a small code. */
  lookup: openLookup,
} as const satisfies Record<string, (model: DecodingModel) => Decoder | NoDecoder>;

/** Name of a decoder. */
export type DecoderName = keyof typeof DECODERS;

/** Names of the decoders. */
export const DECODER_NAMES = Object.keys(DECODERS) as readonly DecoderName[];

/**
 * Opens a decoder of a model, or says why the model has none of this kind. It holds the state of one shot, so calls of
 * `decode` are made one after the other.
 */
export function openDecoder(name: DecoderName, model: DecodingModel): Decoder | NoDecoder {
  return DECODERS[name](model);
}
