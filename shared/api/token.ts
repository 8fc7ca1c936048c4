import * as z from 'zod';
import { contract } from './contract.ts';

export const tokenContract = contract({
  authentication: 'client',
  caching: 'never',
  // Deliberately looser than an address: what cannot be an account is answered like a wrong password, not explained.
  body: z.object({ email: z.string().min(1).max(254), password: z.string().min(1).max(128) }),
  answers: { 200: z.strictObject({ access: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/) }) },
});
