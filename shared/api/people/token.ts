import * as z from 'zod';
import { contract } from '../contract.ts';
import { bounded } from '../fields.ts';

export const tokenContract = contract({
  operationId: 'issueToken',
  tag: 'Access',
  summary: 'Log a user in',
  description: 'Gives an access token for an e-mail and password, and sets it as the cookie `__Host-access` too.',
  authentication: 'client',
  caching: 'never',
  // Any text is accepted as an e-mail: an impossible account is answered like a wrong password.
  body: z
    .object({
      email: bounded(z.string(), 254, 1).describe('E-mail address of the user.'),
      password: bounded(z.string(), 128, 1).describe('Password of the user.'),
    })
    .meta({ id: 'TokenRequest', description: 'The credentials of a user.' }),
  answerHeaders: ['Set-Cookie'],
  refusals: ['wrong_credentials', 'too_many_attempts'],
  answers: {
    200: z
      .strictObject({
        access: z
          .string()
          .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
          .describe('JWT to be sent as `Authorization: Bearer`; its claim `access_lifetime` is its life in seconds.'),
      })
      .meta({ id: 'AccessToken', description: 'A short-lived access token of one user.' }),
  },
});
