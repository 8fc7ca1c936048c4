import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { handler as runDueTasks } from '../../functions/jobs/run-due-tasks.ts';
import { createOrderContract } from '../../shared/api/orders/orders.ts';
import { now, setClock } from '../../shared/runtime/clock.ts';
import { mailConfig } from '../../shared/runtime/config.ts';
import { openSesRelay } from '../support/engines/ses-relay.ts';
import { expectHarmlessMail, hostileText } from '../support/hostile/hostile-texts.ts';
import { bodyFields, type Place, WHOLE_BODIES, withValue } from '../support/hostile/whole-bodies.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { elementsAt, elementsOf } from '../support/invoices/xml-elements.ts';
import { withPatience } from '../support/proofs/patience.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

const ORDERS = tries(12, 1_500);
const BODY = WHOLE_BODIES['POST /api/orders/resources/'] ?? {};
const { body: contract } = createOrderContract;

// These fields have a fixed format, so they are no free text; `contract/bad-values.test.ts` has their invalid values.
const FORMATTED = new Set([
  'phone',
  'rfc',
  'cfdi_use',
  'fiscal_regime',
  'document',
  'birthdate',
  'issue_date',
  'expiring_date',
  'hold',
]);
const isText = ({ place, types, pattern, choices }: ReturnType<typeof bodyFields>[number]) =>
  types === 'string' && !pattern && !choices && !FORMATTED.has(String(place.at(-1)));
/** Every free-text field of a new order, with its person, address, documents and invoice. */
const TEXTS = bodyFields(contract).filter(isText);

/** Draws e-mail addresses that are odd but valid. */
const oddAddress = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019!#$%&'*+/=?^_`{|}~-"), minLength: 1, maxLength: 40 })
  .map((local) => `${local}@demo.example`);

/** Draws a hostile text that respects the maximum length of a field. */
const drawText = ({ place, maximum = 200 }: (typeof TEXTS)[number]) =>
  // The name keeps at least one character that a CFDI allows.
  hostileText.map((text) => (place.at(-1) === 'full_name' ? `A${text}` : text).slice(0, Math.min(maximum, 200)));
const hostileBody = fc
  .record({ texts: fc.tuple(...TEXTS.map(drawText)), email: oddAddress })
  .map(({ texts, email }) => {
    const filled = TEXTS.reduce((body, { place }, index) => withValue(body, place, texts[index]), BODY);
    return withValue(filled, ['invoicing', 'email'], email);
  });

const ses = await openSesRelay(inject('serverEnvironment').AWS_ENDPOINT_URL_SES ?? '');
let server: TestServer;
let token: string;
beforeAll(async () => {
  server = withPatience(await openServer({ settings: { AWS_ENDPOINT_URL_SES: ses.url } }));
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  await server.close();
  await ses.close();
});

// With a key, an order that is repeated after a 503 is placed and mailed only once.
const place = (body: object): Promise<HttpAnswer> =>
  server.request('POST', '/api/orders/resources/', { token, body, headers: { 'Idempotency-Key': randomUUID() } });

const valueAt = (value: unknown, [step, ...rest]: Place): unknown =>
  step === undefined ? value : valueAt((value as Record<string | number, unknown>)[step], rest);

/** Returns the paths of the values that the contract refuses. */
function findBadPlaces(body: object): Place[] {
  const { error } = contract.safeParse(body);
  return (error?.issues ?? []).map(({ path }) => path as Place);
}

/** Replaces the values that the contract refuses with those of a valid body. */
const repairBody = (body: object): object =>
  findBadPlaces(body).reduce((good, at) => withValue(good, at, valueAt(BODY, at)), body);

// An order shows these parts of the request at these paths; the others are cleaned or not shown.
const SHOWN: Readonly<Record<string, (sent: Place) => Place>> = {
  user: (sent) => ['patient', ...sent],
  order: (sent) => sent.slice(1),
  invoicing: (sent) => sent,
};
const HIDDEN = new Set(['comments', 'coupon', 'document_name']);

function expectKept(answer: HttpAnswer, body: object): void {
  const kept = contract.parse(body);
  for (const { place: at } of TEXTS) {
    const show = SHOWN[String(at[0])];
    if (!show || HIDDEN.has(String(at.at(-1)))) continue;
    expect([at.join('.'), valueAt(answer.body, show(at))]).toEqual([at.join('.'), valueAt(kept, at)]);
  }
}

/** Expects a 400 that names the fields without repeating their values. */
function expectRefused({ status, body }: HttpAnswer, places: readonly Place[], sent: object): void {
  expect(status).toBe(400);
  // Half of a character, which JSON writes as an escape, is no text anywhere in a body.
  if (/\\ud[89a-f]|\ufffd/.test(JSON.stringify(sent))) {
    expect(body.code).toBe('malformed_json');
    return;
  }
  const said = JSON.stringify(body);
  for (const at of places) {
    expect(said).toContain(`"${at.at(-1)}":[`);
    const text = String(valueAt(sent, at));
    if (text.length > 4) expect(said).not.toContain(JSON.stringify(text).slice(1, -1));
  }
}

// A CFDI changes only the case of a name and drops its blanks, control characters and bars.
const normalizeName = (text: string): string =>
  text
    .normalize('NFC')
    .toUpperCase()
    .replace(/[|\p{C}\s]/gu, '');

async function expectHarmlessMails(orders: ReadonlyMap<string, { readonly to: string; readonly name: string }>) {
  const seen = new Set<string>();
  for (const form of ses.sent) {
    const raw = Buffer.from(form.get('RawMessage.Data') ?? '', 'base64');
    const folio = /RX-\d{8}/.exec(raw.toString())?.[0] ?? '';
    const { to, name } = orders.get(folio) ?? { to: '', name: '' };
    expect([...form.keys()].filter((key) => key.startsWith('Destinations'))).toEqual(['Destinations.member.1']);
    expect(form.get('Destinations.member.1')).toBe(to);
    const { attachments } = await expectHarmlessMail(raw, { from: mailConfig().MAIL_SENDER, to });
    const xml = attachments.find(({ filename }) => filename?.endsWith('.xml'))?.content.toString() ?? '';
    const [receiver] = elementsAt(elementsOf(xml), 'cfdi:Receptor');
    expect(normalizeName(receiver?.Nombre ?? '')).toBe(normalizeName(name));
    expect(receiver?.Nombre).not.toMatch(/[|\p{Cc}]/u);
    seen.add(folio);
  }
  expect([...seen].sort()).toEqual([...orders.keys()].sort());
}

describe('hostile texts in every text field', () => {
  it('are stored unchanged or refused, and add nothing to a mail or an invoice', async () => {
    const bodies = fc.sample(hostileBody, { numRuns: ORDERS, seed: seed() });
    const orders = new Map<string, { to: string; name: string }>();
    for (const [index, body] of bodies.entries()) {
      const unique = withValue(body, ['user', 'email'], `hostil-${index}@demo.example`);
      const nobodysPhone = withValue(unique, ['user', 'phone'], '');
      const bad = findBadPlaces(nobodysPhone);
      if (bad.length > 0) expectRefused(await place(nobodysPhone), bad, nobodysPhone);
      const sent = repairBody(nobodysPhone);
      const answer = await place(sent);
      expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(201);
      expectKept(answer, sent);
      const { email, full_name: name } = contract.parse(sent).invoicing ?? { full_name: '' };
      orders.set(answer.body.folio, { to: email ?? '', name });
    }
    // The scheduled job sends the mails that a request had no time to send.
    setClock(new Date(now().getTime() + 10 * 60_000));
    await runDueTasks();
    await expectHarmlessMails(orders);
    prove({ check: 'Injection: hostile texts in orders, invoices and mails', tries: ORDERS * TEXTS.length });
  });
});
