import * as z from 'zod';
import { timestamp } from './fields.ts';

// The interface describes these three; nothing makes one yet, so an order shows null, null and [].

export const payment = z.strictObject({
  id: z.int(),
  user: z.int(),
  card_id: z.string().max(30),
  method: z.string(),
  name: z.string().max(30),
});

export const walletAgreement = z.strictObject({ id: z.int(), email: z.string(), user: z.int() });

export const paymentReference = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  order: z.int(),
  method: z.string().max(20),
  reference: z.string().max(50),
  institution: z.string().max(50),
  external_url: z.url().max(200),
});
