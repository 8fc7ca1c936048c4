import { describe, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A product is shown in full, field by field as the interface says, and may be cached.

const server = useServer();

const see = (id: number | string, headers: Record<string, string> = {}) =>
  server.request('GET', `/api/products/${id}/`, { headers });

const stamps = (created_at: string, updated_at: string) => ({ created_at, updated_at });
const OWN = stamps('2026-01-12T14:00:00.000Z', '2026-06-08T14:00:00.000Z');
const FIRST = stamps('2026-01-05T14:00:00.000Z', '2026-03-02T14:00:00.000Z');
const quetzalia = { id: 1, name: 'Distribuidora Farmacéutica Quetzalia', ...FIRST };
const tlalpena = {
  id: 2,
  name: 'Mayoreo Médico Tlalpeña',
  ...stamps('2026-01-07T14:07:00.000Z', '2026-03-03T14:11:00.000Z'),
};
const FRONT = 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png';
const BACK = 'https://images.demo.example/293e25d8bc326e1ca564ce4a7ffc898f.png';

const PARACETAMOL = {
  id: 1,
  name: 'Paracetamol 500 mg',
  presentation: 'Caja con 20 tabletas',
  description: 'Tabletas con paracetamol. No requiere receta médica.',
  price: '28.50',
  cost: '18.81',
  public_price: '32.78',
  average_cost: '19.53',
  has_iva: false,
  is_active: true,
  has_shortage: false,
  should_calculate_price: false,
  is_generic: true,
  sat_key: '51142001',
  sat_unit: 'H87',
  ean_key: '7509999000013',
  partner_description: '',
  active_ingredient: 'Paracetamol',
  group_number: 6,
  image: FRONT,
  category: 1,
  medical_information: 1,
  pharmaceutical_company: 1,
  variants: [1, 2],
  diseases: [1, 2, 3],
  current_supplier: quetzalia,
  supplier_products: [
    { id: 1, supplier: quetzalia, cost: '18.81', product: 1 },
    { id: 2, supplier: tlalpena, cost: '20.24', product: 1 },
  ],
  album: {
    id: 1,
    images: [
      { id: 1, album: 1, image: BACK, is_default: false },
      { id: 2, album: 1, image: FRONT, is_default: true },
    ],
  },
  product_variants: [
    { id: 1, value: '20 tabletas', variant: { id: 1, name: 'Contenido', ...FIRST } },
    {
      id: 2,
      value: '500 mg',
      variant: {
        id: 2,
        name: 'Concentración',
        ...stamps('2026-01-07T14:07:00.000Z', '2026-03-03T14:11:00.000Z'),
      },
    },
  ],
  base: {
    id: 1,
    name: 'Paracetamol 500 mg',
    is_medicine: 'true',
    description: 'Tabletas con paracetamol. No requiere receta médica.',
    ...OWN,
    created_by: null,
    updated_by: null,
    category: { id: 1, name: 'Analgésicos', parent: 30, ...FIRST },
    pharmaceutical_company: { id: 1, name: 'Genéricos Solmar', ...FIRST },
    diseases: [
      { id: 1, name: 'Fiebre', ...FIRST },
      {
        id: 2,
        name: 'Dolor leve a moderado',
        ...stamps('2026-01-10T14:07:00.000Z', '2026-03-09T14:11:00.000Z'),
      },
      { id: 3, name: 'Cefalea', ...stamps('2026-01-15T14:14:00.000Z', '2026-03-16T14:22:00.000Z') },
    ],
    tags: [{ id: 1, name: 'Genérico', ...FIRST }],
    medical_information: {
      id: 1,
      ...OWN,
      active_ingredient: 'Paracetamol',
      is_generic: true,
      group_number: 6,
      requires_prescription: false,
      base_product: 1,
    },
  },
  ...OWN,
};

describe('a product', () => {
  it('is shown in full, field by field as the interface says', async () => {
    const { status, body } = await see(1);
    expect([status, body]).toEqual([200, PARACETAMOL]);
  });

  it('that is no medicine has no medical information, and its base says so', async () => {
    const { body } = await see(131);
    expect(body).toMatchObject({
      name: 'Gasa estéril 10 x 10 cm',
      has_iva: true,
      price: '42.00',
      is_generic: false,
      active_ingredient: '',
      group_number: null,
      medical_information: null,
      image: '',
      album: null,
      diseases: [],
      base: { is_medicine: 'false', medical_information: null, diseases: [], tags: [] },
    });
  });

  it.each([14, 109, 110])('%i is of a fraction that is not sold online, and inactive', async (id) => {
    const { status, body } = await see(id);
    expect([status, body.is_active]).toEqual([200, false]);
    expect(body.base.medical_information.requires_prescription).toBe(true);
    expect(body.base).not.toHaveProperty('sanitary_fraction');
  });

  it('can be cached for 30 s, and is 304 for its ETag, with and without the slash', async () => {
    const held = await see(1);
    const etag = String(held.headers.etag);
    expect(held.headers['cache-control']).toBe('private, max-age=30');
    for (const path of ['/api/products/1/', '/api/products/1']) {
      const again = await server.request('GET', path, { headers: { 'If-None-Match': etag } });
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await see(2, { 'If-None-Match': etag })).status).toBe(200);
  });
});

it.each(['136', '999999999999999', '٣', '__proto__', "1'--"])('no product has the id %s', async (id) => {
  const { status, headers, body } = await see(encodeURI(id));
  expect([status, body.code, headers['cache-control']]).toEqual([404, 'not_found', 'no-store']);
});

it('what a product costs the pharmacy is for clients that are made to see it', async () => {
  const { client, key } = await server.addClient('Otra');
  await server.addUser(client, 'patient', 'costos@demo.example');
  const token = await server.login('costos@demo.example', key);
  const body = orderBody('costos@demo.example');
  const order = (await server.request('POST', '/api/orders/resources/', { key, token, body })).body;
  const ofOrder = (await server.request('GET', `/api/orders/${order.id}/`, { key, token })).body;
  const product = (await server.request('GET', '/api/products/1/', { key })).body;
  const hidden = { price: '28.50', cost: null, average_cost: null, supplier_products: [] };
  for (const shown of [product, order.details[0].product, ofOrder.details[0].product])
    expect(shown).toMatchObject(hidden);
  expect(product).toEqual({ ...(await see(1)).body, ...hidden });
});
