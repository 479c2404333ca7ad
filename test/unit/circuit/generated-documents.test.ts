import { expect, test } from 'vitest';
import { committedText, GENERATED_DOCUMENTS } from '../../../scripts/gen.ts';

test.each(GENERATED_DOCUMENTS.map((document) => [document.path, document] as const))(
  '%s is what its generator writes',
  async (_, document) => {
    expect(committedText(document)).toBe(await document.render());
  },
);
