import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { table } from '../../../shared/deps.ts';
import { patientWrites } from '../../../shared/people/patients.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { ADDRESS, INVOICING, orderBody, PDF, PNG } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/resources/';
const server = useServer();
let tokens: DemoTokens;

beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});
afterEach(() => setClock());

const place = (body: object, token = tokens.employee) => server.request('POST', PATH, { token, body });
const placeFor = (user: object, token = tokens.employee) => place({ ...orderBody('x'), user }, token);
const lines = (...pairs: [product: number, quantity: number][]) => ({
  details: pairs.map(([product, quantity]) => ({ product, quantity })),
});
const english = { 'Accept-Language': 'en' };

describe('an order', () => {
  it('is answered in full, with amounts, dates, statuses and copies', async () => {
    // On a Saturday, counting starts on Monday the 23rd; method 1 takes 3 to 5 working days.
    setClock(new Date('2026-11-21T18:00:00.000Z'));
    const token = await server.login('aseguradora@demo.example');
    const { status, body } = await place(
      orderBody(
        'luz.mora@example.mx',
        { coupon: ' bienvenida10 ', comments: 'Dejar con el portero' },
        { invoicing: INVOICING },
      ),
      token,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({
      order_status: 'approved',
      payment_status: 'unpaid',
      patient_order_status: 'in_process',
      insurance_refund_status: 'not_started',
      origin: 'demo',
      subtotal: '57.00',
      discount: '5.70',
      iva: '0.00',
      shipping_price: '79.00',
      shipping_discount: '0.00',
      shipping_cost: '63.00',
      total: '130.30',
      expected_delivery_date: '2026-11-26T23:00:00.000Z',
      max_delivery_date: '2026-11-30T23:00:00.000Z',
      created_at: '2026-11-21T18:00:00.000Z',
      updated_at: '2026-11-21T18:00:00.000Z',
      payment_date: null,
      shipping_date: null,
      receiving_date: null,
      deleted_at: null,
      coupon: {
        code: 'BIENVENIDA10',
        description: '10 % de descuento en la compra',
        value: '0.10',
        has_free_shipping: false,
      },
      payment_method: { id: 1, name: 'Tarjeta', fee: '0.029', fixed_fee: '2.50' },
      shipping_method: {
        id: 1,
        company: 'Paquetería Andariega',
        method: 'default',
        min_delivery_days: 3,
        max_delivery_days: 5,
      },
      store: null,
      payment: null,
      wallet_agreement: null,
      payment_references: [],
      prescriptions: [],
      cfdi: expect.stringMatching(/^[0-9a-f]{24}$/),
      tags: '',
      rejection_reason: '',
      external_payment_id: '',
      reminder: null,
      subscription: null,
    });
    expect(body).not.toHaveProperty('comments');
    expect(body.folio).toBe(`RX-${String(body.id).padStart(8, '0')}`);
    expect(body.details).toHaveLength(1);
    expect(body.details[0]).toMatchObject({
      quantity: 2,
      price: '28.50',
      subtotal: '57.00',
      discount: '5.70',
      iva: '0.00',
      total: '51.30',
      order: body.id,
      product: { id: 1, name: 'Paracetamol 500 mg', ean_key: '7509999000013' },
    });
    expect(body.shipping).toMatchObject({
      ...ADDRESS,
      name: '',
      latitude: '19.417901',
      longitude: '-99.168200',
      created_at: '2026-11-21T18:00:00.000Z',
    });
    expect(body.invoicing).toMatchObject({ ...INVOICING, email: 'facturas@demo.example', latitude: null });
    expect(body.patient).toMatchObject({
      default_shipping: body.shipping.id,
      default_invoicing: body.invoicing.id,
      preferred_payment: null,
      referred_by: null,
      insurance_carriers: [{ name: 'Seguros Demo', patients: [body.patient.id], deleted_at: null }],
      user: {
        email: 'luz.mora@example.mx',
        first_name: 'Ana',
        last_name: 'Paz',
        second_last_name: null,
        phone: '',
        patient: String(body.patient.id),
        doctor: null,
        insurance_employee: null,
        groups: [],
      },
    });
    expect(body.generated_by).toMatchObject({ email: 'aseguradora@demo.example' });
    expect(body.updated_by).toEqual(body.generated_by);
    const detail = await server.request('GET', `/api/orders/${body.id}/`, { token });
    expect(detail.body).toEqual(body);
  });

  it('has its own ids for all its parts', async () => {
    const first = (await place(orderBody('ids@example.mx'))).body;
    const second = (await place(orderBody('ids@example.mx'))).body;
    expect(second.id).toBeGreaterThan(first.id);
    expect(second.details[0].id).not.toBe(first.details[0].id);
    expect(second.patient.id).toBe(first.patient.id);
    expect(second.shipping.id).not.toBe(first.shipping.id);
  });

  it('keeps the lines as sent, with the same product twice and a line of zeros', async () => {
    const order = lines([5, 1], [1, 0], [5, 2]);
    const { body } = await place(orderBody('lines@example.mx', order));
    expect((body as Order).details.map((line) => [line.product.id, line.quantity, line.total])).toEqual([
      [5, 1, '64.50'],
      [1, 0, '0.00'],
      [5, 2, '129.00'],
    ]);
    expect(body.subtotal).toBe('193.50');
  });

  it('on credit starts as credit', async () => {
    const { body } = await place(orderBody('credit@example.mx', { payment_method: 2 }));
    expect(body.payment_status).toBe('credit');
  });

  it('with an invalid coupon is placed without it', async () => {
    for (const coupon of ['VERANO2025', 'NOEXISTE', 'MINIMO500', '', null]) {
      const { status, body } = await place(orderBody('coupon@example.mx', { coupon }));
      expect({ status, coupon: body.coupon, discount: body.discount }).toEqual({
        status: 201,
        coupon: null,
        discount: '0.00',
      });
    }
  });

  it('with free shipping pays none', async () => {
    const { body } = await place(orderBody('free@example.mx', { coupon: 'ENVIOGRATIS' }));
    expect(body).toMatchObject({ shipping_price: '79.00', shipping_discount: '79.00', total: '57.00' });
  });

  it('can have any shipping method of its zip code', async () => {
    const { body } = await place(orderBody('express@example.mx', { shipping_method: 4 }));
    expect(body).toMatchObject({
      shipping_price: '149.00',
      total: '206.00',
      shipping_method: { id: 4, method: 'express' },
    });
  });

  it('is picked up at a store without a price', async () => {
    const { status, body } = await place(orderBody('pickup@example.mx', { shipping: undefined, store: 2 }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      shipping: null,
      store: { id: 2, name: 'Sucursal Americana', company_name: 'Botica Jacaranda', latitude: '20.674200' },
      shipping_method: { id: 6, method: 'local' },
      shipping_price: '0.00',
      shipping_cost: null,
      total: '57.00',
    });
    expect(body.store).not.toHaveProperty('updated_by');
  });

  it('without a destination goes to the default address of the patient', async () => {
    const first = (await place(orderBody('default@example.mx'))).body;
    await place(orderBody('default@example.mx', { shipping: { ...ADDRESS, street: 'Otra calle' } }));
    const { status, body } = await place(orderBody('default@example.mx', { shipping: undefined }));
    expect(status).toBe(201);
    expect(body.shipping).toEqual(first.shipping);
    expect(body.patient.default_shipping).toBe(first.shipping.id);
  });

  it('waits for approval when a product requires a prescription', async () => {
    const order = lines([4, 0], [4, 1]);
    const { body } = await place(orderBody('rx@example.mx', order));
    expect(body.order_status).toBe('pending_approval');
  });

  it('does not wait for a product of quantity 0 that requires one', async () => {
    const order = lines([4, 0], [1, 1]);
    const { body } = await place(orderBody('rx@example.mx', order));
    expect(body.order_status).toBe('approved');
  });

  it.each([1, 2])('that costs nothing is paid at once, by payment method %i', async (payment_method) => {
    const { body } = await place(orderBody('gift@example.mx', { coupon: 'CORTESIA100', payment_method }));
    const { total, payment_status, payment_date, created_at } = body;
    expect({ total, payment_status }).toEqual({ total: '0.00', payment_status: 'paid' });
    expect(payment_date).toBe(created_at);
  });
});

describe('prescriptions', () => {
  const prescription = (more: object = {}) => ({ document: PDF, issue_date: '2026-11-20', ...more });
  const withPrescriptions = (prescriptions: object[]) =>
    orderBody('rx@example.mx', { details: [{ product: 4, quantity: 1 }], prescriptions });

  it('are stored before the order, and open by a link without names', async () => {
    setClock(new Date('2026-11-21T18:00:00.000Z'));
    const sent = [
      prescription({ expiring_date: '2026-12-20' }),
      prescription({ document: `data:image/png;base64,${PNG}`, document_name: 'receta de José.png' }),
    ];
    const { status, body } = await place(withPrescriptions(sent), await server.login('aseguradora@demo.example'));
    expect(status).toBe(201);
    expect(body.prescriptions).toMatchObject([
      {
        issue_date: '2026-11-20',
        expiring_date: '2026-12-20',
        patient: body.patient.id,
        order: body.id,
        is_verified: false,
        document_name: 'receta-1.pdf',
      },
      { expiring_date: null, document_name: 'receta de José.png' },
    ]);
    const [pdf, png] = (await Promise.all((body as Order).prescriptions.map((one) => fetch(one.document)))) as [
      Response,
      Response,
    ];
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await pdf.arrayBuffer()).toString('base64')).toBe(PDF);
    expect(png.headers.get('content-disposition')).toBe(
      `attachment; filename="receta de Jos_.png"; filename*=UTF-8''receta%20de%20Jos%C3%A9.png`,
    );
    const link = new URL(body.prescriptions[1].document);
    expect(link.searchParams.get('X-Amz-Expires')).toBe('300');
    expect(link.href).not.toMatch(/jos|receta|rx@|png/i);
  });

  // `domain/document` and `domain/prescription` have the rules; `orders-add-prescriptions` has how many and how large.
  it('are refused at their path', async () => {
    setClock(new Date('2026-11-21T18:00:00.000Z'));
    const token = await server.login('aseguradora@demo.example');
    const bad = [prescription(), prescription({ document: '%%%', issue_date: '2026-11-22' })];
    const { status, body } = await place(withPrescriptions(bad), token);
    const date = 'La fecha no puede ser posterior a hoy, 2026-11-21 (America/Mexico_City).';
    expect({ status, body }).toEqual({
      status: 400,
      body: { order: { prescriptions: [{}, { document: ['Debe ser base64 válido.'], issue_date: [date] }] } },
    });
  });
});

describe('an order is refused', () => {
  it.each([
    [
      'for a product that does not exist',
      lines([1, 1], [99999, 1]),
      { details: [{}, { product: ['Product 99999 does not exist.'] }] },
    ],
    ['for lines of zeros alone', lines([1, 0]), { details: ['At least one product needs a quantity above 0.'] }],
    [
      'for lines of zeros of a product that is not there',
      lines([99999, 0]),
      {
        non_field_errors: ['At least one product needs a quantity above 0.'],
        details: [{ product: ['Product 99999 does not exist.'] }],
      },
    ],
    [
      'for products out of stock, naming the cheapest substitute of the one that has one',
      lines([16, 1], [97, 0]),
      {
        details: [
          {
            product: [
              'Amoxicilina 250 mg/5 mL, Frasco con polvo para 75 mL de suspensión (id 16) is out of stock at the moment. With the same active ingredient there is Amoxicilina 500 mg/5 mL, Frasco con polvo para 75 mL de suspensión (id 18), perhaps in another strength or number of pieces; a pharmacist decides whether it can replace it.',
            ],
          },
          { product: ['Levotiroxina 100 mcg, Caja con 50 tabletas (id 97) is out of stock at the moment.'] },
        ],
      },
    ],
    [
      'for a payment method that is not the client’s',
      { payment_method: 9 },
      { payment_method: ["Payment method 9 is not among this client's."] },
    ],
    [
      'for a zip code without delivery',
      { shipping: { ...ADDRESS, zipcode: '00500' } },
      { shipping: { zipcode: ['There is no delivery to zip code 00500.'] } },
    ],
    [
      'for a shipping method that the zip code does not have',
      { shipping_method: 2, shipping: ADDRESS },
      { shipping_method: ['Shipping method 2 is not available for this destination.'] },
    ],
    [
      'to another country',
      { shipping: { ...ADDRESS, country: 'Estados Unidos', state: 'California', zipcode: '90210' } },
      {
        shipping: {
          country: ['There are deliveries in Mexico alone; write México, MX or Estados Unidos Mexicanos.'],
        },
      },
    ],
    [
      'to another state than that of the zip code',
      { shipping: { ...ADDRESS, state: 'Jal.' } },
      { shipping: { state: ['Zip code 06700 is in another state: Ciudad de México.'] } },
    ],
    [
      'with an extension of a phone',
      { shipping: { ...ADDRESS, phone: 'ext' } },
      { shipping: { phone: ['It must have the digits of a phone number.'] } },
    ],
    [
      'for more of a product than an order may have',
      lines([1, 300], [1, 201]),
      {
        details: Array(2).fill({
          quantity: ['At most 500 of Paracetamol 500 mg, Caja con 20 tabletas (id 1) are sold in one order.'],
        }),
      },
    ],
    ['for an unknown store', { shipping: undefined, store: 77 }, { store: ['Store 77 does not exist.'] }],
    [
      'for both a destination and a store',
      { store: 1 },
      { non_field_errors: ['Give either a delivery destination or a store, not both.'] },
    ],
    [
      'for no destination of a new patient',
      { shipping: undefined },
      { shipping: ['Give a delivery address or a store.'] },
    ],
  ])('%s', async (_, order, errors) => {
    const body = orderBody('refused@example.mx', order);
    const answer = await server.request('POST', PATH, { token: tokens.employee, body, headers: english });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: { order: errors } });
  });

  it('for a product out of stock, in Spanish', async () => {
    const { status, body } = await place(orderBody('refused@example.mx', lines([16, 1])));
    const text =
      'Amoxicilina 250 mg/5 mL, Frasco con polvo para 75 mL de suspensión (id 16) está agotado por el momento. Con el mismo principio activo hay Amoxicilina 500 mg/5 mL, Frasco con polvo para 75 mL de suspensión (id 18), tal vez en otra dosis o cantidad; un farmacéutico decide si lo sustituye.';
    expect([status, body]).toEqual([400, { order: { details: [{ product: [text] }] } }]);
  });

  it('for every error of its shape at once', async () => {
    const body = {
      user: { email: 'nobody', first_name: '', last_name: 'x'.repeat(101), sex: 'X', birthdate: '1990-13-01' },
      order: {
        details: [{ product: 1, quantity: 1 }, { quantity: -1 }],
        payment_method: 'card',
        shipping: { zipcode: '1234' },
      },
      invoicing: { rfc: 5 },
    };
    const answer = await place(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      user: {
        email: ['Debe ser un correo electrónico válido.'],
        first_name: ['Este campo no puede estar vacío.'],
        last_name: ['Debe tener a lo más 100 caracteres.'],
        sex: ['Debe ser uno de: M, F.'],
        birthdate: ['Debe ser una fecha AAAA-MM-DD que exista.'],
      },
      order: {
        details: [{}, { product: ['Este campo es obligatorio.'], quantity: ['Debe ser mayor o igual a 0.'] }],
        payment_method: ['Debe ser un número.'],
        shipping: { street: ['Este campo es obligatorio.'], zipcode: ['El código postal debe tener 5 dígitos.'] },
      },
      invoicing: { rfc: ['Debe ser un texto.'], full_name: ['Este campo es obligatorio.'] },
    });
  });
});

describe('people', () => {
  it('order for themselves alone, when they are patients', async () => {
    const own = await place(orderBody('paciente@demo.example'), tokens.patient);
    expect(own.status).toBe(201);
    const other = await place(orderBody('somebody@example.mx'), tokens.patient);
    expect({ status: other.status, body: other.body }).toEqual({
      status: 400,
      body: { user: { email: ['Un paciente solo puede ordenar con su propio correo electrónico.'] } },
    });
  });

  it('are found by their e-mail regardless of case, and updated by an insurance employee', async () => {
    const first = await placeFor({
      email: 'Update@Example.mx',
      first_name: 'Eva',
      last_name: 'Sol',
      phone: '+52 55 1234 0001',
    });
    const again = await placeFor({
      email: 'update@example.MX',
      first_name: 'Eva María',
      last_name: 'Sol',
      birthdate: '1990-02-28',
    });
    expect(again.body.patient.id).toBe(first.body.patient.id);
    expect(again.body.patient.user).toMatchObject({
      email: 'update@example.mx',
      first_name: 'Eva María',
      phone: '+525512340001',
      country_code: '52',
      national_number: '5512340001',
      birthdate: '1990-02-28',
    });
  });

  it('are not changed by a doctor, whose order shows what they sent to every reader', async () => {
    const email = 'doctored@example.mx';
    const known = { email, first_name: 'Iris', last_name: 'Vela', second_last_name: 'Sol', phone: '+525512340002' };
    await placeFor({ ...known, medical_condition: 'Penicilina' });
    const child = { email, first_name: 'Otro', last_name: 'Vela', sex: 'F', medical_condition: 'Asma' };
    const { status, body } = await placeFor(child, tokens.doctor);
    expect(status).toBe(201);
    const names = { first_name: 'Otro', last_name: 'Vela', second_last_name: null };
    const shown = { email, ...names, sex: 'F', birthdate: null, medical_condition: 'Asma' };
    const noPhone = { phone: null, country_code: null, national_number: null };
    expect(body.patient.user).toMatchObject({ ...shown, ...noPhone });
    const seen = await server.request('GET', `/api/orders/${body.id}/`, { token: tokens.employee });
    expect(seen.body.patient.user).toMatchObject({ ...shown, phone: '+525512340002', country_code: '52' });
    // A doctor sees the impersonal fields as an employee does.
    const { patient, date_joined, created_at, updated_at, created_by } = seen.body.patient.user;
    expect(body.patient.user).toMatchObject({ patient, date_joined, created_at, updated_at, created_by });
    expect(seen.body.generated_by).toMatchObject({ id: body.generated_by.id, email: null, phone: null });
    const later = await placeFor({ email, first_name: 'Iris', last_name: 'Vela' });
    const stored = { ...known, sex: null, medical_condition: 'Penicilina', national_number: '5512340002' };
    expect(later.body.patient.user).toMatchObject(stored);
  });

  it('are shown by the name of each order in lists and searches', async () => {
    const email = 'madre@example.mx';
    const own = await placeFor({ email, first_name: 'Xiadani', last_name: 'Madre' });
    const ofChild = { email, first_name: 'Nayeli', last_name: 'Hija', second_last_name: 'Madre' };
    const { body } = await placeFor(ofChild, tokens.doctor);
    const search = async (text: string, token = tokens.employee) => {
      const answer = await server.request('GET', `/api/orders/?search=${text}`, { token });
      expect(answer.body.count).toBe(answer.body.results.length);
      return answer.body.results.map(({ id, patient }: { id: number; patient: string }) => [id, patient]);
    };
    const [mother, child] = [
      [own.body.id, 'Xiadani Madre'],
      [body.id, 'Nayeli Hija Madre'],
    ];
    expect(await search('madre')).toEqual([child, mother]);
    expect(await search('nayeli+hija')).toEqual([child]);
    expect(await search('xiadani')).toEqual([mother]);
    // A doctor finds nobody by a name that they did not send.
    expect(await search('nayeli', tokens.doctor)).toEqual([child]);
    expect(await search('xiadani', tokens.doctor)).toEqual([]);
    const [first, again] = [own.body.patient.id, body.patient.id];
    expect(again).toBe(first);
  });

  it('are referred by the doctor whose order registered them', async () => {
    const { body } = await place(orderBody('referred@example.mx'), tokens.doctor);
    expect(body.patient.referred_by).toBe(body.generated_by.id);
    const seen = await server.request('GET', `/api/orders/${body.id}/`, { token: tokens.employee });
    expect(seen.body.patient.user.created_by).toBe(body.generated_by.id);
  });

  it('have an e-mail and a phone that no other user of the client can take', async () => {
    await placeFor({ email: 'first@example.mx', first_name: 'A', last_name: 'B', phone: '+525512340003' });
    const taken = await placeFor({
      email: 'second@example.mx',
      first_name: 'A',
      last_name: 'B',
      phone: '+525512340003',
    });
    expect({ status: taken.status, body: taken.body }).toEqual({
      status: 400,
      body: { user: { phone: ['Este teléfono no se puede usar.'] } },
    });
    const doctor = await place(orderBody('doctora@demo.example'));
    expect({ status: doctor.status, body: doctor.body }).toEqual({
      status: 400,
      body: { user: { email: ['Este correo electrónico no se puede usar.'] } },
    });
    const invalid = await placeFor({ email: 'third@example.mx', first_name: 'A', last_name: 'B', phone: '12345' });
    expect(invalid.body).toEqual({
      user: { phone: ['Debe ser un teléfono válido con la forma +<código de país><número>.'] },
    });
  });

  it('of another client are unknown', async () => {
    const mine = await placeFor({ email: 'both@example.mx', first_name: 'A', last_name: 'B', phone: '+525512340004' });
    const other = await server.addClient('Tercera');
    await server.addUser(other.client, 'insurance_employee', 'tercera@example.mx');
    const token = await server.login('tercera@example.mx', other.key);
    const body = {
      ...orderBody('x'),
      user: { email: 'both@example.mx', first_name: 'C', last_name: 'D', phone: '+525512340004' },
    };
    const theirs = await server.request('POST', PATH, { token, key: other.key, body });
    expect(theirs.status).toBe(201);
    expect(theirs.body.patient.id).not.toBe(mine.body.patient.id);
    expect(theirs.body.patient.insurance_carriers).toEqual([]);
  });

  it('sent at once with one new e-mail and phone are one person', async () => {
    const user = { email: 'family@example.mx', first_name: 'A', last_name: 'B', phone: '+525512340005' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => placeFor(user)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    const patients = answers.map(({ body }) => [body.patient.id, body.patient.default_shipping].join());
    expect([new Set(patients).size, new Set(answers.map(({ body }) => body.id)).size]).toEqual([1, 20]);
  });

  it('receive an order of a doctor at their default address, which the doctor does not see', async () => {
    await place(orderBody('address@example.mx'));
    const { status, body } = await place(orderBody('address@example.mx', { shipping: undefined }), tokens.doctor);
    expect({ status, shipping: body.shipping }).toEqual({ status: 201, shipping: null });
    const seen = await server.request('GET', `/api/orders/${body.id}/`, { token: tokens.employee });
    expect(seen.body.shipping).toMatchObject({ street: ADDRESS.street });
  });

  it('receive nothing at a default address that is not in Mexico', async () => {
    const email = 'abroad@example.mx';
    await place(orderBody(email));
    const user = await userByEmail(table(), server.client.id, email);
    if (!user?.defaultShipping) throw new Error('no address');
    const defaultShipping = { ...user.defaultShipping, country: 'Guatemala' };
    await table().transact(patientWrites(user, { ...user, defaultShipping }, new Date().toISOString()));
    const { status, body } = await place(orderBody(email, { shipping: undefined }));
    expect([status, body]).toEqual([400, { order: { shipping: ['Indique una dirección de entrega o una tienda.'] } }]);
  });

  it('cannot have a birthdate in the future', async () => {
    const user = { email: 'unborn@example.mx', first_name: 'A', last_name: 'B', birthdate: '2026-11-21' };
    // At this time it is still the evening before in Mexico City.
    setClock(new Date('2026-11-21T03:00:00.000Z'));
    const { status, body } = await placeFor(user);
    const text = 'La fecha no puede ser posterior a hoy, 2026-11-20 (America/Mexico_City).';
    expect({ status, body }).toEqual({ status: 400, body: { user: { birthdate: [text] } } });
  });

  // `contract/bounds` has that a null is the same as none.
  it('lose nothing that is stored by a null', async () => {
    const known = { email: 'guardada@example.mx', first_name: 'Ana', last_name: 'Paz', sex: 'F' };
    const user = { ...known, second_last_name: 'Luna', birthdate: '1980-01-01', medical_condition: 'Asma' };
    const nulls = { ...known, sex: null, second_last_name: null, birthdate: null, medical_condition: null };
    await placeFor(user);
    const { status, body } = await placeFor(nulls);
    expect([status, body.patient.user]).toMatchObject([201, user]);
  });
});
