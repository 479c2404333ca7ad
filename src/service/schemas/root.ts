/** Schema of GET /. */
import { z } from 'zod';

/** Name, version and contents of the service. */
export const root = z.strictObject({
  name: z.string(),
  version: z.string(),
  api_version: z.literal('v1'),
  documentation: z.string(),
  openapi: z.string(),
  services: z.array(
    z.strictObject({
      id: z.string(),
      description: z.string(),
      path: z.string(),
      methods: z.array(z.string()),
    }),
  ),
});
export type RootView = z.output<typeof root>;
