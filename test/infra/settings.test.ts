import { describe, expect, it } from 'vitest';
import { parseSettings, readSettings } from '../../infra/cloud/settings.ts';
import { HOSTED, PRODUCTION, type StageChanges, stageJson } from '../support/rights/stack-template.ts';

const settings = (changes: StageChanges) => parseSettings('sol', stageJson(changes));
const sender = (changes: object): StageChanges => ({
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain', ...changes },
});
const complaint = (changes: StageChanges): string => {
  try {
    settings(changes);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the settings of a stage', () => {
  it('are those of its file, with defaults for values that a shop seldom changes', () => {
    expect(readSettings('demo')).toMatchObject({
      stage: 'demo',
      purpose: 'demonstration',
      tokenLifetimeSeconds: 900,
      priceHoldMinutes: 15,
      limits: { requestsPerSecond: 50, burst: 100 },
      userLimits: { ordersPerHour: 60, invoicesPerDay: 10 },
      images: 'hosted',
      prescriptionMaximumAgeDays: 180,
      logRetentionDays: 30,
      reservedConcurrency: {},
      provisionedConcurrency: {},
    });
  });

  it("have 16 % of IVA everywhere, for shipping too, and SAT's other rates where they say so", () => {
    expect(settings({})).toMatchObject({ ivaRate: '0.16', shippingIvaRate: '0.16', borderZipcodes: [] });
    const border = { ivaRate: '0.08', shippingIvaRate: '0', borderZipcodes: ['21000-22999', '83400'] };
    expect(settings(border)).toMatchObject(border);
  });

  it.each<[string, StageChanges, object?]>([
    [
      'half of a reserved concurrency',
      { reservedConcurrency: { 'orders-create': 4 }, provisionedConcurrency: { 'orders-create': 2 } },
    ],
    ['global invoices in a demonstration', { globalInvoice: 'month' }],
    [
      'images and a scan of documents in Mexico',
      { ...HOSTED, region: 'mx-central-1', sender: undefined, scanDocuments: true },
    ],
    ['an alarm on an old catalog', { catalogMaximumAgeDays: 3 }],
    ['production', PRODUCTION],
  ])('can ask for %s', (_, changes) => {
    const { sender: __, images: ___, ...others } = changes;
    expect(settings(changes)).toMatchObject(JSON.parse(JSON.stringify(others)));
    expect(settings({ catalogMaximumAgeDays: undefined })).not.toHaveProperty('catalogMaximumAgeDays');
  });

  it.each<[StageChanges, string]>([
    [{ purpose: undefined }, 'purpose is missing'],
    [{ cutoffTime: '25:00' }, 'cutoffTime must be'],
    [{ cutOffTime: '14:00', ivarate: '0.16' }, 'there is no setting cutOffTime or ivarate'],
    [{ globalInvoice: 'day' }, 'globalInvoice must be'],
    [{ ivaRate: 0.16 }, 'ivaRate must be'],
    [{ shippingIvaRate: '0.1' }, 'shippingIvaRate must be'],
    [{ borderZipcodes: ['22000', '22999-21000'] }, 'borderZipcodes.1 must be'],
    [{ borderZipcodes: Array.from({ length: 151 }, (_, index) => String(21_000 + index)) }, 'borderZipcodes must be'],
    [{ priceHoldMinutes: 0 }, 'priceHoldMinutes must be at least 1'],
    [{ tokenLifetimeSeconds: 30 }, 'tokenLifetimeSeconds must be at least 60'],
    [{ limits: { burst: 0 } }, 'limits.burst must be at least 1'],
    [{ logRetentionDays: 31 }, 'logRetentionDays must be'],
    [{ budget: {} }, 'budget.usdPerMonth is missing'],
    [{ issuer: undefined }, 'issuer is missing'],
    [{ invoicing: { provider: 'facturapi' } }, 'invoicing.keySecretName is missing'],
    [{ corsOrigins: ['*'] }, 'corsOrigins.0 must be an origin'],
    [{ alarmAddress: '' }, 'alarmAddress must be an e-mail address'],
    [{ domain: { name: 'api.sol.example' } }, 'domain.certificateArn is missing'],
    [{ eventBus: 'aws.partner/x' }, 'eventBus must be'],
    [{ eventBus: 'arn:aws:sns:us-east-1:111122223333:event-bus/pharmacy' }, 'eventBus must be'],
    [{ webAcl: { requestsPerFiveMinutes: 5 } }, 'webAcl.requestsPerFiveMinutes must be at least 10'],
    // Images and documents, where the region has what they need.
    [{ imageBaseUrl: 'https://images.example' }, 'imageBaseUrl must be'],
    [{ imageBaseUrl: undefined }, 'images is missing'],
    [{ images: 'hosted' }, 'imageBaseUrl must be left out'],
    [{ contents: 'demonstration' }, 'images is missing'],
    [{ ...HOSTED, region: 'us-gov-west-1', sender: undefined }, 'images must be left out in us-gov-west-1'],
    [{ region: 'ap-east-2', sender: undefined, scanDocuments: true }, 'scanDocuments must be false in ap-east-2'],
    // Concurrency.
    [{ reservedConcurrency: { 'orders-make': 5 } }, 'there is no setting reservedConcurrency.orders-make'],
    [{ reservedConcurrency: { 'orders-create': 0 } }, 'reservedConcurrency.orders-create must be at least 1'],
    [{ provisionedConcurrency: { 'jobs-run-due-tasks': 1 } }, 'no setting provisionedConcurrency.jobs-run-due-tasks'],
    [
      { reservedConcurrency: { 'orders-create': 5 }, provisionedConcurrency: { 'orders-create': 3 } },
      'provisionedConcurrency.orders-create must be at most half',
    ],
    // Account, region and sender.
    [{ ...PRODUCTION, account: undefined }, 'account is missing'],
    [{ ...PRODUCTION, region: undefined }, 'region is missing'],
    [{ region: 'us-east-1a', ...sender({ region: 'us-east-1' }) }, 'region must be'],
    [{ region: 'mx-central-1' }, 'sender.region is missing'],
    [sender({ region: 'mx-central-1' }), 'sender.region must be'],
    [sender({ address: 'sol' }), 'sender.address must be an e-mail address'],
    [sender({ identity: undefined }), 'sender.identity is missing'],
    ...['luna.example', 'l.example', 'pagos@sol.example', 'facturas.sol.example', ''].map(
      (existing): [StageChanges, string] => [sender({ identity: { existing } }), 'sender.identity.existing must be'],
    ),
    [sender({ identity: { existing: 1 } }), 'sender.identity must be'],
    [sender({ identity: { existing: 'sol.example', region: 'us-east-1' } }), 'setting sender.identity.region'],
    // Production.
    [{ ...PRODUCTION, dataOnRemoval: 'deleted' }, 'dataOnRemoval must be kept in production'],
    [{ ...PRODUCTION, ...HOSTED, contents: 'demonstration' }, 'contents must be empty in production'],
    [{ ...PRODUCTION, sender: undefined }, 'sender is missing'],
    [{ ...PRODUCTION, invoicing: { provider: 'sandbox' } }, 'invoicing.provider must be a real provider'],
  ])('are refused in one sentence that names the error: %j', (changes, words) => {
    expect(complaint(changes)).toContain('Stage sol: ');
    expect(complaint(changes)).toContain(words);
    expect(complaint(changes)).not.toContain('\n');
  });

  it('have all their errors reported together, each on its own line', () => {
    expect(complaint({ cutoffTime: '25:00', alarmAddress: undefined }).split('\n')).toHaveLength(2);
  });

  it.each(['{', '[]'])('%s is refused', (json) => {
    expect(() => parseSettings('sol', json)).toThrow('Stage sol: its settings ');
  });
});
