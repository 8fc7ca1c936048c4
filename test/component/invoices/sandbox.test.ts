import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, GetObjectCommand, ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { OutcomeUnknown, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import { SandboxProvider } from '../../../shared/invoices/sandbox/sandbox.ts';
import { startLocalS3 } from '../../support/engines/local-s3.ts';
import { openFaultProxy } from '../../support/faults/fault-proxy.ts';
import { newReference, providerSuite, sampleInvoice } from '../../support/invoices/provider-suite.ts';
import { NO_SALE, sampleCredit, samplePayment } from '../../support/invoices/tax-documents.ts';

const ISSUER = { legalName: 'BOTICA DEMO', rfc: 'EKU9003173C9', fiscalRegime: '601', zipcode: '06700' };
const bucket = `sandbox-${randomUUID()}`;
const options = {
  bucket,
  forcePathStyle: true,
  issuer: ISSUER,
  timeZone: 'America/Mexico_City',
  now: () => new Date('2026-11-22T05:30:15.000Z'),
};
const inTime = () => AbortSignal.timeout(10_000);

const s3 = new S3Client({ forcePathStyle: true });
beforeAll(async () => {
  Object.assign(process.env, inject('serverEnvironment'));
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
});
afterAll(() => s3.destroy());

/** Opens a provider on another S3 than the one of the tests. */
function openAt(endpoint: string): SandboxProvider {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
  return new SandboxProvider(options);
}

/** Returns the text of each stored object by its key. */
async function readStored(): Promise<Map<string, string>> {
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket: bucket }));
  const texts = Contents.map(async ({ Key = '' }): Promise<[string, string]> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return [Key, (await Body?.transformToString()) ?? ''];
  });
  return new Map(await Promise.all(texts));
}

providerSuite('the sandbox', {
  open: () => new SandboxProvider(options),
  async countOf(key) {
    const found = await new SandboxProvider(options).find(key, inTime());
    return [...(await readStored()).values()].filter((text) => found && text.includes(found.id)).length;
  },
});

it('the sandbox dates documents and cancellations by the clock of the branch, and marks them as without validity', async () => {
  const provider = new SandboxProvider(options);
  const branch = { expeditionZipcode: '22000', timeZone: 'America/Tijuana' };
  const payment = { ...samplePayment(), ...branch, paidAt: '2026-12-01T07:30:00.000Z' };
  for (const [document, dated] of [
    [sampleInvoice(), 'Fecha="2026-11-21T23:30:15"'],
    [{ ...sampleInvoice(), ...branch }, 'Fecha="2026-11-21T21:30:15"'],
    [{ ...sampleCredit(), ...branch }, 'Fecha="2026-11-21T21:30:15"'],
    [payment, 'FechaPago="2026-11-30T23:30:00"'],
  ] as const) {
    const { id } = await provider.issue(document, newReference(), inTime());
    const xml = Buffer.from((await provider.files(id, inTime())).xml).toString();
    for (const part of [dated, '<!-- SIN VALIDEZ FISCAL', 'Sello=""']) expect(xml).toContain(part);
    expect(xml).not.toContain('TimbreFiscalDigital');
    await provider.cancel(id, NO_SALE, inTime());
    const receipt = Buffer.from((await provider.receipt(id, inTime())) ?? '').toString();
    expect(receipt).toContain(`Fecha="2026-11-21T${document.timeZone ? '21' : '23'}:30:15"`);
  }
});

describe('two sandboxes at once', () => {
  it('do not replace an invoice that was issued and cancelled meanwhile', async () => {
    const local = await startLocalS3(bucket);
    try {
      const reference = newReference();
      const provider = openAt(local.endpoint);
      let isFirst = true;
      local.beforeEach(async (request) => {
        if (!request.startsWith('PUT') || !isFirst) return;
        isFirst = false;
        const { id } = await provider.issue(sampleInvoice(), reference, inTime());
        await provider.cancel(id, NO_SALE, inTime());
      });
      expect(await provider.issue(sampleInvoice(), reference, inTime())).toMatchObject({ status: 'cancelled' });
    } finally {
      await local.stop();
    }
  });
});

describe('the sandbox, when the replies of S3 are lost', () => {
  it('reports an unknown outcome, and finds the invoice later', async () => {
    const proxy = await openFaultProxy(inject('serverEnvironment').AWS_ENDPOINT_URL_S3 ?? '');
    try {
      const reference = newReference();
      const provider = openAt(proxy.url);
      proxy.set(({ nthOfAll }) => (nthOfAll > 1 ? 'lost reply' : undefined));
      await expect(provider.issue(sampleInvoice(), reference, inTime())).rejects.toThrow(OutcomeUnknown);
      await expect(provider.find(reference.key, inTime())).rejects.toThrow(ProviderUnavailable);
      proxy.set();
      expect(await provider.find(reference.key, inTime())).toMatchObject({ status: 'valid', totalCents: 81_984 });
    } finally {
      await proxy.close();
    }
  });
});
