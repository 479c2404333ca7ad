/** The decoders by name. */
import { openBpOsd } from './bp-osd.ts';
import type { Decoder, DecodingModel, NoDecoder } from './decoder.ts';
import { openGraphDecoder } from './graph-decoder.ts';
import { openLookup } from './lookup.ts';
import { Matcher } from './matcher.ts';
import { UnionFind } from './union-find.ts';

/** A decoder, and whether it takes errors split into such as flip one or two detectors, or whole. */
interface DecoderFacts {
  readonly takes: 'split' | 'whole';
  readonly open: (model: DecodingModel) => Decoder | NoDecoder;
}

const DECODERS = {
  /** The likeliest single errors: a minimum-weight perfect matching. */
  matching: {
    takes: 'split',
    open: (model) =>
      openGraphDecoder(model, (graph, masks) => {
        const matcher = new Matcher(graph, masks);
        return (events, numEvents) => matcher.match(events, numEvents);
      }),
  },
  /** Errors within clusters that grow from the events. */
  union_find: {
    takes: 'split',
    open: (model) =>
      openGraphDecoder(model, (graph, masks) => {
        const unionFind = new UnionFind(graph, masks);
        return (events, numEvents) => unionFind.decode(events, numEvents);
      }),
  },
  /** Likely errors that may flip any number of detectors, by belief propagation and ordered statistics. */
  bp_osd: { takes: 'whole', open: openBpOsd },
  /** The likeliest observables, by a table of all syndromes of a small code. */
  lookup: { takes: 'whole', open: openLookup },
} as const satisfies Record<string, DecoderFacts>;

/** Name of a decoder. */
export type DecoderName = keyof typeof DECODERS;

/** Names of the decoders. */
export const DECODER_NAMES = Object.keys(DECODERS) as readonly DecoderName[];

/**
 * Opens a decoder of a model, or says why the model has none of this kind. It holds the state of one shot, so calls of
 * `decode` are made one after the other.
 */
export function openDecoder(name: DecoderName, model: DecodingModel): Decoder | NoDecoder {
  return DECODERS[name].open(model);
}

/** Whether a decoder takes errors split into such as flip one or two detectors, or whole. */
export const errorsTakenBy = (name: DecoderName): 'split' | 'whole' => DECODERS[name].takes;
