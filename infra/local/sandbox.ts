import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { requiredText } from '../../shared/api/fields.ts';
import { catalog, findClient, payments, table } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { toErrorAnswer } from '../../shared/http/errors.ts';
import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { PAYMENT_FORMS } from '../../shared/invoices/rules/sat-tables.ts';
import { SandboxProvider } from '../../shared/invoices/sandbox/sandbox.ts';
import { preferredLanguage } from '../../shared/messages/say.ts';
import type { Order } from '../../shared/order/order.ts';
import { getOrderOfAnyClient } from '../../shared/order/orders.ts';
import { moveOrder } from '../../shared/ordering/move-order.ts';
import { payByHand } from '../../shared/payments/move-payment.ts';
import { rejectPrescription, verifyPrescription } from '../../shared/prescriptions/judge-prescription.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business, prescriptionConfig } from '../../shared/runtime/config.ts';
import type { ApiKeys } from './gateway/api-keys.ts';

const input = z.strictObject({
  reason: requiredText(50).default('La receta no se lee.'),
  carrier: requiredText(60).default('Paquetería Andariega'),
  tracking: requiredText(60).optional(),
  form: z.enum(Object.keys(PAYMENT_FORMS)).optional(),
});
type Input = z.infer<typeof input>;
type Trigger = (order: Order, input: Input) => Promise<Order>;

const operation = () => ({ operator: 'sandbox', now: now() });
const deps = () => ({ table: table(), business: business() });

/** Moves an order through statuses, one after the other, leaving out those that it has passed. */
async function moveThrough(order: Order, statuses: readonly Order['orderStatus'][], { carrier, tracking }: Input) {
  const trackingUrl = tracking === undefined ? null : (await catalog()).trackingUrl(carrier, tracking);
  let moved = order;
  for (const to of statuses.slice(statuses.indexOf(order.orderStatus) + 1)) {
    const shipment = to === 'shipped' ? { carrier, tracking, trackingUrl } : {};
    moved = await moveOrder({ id: order.id, to, ...shipment, ...operation() }, deps());
  }
  return moved;
}

// An antibiotic is dispensed only with its prescriber on record.
const PRESCRIBER = { name: 'Eva Luna', licence: '1234567', address: null };
// A developer's orders have the same document over and over.
const ACCEPTED = { age: 'accepted', copy: 'accepted' } as const;

const TO_SHIPPED = ['in_process', 'ready', 'shipped'] as const;
const TO_COLLECTED = ['in_process', 'ready', 'delivered'] as const;

const TRIGGERS: Readonly<Record<string, Trigger>> = {
  async approve(order) {
    const { PRESCRIPTION_MAXIMUM_AGE_DAYS: maximumAgeDays } = prescriptionConfig();
    for (const { id: prescription } of order.prescriptions.filter(({ rejection }) => rejection === null)) {
      const verified = { id: order.id, prescription, prescriber: PRESCRIBER, ...ACCEPTED, ...operation() } as const;
      await verifyPrescription(verified, { ...deps(), maximumAgeDays });
    }
    return moveOrder({ id: order.id, to: 'approved', ...operation() }, deps());
  },
  async reject({ id, prescriptions }, { reason }) {
    const open = prescriptions.find(({ rejection }) => rejection === null);
    return (await rejectPrescription({ id, prescription: open?.id, reason, ...operation() }, table())).order;
  },
  pay: ({ id }, { form }) => payByHand({ id, to: 'paid', form, ...operation() }, { table: table(), payments }),
  ship: (order, shipment) => moveThrough(order, TO_SHIPPED, shipment),
  deliver: (order, shipment) => moveThrough(order, order.store ? TO_COLLECTED : [...TO_SHIPPED, 'delivered'], shipment),
};

/**
 * Lets a client's developer play the pharmacy by requests: `POST /sandbox/orders/{id}/approve` and so on for an order of the
 * client whose key is sent, and `POST /sandbox/sat/down` and `/up` for the invoicing sandbox.
 */
export function addSandbox(app: FastifyInstance, keys: ApiKeys): void {
  app.register((sandbox, _options, done) => {
    sandbox.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...HARDENING_HEADERS, 'Cache-Control': 'no-store' });
    });
    sandbox.setErrorHandler((error, { headers }, reply) => {
      const language = preferredLanguage(headers['accept-language']);
      const { status, body } = toErrorAnswer(error, language, {});
      const reason = error instanceof Refusal ? error.reason?.[language] : undefined;
      return reply.code(status).send({ ...Object(body), ...(reason !== undefined && { detail: reason }) });
    });
    sandbox.post<{ Params: { state: string } }>('/sandbox/sat/:state', async ({ params: { state }, headers }) => {
      await identifyClient(keys, headers['x-api-key']);
      if (state !== 'down' && state !== 'up') throw new Refusal('not_found');
      SandboxProvider.isDown = state === 'down';
      return { sat: state };
    });
    sandbox.post<{ Params: { id: string; trigger: string } }>(
      '/sandbox/orders/:id/:trigger',
      async ({ params, headers, body }) => {
        const clientId = await identifyClient(keys, headers['x-api-key']);
        const act = Object.hasOwn(TRIGGERS, params.trigger) ? TRIGGERS[params.trigger] : undefined;
        const order = /^\d{1,15}$/.test(params.id) ? await getOrderOfAnyClient(table(), Number(params.id)) : undefined;
        if (!act || order?.clientId !== clientId) throw new Refusal('not_found');
        const { id, orderStatus, paymentStatus } = await act(order, parseInput(body));
        return { id, order_status: orderStatus, payment_status: paymentStatus };
      },
    );
    done();
  });
}

// The header keeps out pages of other sites, which can send it only after a preflight that is refused.
async function identifyClient(keys: ApiKeys, value: unknown): Promise<number> {
  const key = keys.find(String(value ?? ''));
  const client = key?.enabled ? await findClient(key.id) : undefined;
  if (!client) throw new Refusal('client_unknown');
  return client.id;
}

function parseInput(body: unknown): Input {
  const { data, error } = input.safeParse(parseJson(String(body ?? '') || '{}'));
  if (data) return data;
  throw new Refusal('invalid_input', {
    errors: error.issues.map(({ path }) => ({ path: path as string[], code: 'invalid_value' })),
  });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('malformed_json');
  }
}
