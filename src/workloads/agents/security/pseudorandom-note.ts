/** What results say of chance in a simulator. */

/** For people. */
export const PSEUDORANDOM_NOTE =
  'Measurements of a simulator are pseudorandom: the same seed gives the same bits. Do not use them for keys or anything else that must not be guessed.';
