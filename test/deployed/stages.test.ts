import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED_STAGE } from '../../infra/cloud/demonstration/demonstration.ts';
import { createStores } from '../../infra/local/seed.ts';
import { functionName } from '../../infra/stack-names.ts';
import { createClient, findClientOfKey, listClients } from '../../shared/access/clients.ts';
import { readPointer } from '../../shared/catalog/bucket.ts';
import { catalogBucket, ids, table } from '../../shared/deps.ts';
import { setPasswordHash, usersByEmail } from '../../shared/people/users.ts';
import { openScriptedApi } from '../support/engines/scripted-api.ts';
import { secretArn } from '../support/faults/aws-call.ts';
import { operate } from '../support/operators/operator.ts';
import { INVOICING, orderBody } from '../support/orders/samples.ts';
import { openStripeServer, sendStripeCall } from '../support/payments/stripe-server.ts';
import { HOSTED } from '../support/rights/stack-template.ts';
import { type DeployedStack, openDeployedStack } from '../support/servers/deployed-stack.ts';

/* Functions run as in bundles.test.ts, with the environment and the rights of other stages. */

const stripe = await openStripeServer();
afterAll(() => stripe.close());

describe('a stage that collects orders, from a fake Stripe', () => {
  const SECRET = 'pharmacy/stripe';
  const CARD = 3;
  const OXXO = 4;

  let server: DeployedStack;
  let token: string;
  beforeAll(async () => {
    server = await openDeployedStack({
      settings: { payments: { provider: 'stripe', secretName: SECRET } },
      secrets: { [SECRET]: JSON.stringify({ key: stripe.testKey, webhookSecret: stripe.life.secret }) },
      environment: { STRIPE_URL: stripe.url },
    });
    token = await server.login('aseguradora@demo.example');
  }, 600_000);
  afterAll(() => server.close());

  const place = (payment_method: number) => server.placeOrder('cobrada@example.mx', { payment_method });
  const readStatus = async (id: number): Promise<string> =>
    (await server.request('GET', `/api/orders/${id}/`, { token })).body.payment_status;

  describe('an order', () => {
    it('has its reference with the 201, and is paid once the provider calls', async () => {
      const order = await place(OXXO);
      expect(order).toMatchObject({ payment_status: 'unpaid', payment_references: [{ method: 'oxxo' }] });
      stripe.life.payVoucher(order.external_payment_id);
      for (const call of await stripe.life.takeCalls()) expect(await sendStripeCall(server.url, call)).toBe(200);
      expect(await readStatus(order.id)).toBe('paid');
    });

    it('is rejected with the 201 when the provider refuses it for good, and gets a reference later', async () => {
      stripe.life.allowed.delete('oxxo');
      const order = await place(OXXO);
      stripe.life.allowed.add('oxxo');
      expect(order).toMatchObject({
        payment_status: 'rejected',
        rejection_reason: 'payment_method_not_enabled',
        payment_references: [],
      });
      expect(await server.request('POST', `/api/orders/${order.id}/payment/`, { token })).toMatchObject({
        status: 201,
        body: { payment_status: 'unpaid', payment_references: [{ method: 'oxxo' }] },
      });
    });

    it('is paid by a job when the call was lost', async () => {
      const order = await place(CARD);
      stripe.life.payPage(stripe.life.openPage(order.external_payment_id));
      await server.run('jobs-run-due-tasks');
      expect(await readStatus(order.id)).toBe('paid');
    });
  });

  it('no function is refused a call for a missing right', async () => {
    expect(await server.refused()).toEqual([]);
  });
});

// It has no sender of mails.
describe('a stage that begins with the demonstration', () => {
  const SEEDING = functionName(SEED_STAGE);
  const SECRET = secretArn('DemonstrationPasswords');
  const PASSWORD = 'generada0123456789ABCDEF';

  let server: DeployedStack;
  let gatewayKey: { readonly id: string; readonly value: string };
  beforeAll(async () => {
    server = await openDeployedStack({
      settings: { ...HOSTED, contents: 'demonstration', sender: undefined },
      secrets: { [SECRET]: JSON.stringify({ patient: 'paciente@demo.example', password: PASSWORD }) },
      environment: {},
    });
    // The buckets of the run have a catalog and its images already.
    process.env.CATALOG_BUCKET = `catalog-${randomUUID()}`;
    process.env.IMAGES_BUCKET = `images-${randomUUID()}`;
    await createStores('streamed');
    gatewayKey = server.keys.create({ name: 'stage', enabled: true });
  }, 600_000);
  afterAll(() => server.close());

  /** Calls the function as CloudFormation does, and returns the outcome that it answers. */
  async function seed(RequestType: 'Create' | 'Update' | 'Delete', gatewayKeyId = gatewayKey.id) {
    const { url, heard } = await openScriptedApi({ status: 200 });
    const event = {
      RequestType,
      ResponseURL: url,
      StackId: 's',
      RequestId: 'r',
      LogicalResourceId: 'DemonstrationSeed',
    };
    await server.run(SEEDING, { ...event, ResourceProperties: { gatewayKeyId, secretId: SECRET } });
    const { Status, Reason } = JSON.parse(heard[0]?.body ?? '{}');
    return Reason ?? Status;
  }

  const readDoctor = async () => {
    const client = await findClientOfKey(table(), gatewayKey.id);
    return (await usersByEmail(table(), 'doctora@demo.example')).find(({ clientId }) => clientId === client?.id);
  };
  const readAll = async () => [await listClients(table()), await readDoctor(), await readPointer(catalogBucket())];

  async function login(): Promise<string> {
    const body = { email: 'aseguradora@demo.example', password: PASSWORD };
    const answer = await server.request('POST', '/api/token/', { key: gatewayKey.value, body });
    expect(answer.status).toBe(200);
    return answer.body.access;
  }

  describe('the demonstration', () => {
    it('is usable once the stack is made', async () => {
      expect(await seed('Create')).toBe('SUCCESS');
      const key = gatewayKey.value;
      expect(await server.request('GET', '/api/products/?limit=1', { key })).toMatchObject({ status: 200 });
      const [token, body] = [await login(), orderBody('nueva@example.mx')];
      expect((await server.request('POST', '/api/orders/resources/', { key, token, body })).status).toBe(201);
    });

    it('has the client that a call which was cut off has left, and no second one', async () => {
      const terms = { name: 'Farmacia Demo', origin: 'demo', paymentMethods: [1], carrierName: null };
      const { id } = await createClient(table(), ids(), terms, new Date());
      expect(await seed('Create', 'key-of-another-call')).toBe('SUCCESS');
      expect(await findClientOfKey(table(), 'key-of-another-call')).toMatchObject({ id });
    });

    it('is left as its owner has changed it since by an update, and by a removal', async () => {
      const doctor = await readDoctor();
      if (!doctor) throw new Error('the demonstration has no doctor');
      await setPasswordHash(table(), doctor, 'another');
      const before = await readAll();
      expect(await seed('Update')).toBe('SUCCESS');
      expect(await seed('Delete')).toBe('SUCCESS');
      expect(await readAll()).toEqual(before);
    });

    it('keeps its mails without an alarm, and says why', async () => {
      const call = { key: gatewayKey.value, token: await login() };
      const body = orderBody('factura@example.mx', {}, { invoicing: INVOICING });
      const placed = await server.request('POST', '/api/orders/resources/', { ...call, body });
      for (let runs = 0; runs < 2; runs++) await server.run('jobs-run-due-tasks');
      const { log } = (await server.deployed('jobs-run-due-tasks')).process;
      const lines = log.map((line) => JSON.parse(line));
      expect(lines).toContainEqual(expect.objectContaining({ message: 'tasks on tax documents', no_sender: 1 }));
      expect(lines.at(-1)).toMatchObject({ message: 'metrics', unsentMail: 0 });
      delete process.env.MAIL_SENDER;
      const { out } = await operate('pipe', 'invoices', 'list', '--status', 'mail_due', '--json');
      expect(JSON.parse(out).invoices).toMatchObject([{ order: placed.body.id, mail: 'due', reason: 'no_sender' }]);
      const resent = await operate('pipe', 'invoices', 'resend', String(placed.body.id));
      expect(resent).toMatchObject({ code: 1, err: expect.stringContaining('the stage has no sender') });
    });

    it('is made with the rights of its function, and these are all used', async () => {
      expect(await server.refused()).toEqual([]);
      expect((await server.unused()).filter((right) => right.startsWith(SEEDING))).toEqual([]);
    });
  });
});
