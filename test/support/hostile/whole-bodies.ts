import { type Route, routes } from '../../../shared/api/routes.ts';
import { ADDRESS, INVOICING, PDF } from '../orders/samples.ts';
import { bodyFields } from './body-fields.ts';

const line = () => ({ product: 1, quantity: 1 });
const prescription = () => ({
  document: PDF,
  issue_date: '2026-01-02',
  document_name: 'a.pdf',
  expiring_date: '2999-01-01',
});
const createReceiver = () => ({ ...INVOICING, latitude: 19.4, longitude: '-99.1' });

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

const BODIES: Readonly<Record<string, object>> = {
  'POST /api/token/': { email: 'doctora@demo.example', password: 'farmacia-demo-2026' },
  'POST /api/password/': { email: 'doctora@demo.example' },
  'PUT /api/password/': { token: `1.${'a'.repeat(43)}`, password: 'farmacia-demo-2026' },
  'POST /api/orders/calculate/': {
    details: [line(), line()],
    zipcode: '06700',
    coupon: 'BIENVENIDA10',
    shipping_method: 1,
    hold: false,
  },
  'POST /api/orders/resources/': {
    user: {
      email: 'mala.entrada@example.mx',
      first_name: 'Ana',
      last_name: 'Paz',
      phone: '+525512349876',
      second_last_name: 'Luna',
      sex: 'F',
      birthdate: '1980-01-01',
      medical_condition: 'Ninguna',
    },
    order: {
      details: [line(), line()],
      payment_method: 1,
      shipping: { ...ADDRESS, name: 'Casa' },
      shipping_method: 1,
      store: null,
      coupon: null,
      // A change of another field would change the total, and differ from the hold.
      expected_total: null,
      hold: null,
      prescriptions: [prescription(), prescription()],
      comments: 'Sin prisa',
    },
    invoicing: createReceiver(),
  },
  'PATCH /api/orders/{id}/': { details: [line(), line()] },
  'POST /api/orders/{id}/payment/': { payment_method: 4 },
  'POST /api/orders/{id}/prescriptions/': { prescriptions: [prescription(), prescription()] },
  'PATCH /api/orders/{id}/request-invoice/': createReceiver(),
  'PUT /api/orders/{id}/request-invoice/': { invoicing: createReceiver() },
  'PATCH /api/me/': { first_name: 'Ana', last_name: 'Paz', phone: '+525512349877', sex: 'F', birthdate: '1980-01-01' },
};

type Body = Record<string | number, unknown>;

/** Adds a text for each optional text of the contract that a body lacks. */
function addTexts(body: object, { contract }: Pick<Route, 'contract'>): object {
  const whole = structuredClone(body) as Body;
  const fields = contract.body ? bodyFields(contract.body) : [];
  for (const { place, types, choices, pattern } of fields.filter(({ isRequired }) => !isRequired)) {
    const name = place.at(-1) ?? '';
    const parent = place.slice(0, -1).reduce<unknown>((at, key) => (at as Body | undefined)?.[key], whole) as Body;
    if (types === 'string' && !choices && !pattern && parent && !(name in parent)) parent[name] = 'Texto';
  }
  return whole;
}

/** An accepted body for every route that takes one, with every field and two elements in every list. */
export const WHOLE_BODIES: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(BODIES).map(([name, body]) => {
    const route = routes.find((one) => nameOf(one) === name);
    return [name, route ? addTexts(body, route) : body];
  }),
);
