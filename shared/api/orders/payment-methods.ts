import * as z from 'zod';
import { contract } from '../contract.ts';
import { rate, recordId, shownText, stamps } from '../fields.ts';
import { listQuery, page } from '../lists.ts';

export const paymentMethod = z
  .strictObject({
    id: recordId,
    ...stamps,
    name: shownText(30).describe('Name.'),
    fee: rate.describe('Fee as a share of the total; not included in it.'),
    fixed_fee: rate.describe('Fixed fee; not included in the total.'),
  })
  .meta({ id: 'PaymentMethod', description: 'A way to pay.' });
export type PaymentMethod = z.infer<typeof paymentMethod>;

export const paymentMethodsContract = contract({
  operationId: 'listPaymentMethods',
  tag: 'Orders',
  summary: 'List payment methods',
  description:
    'The payment methods that the caller may use for an order, last changed first unless ordered otherwise: those of the client, without credit for who may not order on it.',
  authentication: 'user',
  caching: 'never',
  query: listQuery(['updated_at', 'name'], '-updated_at', 'Words of the name.'),
  answers: { 200: page('PaymentMethodPage', 'payment methods', paymentMethod) },
});
