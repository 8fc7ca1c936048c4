import { randomUUID } from 'node:crypto';
import { ListObjectsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/jobs/sweep-documents.ts';
import type { OrderPrescription } from '../../../shared/order/order-parts.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { sweepDocuments } from '../../../shared/prescriptions/sweep-documents.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { Documents, type StoredVersion } from '../../../shared/store/documents.ts';
import { documentMarkKey, type Key } from '../../../shared/store/keys.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { PDF } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const HOUR_MS = 60 * 60 * 1_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const NOTHING = { removed: 0, failed: 0 };

const server = useServer();
let table: Table;
let documents: Documents;
const s3 = new S3Client({ forcePathStyle: true });

beforeAll(async () => {
  table = openTable();
});
beforeEach(async () => {
  documents = openDocuments();
  await sweep(7);
});
afterEach(() => setClock());
afterAll(() => s3.destroy());

const bucket = () => process.env.DOCUMENTS_BUCKET ?? '';
const openDocuments = () => new Documents(bucket(), true);
const sweep = (hours: number) => sweepDocuments(inHours(hours), { documents, table });

async function keys(): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket: bucket() }));
  return Contents.map(({ Key }) => Key ?? '');
}

/** Uploads a document that belongs to no order, as after a crash. */
async function upload(key = `prescriptions/${randomUUID()}`): Promise<string> {
  await s3.send(new PutObjectCommand({ Bucket: bucket(), Key: key, Body: Buffer.from(PDF, 'base64') }));
  return key;
}

const placed = async (prescriptions: number): Promise<number> => {
  const sent = Array.from({ length: prescriptions }, () => ({ document: PDF, issue_date: '2020-02-29' }));
  return (await server.placeOrder('ana@example.mx', { prescriptions: sent })).id;
};

const documentKeys = async (id: number) =>
  ((await getOrderOfAnyClient(table, id))?.prescriptions ?? []).map(({ documentKey }) => documentKey);

/** Adds an uploaded document to an order, as the last step of attaching it. */
async function attachDocument(id: number, documentKey: string): Promise<void> {
  const { prescriptions } = await getStoredOrder(id);
  await forceStored(id, {
    prescriptions: [...prescriptions, { ...(prescriptions[0] as OrderPrescription), documentKey }],
  });
}

describe('the sweep', () => {
  it('removes documents that are older than six hours and in no order, and finds nothing the second time', async () => {
    const crashed = await upload();
    const elsewhere = await upload('elsewhere/document');
    expect(await sweep(5.9)).toMatchObject(NOTHING);
    expect(await keys()).toContain(crashed);
    const stored = (await keys()).filter((key) => key.startsWith('prescriptions/')).length;
    expect(await sweep(6.1)).toEqual({ stored, removed: 1, failed: 0 });
    expect(await keys()).not.toContain(crashed);
    expect(await keys()).toContain(elsewhere);
    // A mark is left, which DynamoDB removes after a month.
    const days = (Number((await table.get(documentMarkKey(crashed)))?.ttl) * 1_000 - Date.now()) / (24 * HOUR_MS);
    expect([days > 30, days < 31]).toEqual([true, true]);
    expect(await sweep(7)).toMatchObject(NOTHING);
  });

  it('keeps documents that were sent with an order or attached to it, also once it was changed and cancelled', async () => {
    const [id, later] = [await placed(10), await placed(1)];
    await attachDocument(later, await upload());
    for (const body of [{ details: [{ product: 1, quantity: 1 }] }, { order_status: 'cancelled' }]) {
      expect((await server.asEmployee('PATCH', `/api/orders/${id}/`, body)).status).toBe(200);
    }
    expect(await sweep(1_000)).toMatchObject(NOTHING);
    const kept = [...(await documentKeys(id)), ...(await documentKeys(later))];
    expect(kept).toHaveLength(10 + 2);
    expect(await keys()).toEqual(expect.arrayContaining(kept));
  });

  it('reads more than one page, also when two run at once', async () => {
    const id = await placed(1);
    documents = new (class extends Documents {
      override stored() {
        return super.stored(20);
      }
    })(bucket(), true);
    await Promise.all(Array.from({ length: 50 }, () => upload()));
    expect(await sweep(7)).toMatchObject({ removed: 50, failed: 0 });
    const crashed = await upload();
    await Promise.all([sweep(7), sweep(7)]);
    expect(await keys()).not.toContain(crashed);
    expect(await keys()).toEqual(expect.arrayContaining(await documentKeys(id)));
  });
});

describe('a document that is attached during the sweep', () => {
  it('is kept when it is attached after it was listed', async () => {
    const id = await placed(1);
    const key = await upload();
    documents = new (class extends Documents {
      override async *stored(): AsyncGenerator<StoredVersion[]> {
        for await (const page of super.stored()) {
          await attachDocument(id, key);
          yield page;
        }
      }
    })(bucket(), true);
    expect(await sweep(7)).toMatchObject(NOTHING);
    expect(await keys()).toContain(key);
    expect(await documentKeys(id)).toContain(key);
  });

  it('is kept when it is attached after its mark was read', async () => {
    const id = await placed(1);
    const key = await upload();
    const own = Object.assign(openTable(), {
      getAll: async (asked: readonly Key[]) => {
        const marks = await table.getAll(asked);
        await attachDocument(id, key);
        return marks;
      },
    });
    expect(await sweepDocuments(inHours(7), { documents, table: own })).toMatchObject(NOTHING);
    expect(await keys()).toContain(key);
    expect(await documentKeys(id)).toContain(key);
  });

  it('is refused when the sweep was first', async () => {
    const id = await placed(1);
    const key = await upload();
    expect(await sweep(7)).toMatchObject({ removed: 1 });
    await expect(attachDocument(id, key)).rejects.toThrow(ConditionFailed);
    expect(await documentKeys(id)).not.toContain(key);
  });
});

it('a sweep that ended between marking a document and removing it is finished by the next one', async () => {
  const key = await upload();
  documents = new (class extends Documents {
    override async erase(): Promise<number> {
      throw new Error('the power is gone');
    }
  })(bucket(), true);
  await expect(sweep(7)).rejects.toThrow('the power is gone');
  expect(await keys()).toContain(key);
  documents = openDocuments();
  expect(await sweep(7)).toMatchObject({ removed: 1, failed: 0 });
  expect(await keys()).not.toContain(key);
});

it('the sweep is run by the job', async () => {
  const crashed = await upload();
  await handler();
  expect(await keys()).toContain(crashed);
  setClock(inHours(7));
  await handler();
  expect(await keys()).not.toContain(crashed);
});
