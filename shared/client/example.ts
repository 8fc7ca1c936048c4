/**
 * Quotes and places an order, uploads a prescription, requests an invoice, and prints each step. Run it in a project that
 * has installed the client, while `npm start` runs: `node example.ts receta.pdf`.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { BoticaError, type CreateOrderRequest, createClient, type PrescriptionInput } from 'botica-client';

const [file = 'receta.pdf', baseUrl = 'http://localhost:3000/v2'] = process.argv.slice(2);
const botica = createClient({ baseUrl, apiKey: 'demo-key-2026-farmacia-abierta', language: 'en' });

const shipping = {
  street: 'Durango',
  exterior_number: '245',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
  phone: '+525512345678',
};

async function findProduct(name: string): Promise<number> {
  for await (const { id, base, price } of botica.products.each({
    search: name,
    is_active: true,
    has_shortage: false,
  })) {
    if (!base.medical_information?.requires_prescription) continue;
    console.log(`Product ${id}, ${base.name}: ${price}, needs a prescription`);
    return id;
  }
  throw new Error(`no product is called ${name}`);
}

async function quote(product: number): Promise<void> {
  const { subtotal, discount, shipping_price, total, errors } = await botica.quote({
    details: [{ product, quantity: 1 }],
    zipcode: shipping.zipcode,
    coupon: 'BIENVENIDA10',
  });
  console.log(`Quote: ${subtotal} - ${discount} + ${shipping_price} of shipping = ${total}`, errors);
}

async function prescription(): Promise<PrescriptionInput> {
  const document = await readFile(file, 'base64');
  // In the evening the date in UTC is already tomorrow's, which would be refused. This locale writes dates as ISO 8601.
  const issue_date = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Mexico_City' }).format();
  return { document, document_name: basename(file), issue_date };
}

async function place(product: number): Promise<number> {
  const request: CreateOrderRequest = {
    user: { email: 'luz.mora@example.mx', first_name: 'Luz', last_name: 'Mora', phone: shipping.phone },
    order: {
      details: [{ product, quantity: 1 }],
      payment_method: 1,
      coupon: 'BIENVENIDA10',
      shipping,
      prescriptions: [await prescription()],
    },
  };
  // The client repeats the request under one idempotency key until the service answers.
  const order = await botica.orders.create(request);
  const [uploaded] = order.prescriptions;
  console.log(`Order ${order.folio}: ${order.total}, ${order.order_status}, with ${uploaded?.document_name}`);
  return order.id;
}

async function invoice(id: number): Promise<void> {
  const { cfdi, invoicing } = await botica.orders.requestInvoice(id, {
    ...shipping,
    full_name: 'LUZ MORA',
    rfc: 'MOXL900412AB1',
    cfdi_use: 'D01',
    fiscal_regime: '605',
    email: 'facturas@example.mx',
  });
  console.log(`Invoice ${cfdi} to ${invoicing?.rfc}, mailed to ${invoicing?.email}`);
}

async function showRefusal(): Promise<void> {
  try {
    await botica.quote({ details: [{ product: 99999, quantity: 1 }] });
  } catch (error) {
    if (!(error instanceof BoticaError)) throw error;
    console.log(`Refused with ${error.status}, ${error.detail}`);
  }
}

const product = await findProduct('amoxicilina');
await quote(product);
await showRefusal();
await botica.login({ email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' });
const order = await place(product);
await invoice(order);
const { count } = await botica.orders.list({ order_status__in: ['pending_approval'], limit: 1 });
console.log(`Orders that wait for approval: ${count}`);
