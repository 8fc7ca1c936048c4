import * as z from 'zod';
import { contract } from './contract.ts';
import { bounded } from './fields.ts';

export const tokenContract = contract({
  authentication: 'client',
  caching: 'never',
  // Deliberately looser than an address: what cannot be an account is answered like a wrong password, not explained.
  body: z.object({ email: bounded(z.string(), 254, 1), password: bounded(z.string(), 128, 1) }),
  answerHeaders: ['Set-Cookie'],
  refusals: ['wrong_credentials', 'too_many_attempts'],
  answers: { 200: z.strictObject({ access: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/) }) },
});
