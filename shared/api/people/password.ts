import * as z from 'zod';
import { contract, noBody } from '../contract.ts';
import { email, normalized, requiredText } from '../fields.ts';

const nothing = z.strictObject({}).meta({ id: 'Nothing', description: 'The request was accepted.' });

export const requestPasswordContract = contract({
  operationId: 'requestPassword',
  tag: 'Access',
  summary: 'Mail a link for a new password',
  description:
    'Mails a user of the client a link to the page on which the shop sets passwords, within a minute or two; `token` in its query is for `PUT /api/password/`. A link works once, for 30 minutes. The answer is the same whether the address is known or not; an address gets three mails an hour at most. A patient whom an order has registered gets their first password this way.',
  authentication: 'client',
  body: z
    .object({ email: email.describe('E-mail address of the user.') })
    .meta({ id: 'RequestPasswordRequest', description: 'Who wants a new password.' }),
  refusals: ['password_url_missing'],
  answers: { 202: nothing },
});

export const setPasswordContract = contract({
  operationId: 'setPassword',
  tag: 'Access',
  summary: 'Set a password by a mailed link',
  description:
    'Sets the password of the user whom the link was mailed to, and ends their access tokens and other links. 204 without a body. A `token` that is wrong, used, too old or of another client is 400.',
  authentication: 'client',
  body: z
    .object({
      token: requiredText(100).describe('`token` of the query of the mailed link.'),
      password: normalized(128).min(12).max(128).describe('The new password: 12 characters or more.'),
    })
    .meta({ id: 'SetPasswordRequest', description: 'A new password, by the token of a mailed link.' }),
  answers: { 204: noBody('The password is set.') },
});
