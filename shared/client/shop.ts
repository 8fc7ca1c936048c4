/**
 * The server of a shop, with the order of a guest, who has no account: it finds a product, holds its price, orders it
 * with a prescription, has it paid at OXXO, follows it until it is shipped, shows where it is, and downloads its invoice. Run it
 * while `npm start` runs: `node shop.ts`, or with Node 20 or 21 `npx tsx shop.ts`. The sandbox of the local server plays the
 * patient who pays and the pharmacy that approves and ships.
 */
import { createClient, type Order } from 'botica-client';

const [baseUrl = 'http://localhost:3000/v2'] = process.argv.slice(2);
const apiKey = 'demo-key-2026-farmacia-abierta';
const botica = createClient({ baseUrl, apiKey, language: 'en' });

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

/** Finds the method by how it is collected: the pharmacy chooses its name and id. */
async function findMethod(wanted: 'card' | 'oxxo' | 'spei'): Promise<number> {
  const { results } = await botica.paymentMethods.list({ include: ['collection'] });
  const method = results.find(({ collection }) => collection === wanted);
  if (!method) throw new Error(`nothing is collected by ${wanted}`);
  return method.id;
}

/** A PDF of one page, in place of a scan. */
const prescription = () => {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    '<</Length 43>>stream\nBT /F 18 Tf 40 100 Td (Dra. Eva Luna) Tj ET\nendstream',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  // In the evening the date in UTC is already tomorrow's, which would be refused. This locale writes dates as ISO 8601.
  const issue_date = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Mexico_City' }).format();
  return {
    document: btoa(`%PDF-1.4\n${body}trailer<</Root 1 0 R>>\n%%EOF\n`),
    document_name: 'receta.pdf',
    issue_date,
  };
};

const ADDRESS = {
  ...{ street: 'Durango', exterior_number: '245', neighborhood: 'Roma Norte', city: 'Ciudad de México' },
  ...{ state: 'CDMX', country: 'México', zipcode: '06700', phone: '+525512345678' },
};

async function placeOrder(): Promise<Order> {
  const basket = { details: [{ product: await findProduct('amoxisilina'), quantity: 1 }], coupon: 'BIENVENIDA10' };
  const { subtotal, discount, shipping_price, total, hold } = await botica.quote({
    ...basket,
    zipcode: ADDRESS.zipcode,
    hold: true,
  });
  console.log(`Quote: ${subtotal} - ${discount} + ${shipping_price} = ${total}, held`);
  const payment_method = await findMethod('oxxo');
  // The client repeats the request under one idempotency key until the service answers.
  const order = await botica.orders.create({
    // The first order registers the guest.
    user: { email: 'luz.mora@example.mx', first_name: 'Luz', last_name: 'Mora', phone: '+525512345678' },
    order: {
      ...{ details: basket.details, hold: hold?.token, payment_method, shipping: ADDRESS },
      prescriptions: [prescription()],
    },
  });
  console.log(`Order ${order.folio}: ${order.total}, ${order.order_status}, ${order.payment_status}`);
  return order;
}

/** Does what the patient would do at the counter of OXXO. */
async function pay({ payment_references: [voucher] }: Order): Promise<void> {
  if (!voucher?.external_url) throw new Error('there is nothing to pay by');
  console.log(`Pay ${voucher.reference} at ${voucher.institution}`);
  await fetch(voucher.external_url, { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }) });
}

/** Does what the people of the pharmacy would do. */
async function playPharmacy({ id }: Order, action: string, body = {}): Promise<void> {
  const address = new URL(`/sandbox/orders/${id}/${action}`, baseUrl);
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

async function followUntilShipped({ id }: Order): Promise<void> {
  for await (const { events } of botica.events.follow()) {
    for (const { type, order, shipment } of events.filter((event) => event.order.id === id)) {
      console.log(`${type}: ${order.order_status}, ${order.payment_status}`);
      if (shipment) return console.log(`Shipped with ${shipment.carrier}: ${shipment.tracking_number}`);
    }
  }
}

/** Shows what a page of the shop would tell the guest. */
async function track({ id, folio }: Order): Promise<void> {
  const [payment] = await botica.orders.payments(id);
  const { patient_order_status, shipments = [] } = await botica.orders.get(id, { include: ['shipments'] });
  console.log(
    `${folio}: ${patient_order_status}, ${payment?.status} by ${payment?.collection}, ${shipments[0]?.tracking_url}`,
  );
}

async function downloadInvoice({ id }: Order): Promise<void> {
  await botica.orders.requestInvoice(id, {
    ...{ ...ADDRESS, full_name: 'LUZ MORA', rfc: 'MOXL900412AB1', cfdi_use: 'S01', fiscal_regime: '605' },
    email: 'facturas@example.mx',
  });
  const { invoices = [] } = await botica.orders.get(id, { include: ['invoices'] });
  const xml = await (await fetch(invoices[0]?.xml ?? '')).text();
  console.log(`Invoice ${invoices[0]?.uuid}: ${xml.length} characters of XML`);
}

// The server of a shop has a user of its own, who orders for guests: their passwords are none of its business.
await botica.login({ email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' });
const order = await placeOrder();
await pay(order);
await playPharmacy(order, 'approve');
await playPharmacy(order, 'ship', { carrier: 'Paquetería Andariega', tracking: '1Z999AA10123456784' });
await followUntilShipped(order);
await track(order);
await downloadInvoice(order);
