import fc from 'fast-check';
import { JPEG, PDF, PNG } from '../orders/samples.ts';
import { validDate, validText } from './fuzz-schema.ts';

/*
 * The rules for valid values that the OpenAPI document cannot express: the records of the demonstration catalog, the
 * checks of single fields, and the combinations of fields.
 */

// These products are in stock and need no prescription, so an order may also be changed to them.
const ORDERABLE = [1, 2, 3, 5, 121, 122];
const ZIP_CODES = ['06700', '44100', '64000'];
const STORES = [1, 2, 3];
const STANDARD = 1;
const PICKUP = 6;

/** The valid SAT combinations for two persons and a company. */
const RECEIVERS = [
  { rfc: 'PALA800101AB1', fiscal_regime: '612', cfdi_use: 'G03' },
  { rfc: ' pala800101ab1', fiscal_regime: '605', cfdi_use: 'D01' },
  { rfc: 'EKU9003173C9', fiscal_regime: '601', cfdi_use: 'S01' },
];

const PERSONS = 30;
const zipcode = fc.constantFrom(...ZIP_CODES);
const coordinate = (bound: number) =>
  fc.option(
    fc.oneof(fc.integer({ min: -bound, max: bound }), fc.constantFrom(`${bound}`, `-${bound - 1}.1234567`, '0.5')),
  );
const email = fc.nat({ max: PERSONS }).map((person) => `Persona-${person}@demo.example`);

/** The valid values of single fields, by schema and field. */
export const RULES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // There are only two, because the login limit refuses an address after 10 attempts without computing a hash.
  'TokenRequest.email': fc.constantFrom('doctora@demo.example', ' no address '),
  'OrderDetailInput.product': fc.constantFrom(...ORDERABLE),
  'NewOrder.payment_method': fc.constantFrom(1, 2),
  // Another total than the right one is a refusal.
  'NewOrder.expected_total': fc.constant(null),
  'NewOrder.hold': fc.constant(null),
  'NewOrder.store': fc.constantFrom(...STORES, null),
  'NewOrder.prescriptions': fc.array(
    fc.record(
      {
        document: fc.constantFrom(PDF, JPEG, PNG, `data:image/png;base64,${PNG}`),
        issue_date: validDate('1990-01-01', '2026-01-01'),
        document_name: validText(0, 50),
        expiring_date: validDate('2990-01-01', '2999-01-01'),
      },
      { requiredKeys: ['document', 'issue_date'] },
    ),
    { maxLength: 2 },
  ),
  'QuoteRequest.store': fc.constantFrom(...STORES),
  'UserInput.email': email,
  'UserInput.phone': fc.constant(''),
  'UserInput.birthdate': fc.option(validDate('1900-01-01', '2026-01-01')),
  'ShippingInput.zipcode': zipcode,
  'ShippingInput.latitude': coordinate(90),
  'ShippingInput.longitude': coordinate(180),
  'InvoicingInput.zipcode': zipcode,
  'InvoicingInput.email': email,
  'InvoicingInput.latitude': coordinate(90),
  'InvoicingInput.longitude': coordinate(180),
  // The letter remains when the service removes the blanks, bars and control characters that a CFDI does not allow.
  'InvoicingInput.full_name': validText(0, 99).map((name) => `A${name}`),
};

type Json = Record<string, unknown>;
type Line = { readonly product: number; quantity: number };

/** Chooses a value by the length of `by` as JSON, which is the same in every run. */
const chooseBy = <Value>(values: readonly Value[], by: unknown): Value =>
  values[JSON.stringify(by).length % values.length] as Value;

function makeOrderValid(order: Json): Json {
  const { shipping, ...rest } = order;
  const hasStore = typeof order.store === 'number';
  const details = (order.details as Line[]).map((line, index) =>
    index === 0 ? { ...line, quantity: line.quantity + 1 } : line,
  );
  const shipped = !hasStore && shipping ? { shipping } : {};
  const store = hasStore || shipping ? {} : { store: chooseBy(STORES, details) };
  const delivered = { ...rest, details: details.map(limitQuantity), ...shipped, ...store };
  if (typeof rest.shipping_method !== 'number') return delivered;
  return { ...delivered, shipping_method: 'shipping' in shipped ? STANDARD : PICKUP };
}

const MAX_QUANTITY = 32_767;
const limitQuantity = (line: Line): Line => ({ ...line, quantity: Math.min(line.quantity, MAX_QUANTITY) });

const withReceiver = (invoicing: Json): Json => ({ ...invoicing, ...chooseBy(RECEIVERS, invoicing) });

/** Functions that make the fields of a body a valid combination, by the name of the body's schema. */
export const TOGETHER: Readonly<Record<string, (body: Json) => Json>> = {
  QuoteRequest: ({ store, ...body }) => (body.zipcode ? body : { ...body, ...(store === undefined ? {} : { store }) }),
  CreateOrderRequest: (body) => ({
    ...body,
    order: makeOrderValid(body.order as Json),
    ...(!body.invoicing ? {} : { invoicing: withReceiver(body.invoicing as Json) }),
  }),
  UpdateOrderRequest: (body) =>
    body.details ? { details: makeOrderValid({ details: body.details, store: 1 }).details } : body,
  InvoicingInput: withReceiver,
  InvoiceRequest: ({ invoicing }) => ({ invoicing: withReceiver(invoicing as Json) }),
};
