import { describe, expect, it } from 'vitest';
import { parseSettings, readSettings } from '../../infra/cloud/read-settings.ts';
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
      methodLimits: {},
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

  it('can provision half of the concurrency that they reserve', () => {
    const both = { reservedConcurrency: { 'orders-create': 4 }, provisionedConcurrency: { 'orders-create': 2 } };
    expect(settings(both)).toMatchObject(both);
  });

  it('can ask for global invoices in a demonstration', () => {
    expect(settings({ globalInvoice: 'month' })).toMatchObject({ globalInvoice: 'month' });
  });

  it('can scan documents and serve images in Mexico, and ring for an old catalog where they say so', () => {
    const all = { ...HOSTED, region: 'mx-central-1', sender: undefined, scanDocuments: true };
    expect(settings({ ...all, catalogMaximumAgeDays: undefined })).not.toHaveProperty('catalogMaximumAgeDays');
    expect(settings({ ...all, catalogMaximumAgeDays: 3 })).toMatchObject({
      images: 'hosted',
      catalogMaximumAgeDays: 3,
    });
  });

  it('can be those of production', () => {
    expect(settings(PRODUCTION)).toMatchObject({ purpose: 'production', invoicing: { provider: 'facturapi' } });
  });

  it.each<[StageChanges, string]>([
    [{ purpose: undefined }, 'the setting purpose is missing.'],
    [{ purpose: 'test' }, 'the setting purpose must be demonstration or production, not "test".'],
    [{ businessTimeZone: 'Mexico' }, 'must be a time zone such as America/Mexico_City, not "Mexico".'],
    [{ cutoffTime: '25:00' }, 'the setting cutoffTime must be a time from 00:00 to 23:59, not "25:00".'],
    [{ globalInvoice: 'day' }, 'globalInvoice must be "month" or "off", not "day".'],
    [{ ivaRate: 0.16 }, 'the setting ivaRate must be one of SAT’s rates of IVA, "0.16" or "0.08", not 0.16.'],
    [{ ivaRate: '0.15' }, 'the setting ivaRate must be one of SAT’s rates of IVA, "0.16" or "0.08", not "0.15".'],
    [{ ivaRate: '0' }, 'the setting ivaRate must be one of SAT’s rates of IVA, "0.16" or "0.08", not "0".'],
    [{ shippingIvaRate: '0.1' }, 'must be one of SAT’s rates of IVA, "0.16" or "0.08" or "0", not "0.1".'],
    [
      { borderZipcodes: ['22000', '22999-21000'] },
      'borderZipcodes.1 must be a zip code such as "22000" or a range such as "21000-22999", not "22999-21000".',
    ],
    [
      { borderZipcodes: Array.from({ length: 151 }, (_, index) => String(21_000 + index)) },
      'the setting borderZipcodes must be at most 150 zip codes and ranges',
    ],
    [{ priceHoldMinutes: 0 }, 'the setting priceHoldMinutes must be at least 1, not 0.'],
    [{ priceHoldMinutes: 1441 }, 'the setting priceHoldMinutes must be at most 1440, not 1441.'],
    [{ tokenLifetimeSeconds: 30 }, 'the setting tokenLifetimeSeconds must be at least 60, not 30.'],
    [{ limits: { burst: 0 } }, 'the setting limits.burst must be at least 1, not 0.'],
    [{ limits: { burst: 1.5 } }, 'the setting limits.burst must be a whole number, not 1.5.'],
    [
      { methodLimits: { requestsPerSecond: 40 } },
      'the setting methodLimits.requestsPerSecond must be at least limits.requestsPerSecond, which a single key may send, not 40.',
    ],
    [{ sender: { name: 'Sol', address: 'sol', identity: 'domain' } }, 'sender.address must be an e-mail address'],
    [{ sender: { name: 'Sol', address: 'a@sol.example' } }, 'the setting sender.identity is missing.'],
    [{ issuer: undefined }, 'the setting issuer is missing.'],
    [{ invoicing: { provider: 'other' } }, 'the setting invoicing.provider must be sandbox or facturapi, not "other".'],
    [{ invoicing: { provider: 'facturapi' } }, 'the setting invoicing.keySecretName is missing.'],
    [{ corsOrigins: ['*'] }, 'corsOrigins.0 must be an origin such as https://farmacia.example, not "*".'],
    [{ imageBaseUrl: 'https://images.example' }, 'must be an https address that ends with a slash'],
    [{ imageBaseUrl: undefined }, 'the setting images is missing.'],
    [{ images: 'hosted' }, 'the setting imageBaseUrl must be left out where images are hosted, not "https://images'],
    [{ contents: 'demonstration' }, 'the setting images is missing.'],
    [{ ...HOSTED, region: 'us-gov-west-1', sender: undefined }, 'images must be left out in us-gov-west-1'],
    [{ region: 'ap-east-2', sender: undefined, scanDocuments: true }, 'scanDocuments must be false in ap-east-2'],
    [{ domain: { name: 'api.sol.example' } }, 'the setting domain.certificateArn is missing.'],
    [{ alarmAddress: '' }, 'the setting alarmAddress must be an e-mail address, not "".'],
    [{ eventBus: 'aws.partner/x' }, 'eventBus must be the name or the ARN of an event bus of EventBridge, not "aws'],
    [{ eventBus: '' }, 'eventBus must be the name or the ARN of an event bus of EventBridge, not "".'],
    [
      { eventBus: 'arn:aws:sns:us-east-1:111122223333:event-bus/pharmacy' },
      'eventBus must be the name or the ARN of an event bus of EventBridge, not "arn:aws:sns',
    ],
    [{ webAcl: { requestsPerFiveMinutes: 5 } }, 'webAcl.requestsPerFiveMinutes must be at least 10, not 5.'],
    [
      { reservedConcurrency: { 'orders-make': 5 } },
      'must be under the name of a function, such as orders-create, not 5.',
    ],
    [{ reservedConcurrency: { 'orders-create': 0 } }, 'reservedConcurrency.orders-create must be at least 1, not 0.'],
    [
      { provisionedConcurrency: { 'jobs-run-due-tasks': 1 } },
      'must be under the name of a route’s function, such as orders-create, not 1.',
    ],
    [
      { provisionedConcurrency: { 'orders-create': 0 } },
      'provisionedConcurrency.orders-create must be at least 1, not 0.',
    ],
    [
      { reservedConcurrency: { 'orders-create': 5 }, provisionedConcurrency: { 'orders-create': 3 } },
      'provisionedConcurrency.orders-create must be at most half of the 5 of reservedConcurrency, not 3.',
    ],
    [{ logRetentionDays: 31 }, 'the setting logRetentionDays must be 7, 14, 30, 60, 90, 180 or 365, not 31.'],
    [{ cutOffTime: '14:00' }, 'there is no setting cutOffTime.'],
    [{ budget: { usdPerMonth: 0 } }, 'the setting budget.usdPerMonth must be at least 1, not 0.'],
    [{ budget: {} }, 'the setting budget.usdPerMonth is missing.'],
    [{ ...PRODUCTION, account: undefined }, 'the setting account is missing.'],
    [{ ...PRODUCTION, region: undefined }, 'the setting region is missing.'],
    [{ account: '1234' }, 'the setting account must be the 12 digits of an AWS account, not "1234".'],
    [{ account: 111122223333 }, 'the setting account must be the 12 digits of an AWS account, not 111122223333.'],
    [
      { region: 'Mexico', ...sender({ region: 'us-east-1' }) },
      'the setting region must be a region such as mx-central-1, not "Mexico".',
    ],
    [
      { region: 'us-east-1a', ...sender({ region: 'us-east-1' }) },
      'the setting region must be a region such as mx-central-1, not "us-east-1a".',
    ],
    [{ region: 'mx-central-1' }, 'the setting sender.region is missing: SES does not send mail from mx-central-1.'],
    [
      sender({ region: 'mx-central-1' }),
      'the setting sender.region must be a region where SES sends mail, such as us-east-1, not "mx-central-1".',
    ],
    ...['luna.example', 'l.example', 'pagos@sol.example', 'facturas.sol.example', ''].map(
      (existing): [StageChanges, string] => [
        sender({ identity: { existing } }),
        `the setting sender.identity.existing must be the address of the sender, or a domain that it belongs to, not "${existing}".`,
      ],
    ),
    [
      sender({ identity: 'existing' }),
      'the setting sender.identity must be address, domain or {"existing":"sol.example"}, not "existing".',
    ],
    [
      sender({ identity: { existing: 1 } }),
      'the setting sender.identity must be address, domain or {"existing":"sol.example"}, not {"existing":1}.',
    ],
    [sender({ identity: { existing: 'sol.example', region: 'us-east-1' } }), 'setting sender.identity.region.'],
  ])('are refused in one sentence that names the error: %j', (changes, sentence) => {
    expect(complaint(changes)).toContain(`Stage sol: `);
    expect(complaint(changes)).toContain(sentence);
    expect(complaint(changes)).not.toContain('\n');
  });

  it('have all their errors reported together, each on its own line', () => {
    expect(complaint({ cutoffTime: '25:00', alarmAddress: undefined }).split('\n')).toHaveLength(2);
  });

  it.each<[StageChanges, string]>([
    [{ dataOnRemoval: 'deleted' }, 'the setting dataOnRemoval must be kept in production, not "deleted".'],
    [{ contents: 'demonstration' }, 'the setting contents must be empty in production, not "demonstration".'],
    [{ sender: undefined }, 'the setting sender is missing.'],
    [
      { invoicing: { provider: 'sandbox' } },
      'invoicing.provider must be a real provider in production, not "sandbox".',
    ],
  ])('of production are refused when %j', (changes, sentence) => {
    expect(complaint({ ...PRODUCTION, ...changes })).toContain(sentence);
  });

  it.each([
    ['{', 'Stage sol: its settings are not JSON'],
    ['[]', 'Stage sol: its settings must be one object.'],
  ])('%s is refused', (json, sentence) => {
    expect(() => parseSettings('sol', json)).toThrow(sentence);
  });
});
