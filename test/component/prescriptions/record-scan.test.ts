import type { GuardDutyScanResultNotificationEvent } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { handler as recordScan } from '../../../functions/jobs/record-scan.ts';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredOrder } from '../../support/orders/forced-order.ts';
import { PDF } from '../../support/orders/samples.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';
import { useServer } from '../../support/servers/test-server.ts';

type Status = GuardDutyScanResultNotificationEvent['detail']['scanResultDetails']['scanResultStatus'];

const SCANNED_AT = '2026-11-23T18:00:05Z';

/** Returns what the job reads of an event (GuardDuty's guide, "Monitoring S3 object scans with Amazon EventBridge"). */
const scanned = (objectKey: string, scanResultStatus: Status) =>
  ({
    time: SCANNED_AT,
    detail: { s3ObjectDetails: { objectKey }, scanResultDetails: { scanResultStatus, threats: null } },
  }) as GuardDutyScanResultNotificationEvent;

const server = useServer({ settings: { SCAN_DOCUMENTS: 'true' } });
afterEach(() => setClock());

async function place(count = 1) {
  const prescriptions = Array.from({ length: count }, () => ({ document: PDF, issue_date: '2026-01-19' }));
  const { id } = await server.placeOrder('lee@example.mx', { details: [{ product: 4, quantity: 1 }], prescriptions });
  const keys = (await getStoredOrder(id)).prescriptions.map(({ documentKey }) => documentKey);
  return { id, keys, key: keys[0] ?? '' };
}
const scansOf = async (id: number) => (await getStoredOrder(id)).prescriptions.map(({ scan }) => scan);
const detail = async (id: number) => (await server.asEmployee('GET', `/api/orders/${id}/`)).body;
const show = async (id: number) => (await operate('pipe', 'orders', 'show', String(id))).out;
const verify = (id: number) =>
  operate('pipe', 'orders', 'verify-prescription', String(id), '--accept-age', '--accept-copy');

describe('the scan of a prescription', () => {
  it('is pending at first, and then clean', async () => {
    const { id, key } = await place();
    expect(await scansOf(id)).toEqual(['pending']);
    // GuardDuty could not scan it.
    await recordScan(scanned(key, 'UNSUPPORTED'));
    expect(await scansOf(id)).toEqual(['pending']);
    expect(await show(id)).toContain('is not scanned yet.');
    await recordScan(scanned(key, 'NO_THREATS_FOUND'));
    expect(await scansOf(id)).toEqual(['clean']);
    expect((await detail(id)).prescriptions[0].document).toMatch(/^http/);
    expect(await verify(id)).toMatchObject({ code: 0 });
  });

  it('that finds malware withholds the document, also from a pharmacist who had verified it', async () => {
    const { id, key } = await place();
    expect(await verify(id)).toMatchObject({ code: 0 });
    await recordScan(scanned(key, 'THREATS_FOUND'));
    expect((await detail(id)).prescriptions[0]).toMatchObject({ document: '' });
    expect(await show(id)).toMatch(/^Malware was found in prescription \d+, which is withheld\.$/m);
    expect(await verify(id)).toMatchObject({ code: 1, err: expect.stringContaining('Malware was found') });
    const approval = await operate('pipe', 'orders', 'move', String(id), '--to', 'approved');
    expect(approval).toMatchObject({ code: 1, err: expect.stringContaining('1 × product 4') });
  });

  it('is recorded once, in whatever order results come', async () => {
    const { id, keys } = await place(2);
    const [first = '', second = ''] = keys;
    const events = [scanned(first, 'THREATS_FOUND'), scanned(second, 'NO_THREATS_FOUND')];
    await Promise.all([...events, ...events].map(recordScan));
    const { version } = await getStoredOrder(id);
    await recordScan(scanned(first, 'NO_THREATS_FOUND'));
    expect(await getStoredOrder(id)).toMatchObject({ version, prescriptions: [{ scan: 'threat' }, { scan: 'clean' }] });
  });

  it('is tried again if it comes before the order, and given up a minute later', async () => {
    const id = 9_000_001;
    const key = 'prescriptions/early';
    setClock(new Date('2026-11-23T18:00:30.000Z'));
    await expect(recordScan(scanned(key, 'NO_THREATS_FOUND'))).rejects.toThrow('the document has no order yet');
    const prescriptions = [{ ...unverifiedPrescription(12, key), scan: 'pending' as const }];
    const order = syntheticOrder({ id, clientId: server.client.id, prescriptions });
    await openTable().transact(createOrderWrites(order));
    setClock(new Date('2026-11-23T18:01:30.000Z'));
    await recordScan(scanned(key, 'NO_THREATS_FOUND'));
    await recordScan(scanned('prescriptions/never', 'NO_THREATS_FOUND'));
    expect(await scansOf(id)).toEqual(['clean']);
  });
});
