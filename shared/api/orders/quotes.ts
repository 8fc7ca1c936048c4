import * as z from 'zod';
import { contract } from '../contract.ts';
import { amount, id, list, normalized, optional, plainText, recordId, timestamp, zipcode } from '../fields.ts';
import { amounts, couponValue, deliveryDates, quantity, shippingAmounts, shippingService } from './order-fields.ts';

// The API states no limit; 50 lines keep an order within one DynamoDB transaction of 100 actions.
const MAX_LINES = 50;

const orderDetailInput = z
  .object({ product: id.describe('The product, by id.'), quantity })
  .meta({ id: 'OrderDetailInput', description: 'One line of a basket.' });
export const details = list(orderDetailInput, { minimum: 1, maximum: MAX_LINES });

const quotedCoupon = z
  .strictObject({ code: z.string().describe('Code of the coupon.'), value: couponValue })
  .meta({ id: 'QuotedCoupon', description: 'A coupon that was applied to a basket.' });

const shippingOption = z
  .strictObject({ id: recordId, ...shippingService, price: amount.describe('Price, IVA included.') })
  .meta({ id: 'ShippingOption', description: 'A way to ship a basket.' });

const quotedDetail = z
  .strictObject({ product: z.int().describe('The product, by id.'), quantity, ...amounts })
  .meta({ id: 'QuotedDetail', description: 'One line of a priced basket.' });

// With 50 lines of the largest numbers and a coupon of the longest texts, a token has some 4,300 characters.
const MAX_HOLD = 5_000;

export const holdToken = normalized(MAX_HOLD).max(MAX_HOLD);

const quoteHold = z
  .strictObject({
    token: z.string().max(MAX_HOLD).describe('The text to send back as `order.hold`; what it says may change.'),
    valid_until: timestamp.describe('The time until which orders get the figures and dates of the quotation.'),
  })
  .meta({ id: 'QuoteHold', description: 'A price that holds for a while, whatever is published meanwhile.' });

export const quotation = z
  .strictObject({
    ...amounts,
    ...shippingAmounts,
    coupon: quotedCoupon.nullable().describe('The coupon that was applied, or null.'),
    shipping_method_options: z
      .array(shippingOption)
      .describe('The shipping methods of the postal code or store, with their prices.'),
    selected_shipping_method: z
      .int()
      .nullable()
      .describe('The shipping method of this quotation, by id: the one asked for, else the default one.'),
    errors: z
      .record(z.string(), z.string())
      .describe(
        'The parts that were left out, and those that would stop an order, one text each: `coupon`, `shipping_method` and `zipcode` say why they were left out; `details` names the lines out of stock, each by its number from 1 and its product; `hold` says what else a price to be held needs.',
      ),
    ...deliveryDates,
    details: z.array(quotedDetail).describe('The lines in the order in which they were sent.'),
    hold: quoteHold
      .nullable()
      .optional()
      .describe(
        'Only if the request asks for it; null if no order could be made of the quotation, for the reasons in `errors`.',
      ),
  })
  .meta({ id: 'Quotation', description: 'The price of a basket and the time of its delivery.' });
export type Quotation = z.infer<typeof quotation>;

export const quoteContract = contract({
  operationId: 'quote',
  tag: 'Orders',
  summary: 'Quote a basket',
  description:
    'Works out totals, shipping options and delivery dates, and creates nothing. A coupon or shipping method that cannot be used is left out and named in `errors`.',
  authentication: 'key',
  body: z
    .object({
      details: details.describe('The lines of the basket.'),
      zipcode: optional(zipcode).describe('Postal code to deliver to, five digits; not together with `store`.'),
      store: optional(id).describe('The store to pick up at, by id; not together with `zipcode`.'),
      coupon: optional(plainText).describe('Code of a coupon, in upper or lower case.'),
      shipping_method: optional(id).describe('One of the shipping methods of the postal code, by id.'),
      hold: optional(z.boolean()).describe('`true` holds figures and dates for an order; the answer then has `hold`.'),
    })
    .meta({ id: 'QuoteRequest', description: 'A basket to be priced.' }),
  answers: { 201: quotation },
});
export type QuoteRequest = z.infer<typeof quoteContract.body>;
