import * as z from 'zod';
import { timestamp } from './fields.ts';

/** Supplier, variant, company, disease, tag: an id and a name. */
export const named = z.strictObject({ id: z.int(), name: z.string(), created_at: timestamp, updated_at: timestamp });
export type Named = z.infer<typeof named>;
