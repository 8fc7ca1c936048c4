import * as z from 'zod';
import { namedQuery } from '../catalog/named.ts';
import { contract } from '../contract.ts';
import { rate, recordId, shownText, stamps } from '../fields.ts';
import { page } from '../lists.ts';

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
  query: namedQuery,
  answers: { 200: page('PaymentMethodPage', 'payment methods', paymentMethod) },
});

// The interface has these three records; nothing creates them yet, so an order shows null, null and [].

export const payment = z
  .strictObject({
    id: recordId,
    user: z.int().describe('The owner of the card, by id.'),
    card_id: z.string().max(30).describe('Id of the card with the payment processor.'),
    method: z.string().describe('Kind of payment.'),
    name: z.string().max(30).describe('Name of the card.'),
  })
  .meta({ id: 'Payment', description: 'A card that an order is paid with.' });

export const walletAgreement = z
  .strictObject({
    id: recordId,
    email: z.string().describe('E-mail address of the wallet.'),
    user: z.int().describe('The owner of the wallet, by id.'),
  })
  .meta({ id: 'WalletAgreement', description: 'An agreement to bill a wallet of another provider.' });

export const paymentReference = z
  .strictObject({
    id: recordId,
    ...stamps,
    order: z.int().describe('The order, by id.'),
    method: z.string().max(20).describe('Kind of payment.'),
    reference: z.string().max(50).describe('The reference to give when paying.'),
    institution: z.string().max(50).describe('The institution that takes the payment.'),
    external_url: z.url().max(200).describe('Page that shows the reference.'),
  })
  .meta({ id: 'PaymentReference', description: 'A reference for paying an order elsewhere, such as in a shop.' });
