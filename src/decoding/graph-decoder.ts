/** Decoders on a matching graph: what matching and union-find have in common. */
import type { Decoder, DecodingModel, NoDecoder } from './decoder.ts';
import { type MatchingGraph, matchingGraph, observableMasks } from './matching-graph.ts';
import { ShotEvents } from './shot-events.ts';

/**
 * Decodes the events of one shot.
 *
 * @param events - Distinct detectors, at least one. Some errors have these events.
 * @returns Observables that were flipped, as bits.
 */
export type DecodeEvents = (events: Int32Array, numEvents: number) => number;

/**
 * A decoder of a model.
 *
 * @param open - Gives what decodes for 32 observables, by the masks of those that each edge flips.
 */
export function openGraphDecoder(
  model: DecodingModel,
  open: (graph: MatchingGraph, masks: Int32Array) => DecodeEvents,
): Decoder | NoDecoder {
  const graph = matchingGraph(model);
  if ('reason' in graph) return graph;
  const shotEvents = new ShotEvents(graph);
  const { likelyObservables } = graph;
  const numBytes = likelyObservables.length;
  const decoders = Array.from({ length: Math.ceil(model.numObservables / 32) }, (_, i) =>
    open(graph, observableMasks(graph, 32 * i)),
  );
  return {
    decode: (events, numShots, predictions) => {
      for (let shot = 0; shot < numShots; shot++) {
        const numEvents = shotEvents.read(events, shot);
        predictions.set(likelyObservables, shot * numBytes);
        if (numEvents === 0) continue;
        for (let i = 0; i < decoders.length; i++) {
          const flipped = decoders[i]!(shotEvents.list, numEvents);
          const end = Math.min(4 * i + 4, numBytes);
          for (let byte = 4 * i; byte < end; byte++) {
            predictions[shot * numBytes + byte]! ^= flipped >>> (8 * (byte - 4 * i));
          }
        }
      }
    },
  };
}
