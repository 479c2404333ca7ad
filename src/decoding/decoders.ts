/** Decoders by their names. */

/** Names of decoders. `none` predicts that nothing flipped. */
export const DECODERS = ['none'] as const;

export type DecoderName = (typeof DECODERS)[number];
