import * as z from 'zod';
import { recordId, stamps } from '../fields.ts';

export const named = z
  .strictObject({ id: recordId, name: z.string().describe('Name.'), ...stamps })
  .meta({ id: 'Named', description: 'A supplier, variant, company, disease or tag.' });
export type Named = z.infer<typeof named>;
