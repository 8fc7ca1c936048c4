import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openSesRelay, type SesRelay } from '../../support/engines/ses-relay.ts';
import { ADDRESS, INVOICING, orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const VICTIM = 'victima@demo.example';

/** Texts of a sender that a mail program would show as a greeting or a link, or that mislead the receiver. */
const LURES = [
  'https://evil.example',
  'evil.example',
  'www.evil.example/a',
  'mailto:a@evil.example',
  'EVIL.EXAMPLE premio',
  'evil@evil.example',
  '<a href="//evil.example">',
  '[evil](//evil.example)',
  'evil。example',
  'Paga a evil: 5512345678',
] as const;

let server: TestServer;
let ses: SesRelay;
let token: string;
beforeAll(async () => {
  ses = await openSesRelay(inject('serverEnvironment').AWS_ENDPOINT_URL_SES ?? '');
  server = await openServer({ settings: { AWS_ENDPOINT_URL_SES: ses.url } });
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  await server.close();
  await ses.close();
});

/** Returns the body of an order that says the lure wherever it may, and has its invoice mailed to the victim. */
function bodyWith(lure: string, number: number) {
  const { order } = orderBody('');
  const names = { first_name: lure, last_name: lure, second_last_name: lure, medical_condition: lure };
  const places = { street: lure, neighborhood: lure, city: lure, state: lure, country: lure };
  const shipping = { ...ADDRESS, ...places, country: ADDRESS.country, additional_info: lure };
  return {
    user: { email: `senuelo-${number}@demo.example`, ...names },
    order: { ...order, shipping, comments: lure, coupon: lure.slice(0, 16) },
    invoicing: { ...INVOICING, ...places, full_name: lure, email: VICTIM },
  };
}

// A mail program makes links of addresses, and of what ends like a domain.
const STYLE = /<style>.*?<\/style>/s;
const LINK = /https?:|www\.|mailto:|@|[\p{L}\d-]\.\p{L}{2,}|href|<a\b/iu;

it('a mail of an invoice has no text of its sender and no link, and says why it came', async () => {
  const count = tries(LURES.length, 200);
  for (let number = 0; number < count; number++) {
    const lure = LURES[number % LURES.length] as string;
    const { status, body } = await server.request('POST', '/api/orders/resources/', {
      token,
      body: bodyWith(lure, number),
    });
    expect([lure, status, body.cfdi]).toEqual([lure, 201, expect.stringMatching(/./)]);
  }
  expect(ses.sent.length).toBe(count);
  let lured = 0;
  for (const form of ses.sent) {
    const {
      subject = '',
      text = '',
      html,
      to,
    } = await simpleParser(Buffer.from(form.get('RawMessage.Data') ?? '', 'base64'));
    const [folio] = /RX-\d{8}/.exec(subject) ?? [];
    expect(to?.value).toEqual([{ name: '', address: VICTIM }]);
    expect(subject).toBe(`Factura del pedido ${folio} – Botica`);
    expect(String(html).match(STYLE)?.[0]).not.toMatch(/evil|url\(|@import/i);
    const shown = [subject, text, String(html).replace(STYLE, '')];
    if (shown.some((part) => /evil/i.test(part) || LINK.test(part))) lured += 1;
    expect(text.replace(/\s+/g, ' ')).toContain(
      `Recibe este correo porque esta dirección se indicó para la factura del pedido ${folio} en Botica.`,
    );
    expect(text.replace(/\s+/g, ' ')).toContain('Si no fue usted, responda a este correo');
    expect(String(html)).toContain('Recibe este correo porque');
  }
  prove({ check: 'attack 6: a mail greets with text of its sender, or links it', tries: count, lost: lured });
});
