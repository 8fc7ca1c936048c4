/**
 * Takes an order the whole way, from a misspelt search to its dispatch, and prints each step. Run it while `npm start` runs, in a
 * project that has installed the client: `node example.ts receta.pdf whsec_…`. The guide says how to get both.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import {
  BoticaError,
  createClient,
  type Order,
  type PrescriptionInput,
  verifyWebhook,
  type WebhookEvent,
} from 'botica-client';

const [file = 'receta.pdf', secret, port = '4000', baseUrl = 'http://localhost:3000/v2'] = process.argv.slice(2);
if (secret === undefined) throw new Error('the secret of the webhook is missing');
const botica = createClient({ baseUrl, apiKey: 'demo-key-2026-farmacia-abierta', language: 'en' });

async function findProduct(search: string): Promise<number> {
  const page = await botica.products.list({ search, spelling: true, is_active: true, has_shortage: false });
  if (page.did_you_mean) {
    console.log(`Nothing is called ${search}: did you mean ${page.did_you_mean}?`);
    return findProduct(page.did_you_mean);
  }
  const found = page.results.find(({ base }) => base.medical_information?.requires_prescription);
  if (!found) throw new Error(`nothing is called ${search}`);
  console.log(`Product ${found.id}, ${found.base.name}: ${found.price}, needs a prescription`);
  return found.id;
}

async function findStore(search: string): Promise<number> {
  const [store] = (await botica.stores.list({ search })).results;
  if (!store) throw new Error(`no store is called ${search}`);
  console.log(`Store ${store.id}, ${store.name}: ${store.business_hours}`);
  return store.id;
}

async function findPaymentMethod(search: string): Promise<number> {
  const [method] = (await botica.paymentMethods.list({ search })).results;
  if (!method) throw new Error(`no payment method is called ${search}`);
  console.log(`Payment method ${method.id}, ${method.name}`);
  return method.id;
}

type Basket = Parameters<typeof botica.quote>[0];

async function holdPrice(basket: Basket): Promise<string> {
  const { subtotal, discount, total, errors, hold } = await botica.quote({ ...basket, hold: true });
  console.log(`Quote: ${subtotal} - ${discount} = ${total}`, errors);
  if (!hold) throw new Error('no order could be made of this basket');
  return hold.token;
}

async function readPrescription(): Promise<PrescriptionInput> {
  const document = await readFile(file, 'base64');
  // In the evening the date in UTC is already tomorrow's, which would be refused. This locale writes dates as ISO 8601.
  const issue_date = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Mexico_City' }).format();
  return { document, document_name: basename(file), issue_date };
}

async function placeOrder({ details, store }: Basket, hold: string, payment_method: number): Promise<Order> {
  // The client repeats the request under one idempotency key until the service answers.
  const order = await botica.orders.create({
    user: { email: 'luz.mora@example.mx', first_name: 'Luz', last_name: 'Mora', phone: '+525512345678' },
    order: { details, store, hold, payment_method, prescriptions: [await readPrescription()] },
  });
  console.log(`Order ${order.folio}: ${order.total}, ${order.order_status}, id ${order.id}`);
  return order;
}

async function requestInvoice({ id }: Order): Promise<void> {
  const { cfdi, invoicing } = await botica.orders.requestInvoice(id, {
    full_name: 'LUZ MORA',
    rfc: 'MOXL900412AB1',
    cfdi_use: 'S01',
    fiscal_regime: '605',
    email: 'facturas@example.mx',
    street: 'Durango',
    exterior_number: '245',
    neighborhood: 'Roma Norte',
    city: 'Ciudad de México',
    state: 'CDMX',
    country: 'México',
    zipcode: '06700',
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

/** Yields the events that the pharmacy sends here, each once, and closes the receiver when the loop over them ends. */
function receiveEvents(secret: string): ReadableStream<WebhookEvent> {
  const known = new Set<string>();
  const receiver = createServer();
  return new ReadableStream({
    start(events) {
      receiver.on('request', async (request, response) => {
        const body = await text(request);
        const event = await verifyWebhook({ headers: request.headers, body }, { secret }).catch(() => undefined);
        response.writeHead(event ? 204 : 400, { Connection: 'close' }).end();
        if (event && !known.has(event.id)) events.enqueue(event);
        if (event) known.add(event.id);
      });
      receiver.listen(Number(port), '127.0.0.1');
    },
    cancel() {
      receiver.close();
    },
  });
}

async function followOrder({ id }: Order, events: ReadableStream<WebhookEvent>): Promise<void> {
  console.log('Waiting until the pharmacy has shipped it');
  for await (const event of events) {
    if (event.type === 'webhook.test' || event.order.id !== id) continue;
    console.log(`${event.type}: ${event.order.order_status}, ${event.order.payment_status}`);
    if (event.order.order_status === 'shipped') return;
  }
}

const events = receiveEvents(secret);
const product = await findProduct('amoxisilina');
await showRefusal();
await botica.login({ email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' });
const store = await findStore('valle');
const paymentMethod = await findPaymentMethod('tarjeta');
const basket = { details: [{ product, quantity: 1 }], store, coupon: 'BIENVENIDA10' };
const hold = await holdPrice(basket);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
await terminal.question('Publish a dearer catalog within 15 minutes, then press Enter to order at the held price.\n');
terminal.close();
console.log(`Its price today: ${(await botica.quote(basket)).total}`);
const order = await placeOrder(basket, hold, paymentMethod);
await requestInvoice(order);
await followOrder(order, events);
