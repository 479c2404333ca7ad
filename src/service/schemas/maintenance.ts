/** Schema of the orders that take a processor or a device out of service, or back. */
import { z } from 'zod';

/** Body of POST /admin/processors/{id}/maintenance and of the same of a device. */
export const maintenanceBody = z
  .strictObject({
    enabled: z.boolean(),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({ pattern: '\\S' })
      .optional()
      .describe('Reason that callers are shown; allowed only with enabled true'),
  })
  .meta({
    if: { properties: { enabled: { const: false } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { reason: false } },
    examples: [{ enabled: true, reason: 'Cooling is being repaired' }],
  });
