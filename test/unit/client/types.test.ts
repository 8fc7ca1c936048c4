import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { makeTypes } from '../../../infra/client/build.ts';
import type { product, productListItem } from '../../../shared/api/catalog/products.ts';
import type { orderListItem, ordersContract } from '../../../shared/api/orders/order-list.ts';
import type { createOrderContract, order, updateOrderContract } from '../../../shared/api/orders/orders.ts';
import type { quotation, quoteContract } from '../../../shared/api/orders/quotes.ts';
import type * as client from '../../../shared/client/client.ts';

describe('the types of the client', () => {
  it('are up to date with the OpenAPI document', () => {
    const written = readFileSync(join(import.meta.dirname, '../../../shared/client/types.ts'), 'utf8');
    expect(written, 'run `npm run client`').toBe(makeTypes());
  });

  // Types inferred from a contract must equal those made from the OpenAPI document; tsc checks it.
  it('equal the types inferred from the contracts', () => {
    expectTypeOf<client.QuoteRequest>().toEqualTypeOf<z.input<typeof quoteContract.body>>();
    expectTypeOf<client.Quotation>().toEqualTypeOf<z.output<typeof quotation>>();
    expectTypeOf<client.CreateOrderRequest>().toEqualTypeOf<z.input<typeof createOrderContract.body>>();
    expectTypeOf<client.Order>().toEqualTypeOf<z.output<typeof order>>();
    expectTypeOf<client.ListOrder>().toEqualTypeOf<z.output<typeof orderListItem>>();
    expectTypeOf<client.Product>().toEqualTypeOf<z.output<typeof product>>();
    expectTypeOf<client.ListProduct>().toEqualTypeOf<z.output<typeof productListItem>>();
  });

  it('name the parameters of the route, and accept exactly one change of an order', () => {
    expectTypeOf<client.UpdateOrderRequest>().toExtend<z.input<typeof updateOrderContract.body>>();
    expectTypeOf<object>().not.toExtend<client.UpdateOrderRequest>();
    type Query = client.Operations['GET /api/orders/']['query'];
    expectTypeOf<keyof Query>().toEqualTypeOf<keyof z.input<typeof ordersContract.query>>();
  });
});

it('the codes of errors are a type, which leaves room for later ones', () => {
  expectTypeOf<'order_not_changeable'>().toExtend<client.ErrorCode>();
  expectTypeOf<'total_changed'>().toExtend<client.ErrorCode>();
  expectTypeOf<'no_such_code'>().not.toExtend<client.ErrorCode>();
  expectTypeOf<'no_such_code'>().toExtend<client.BoticaError['code']>();
});
