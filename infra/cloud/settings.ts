import * as z from 'zod';
import { PRODUCT_IVA_RATES, parseZipcodeRange, SHIPPING_IVA_RATES } from '../../shared/domain/pricing.ts';
import { isTimeZone } from '../../shared/domain/working-day.ts';
import { coversAddress, hasSes } from './mail/identity.ts';

// Each check says in words what the setting must be; the error message quotes it.
const count = z.int('a whole number').min(1, 'at least 1');
const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `one of SAT’s rates of IVA, ${values.map((value) => `"${value}"`).join(' or ')}`);
// The environment of a function holds 4 KB (Lambda's quotas), and 150 ranges take 1.8 KB of it.
const MOST_BORDER_ZIPCODES = 150;
const email = z.email('an e-mail address');
const name = z.string('a text').trim().min(1, 'a text');

/** The settings of a stage. They hold no secrets, only the names of secrets. */
export const settingsShape = z
  .strictObject({
    /** `production` keeps its data whatever happens to the stack, and issues real invoices. */
    purpose: z.enum(['demonstration', 'production'], 'demonstration or production'),
    /** Keeps table and buckets when the stack is removed, or deletes them. */
    dataOnRemoval: z.enum(['kept', 'deleted'], 'kept or deleted').default('kept'),
    /** A stage begins empty, or with the client, the users and the catalog of the demonstration. */
    contents: z.enum(['empty', 'demonstration'], 'empty or demonstration').default('empty'),
    /** The AWS account; without it, that of the credentials. CDK refuses to deploy with credentials of another. */
    account: text(/^\d{12}$/, 'the 12 digits of an AWS account').optional(),
    /** The AWS region; without it, that of the credentials. */
    region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as mx-central-1').optional(),
    businessTimeZone: z.string().refine(isTimeZone, 'a time zone such as America/Mexico_City'),
    cutoffTime: text(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time from 00:00 to 23:59'),
    /** SAT's rate of products that have IVA; those at 0 have no `has_iva` in the catalog. */
    ivaRate: oneOf(PRODUCT_IVA_RATES),
    shippingIvaRate: oneOf(SHIPPING_IVA_RATES).default('0.16'),
    /** The zip codes of delivery or of pickup where products with IVA have the 8 % of the border. */
    borderZipcodes: z
      .array(z.string().refine(parseZipcodeRange, 'a zip code such as "22000" or a range such as "21000-22999"'))
      .max(MOST_BORDER_ZIPCODES, `at most ${MOST_BORDER_ZIPCODES} zip codes and ranges`)
      .default([]),
    tokenLifetimeSeconds: count.min(60, 'at least 60').max(86_400, 'at most 86400').default(900),
    /** The time for which a quote is held on request. */
    priceHoldMinutes: count.max(1_440, 'at most 1440').default(15),
    limits: z
      .strictObject({
        requestsPerSecond: count.default(50),
        burst: count.default(100),
      })
      .prefault({}),
    /** The limits of each method of the stage, whoever calls it; infra/cloud/api/stage.ts has the defaults. */
    methodLimits: z
      .strictObject({
        requestsPerSecond: count.optional(),
        burst: count.optional(),
        preflightsPerSecond: count.optional(),
        preflightBurst: count.optional(),
      })
      .default({}),
    /** The EventBridge bus that gets the events of all clients, by name or ARN; it exists already. None by default. */
    eventBus: text(
      /^(arn:aws:events:[a-z\d-]+:\d{12}:event-bus\/)?[\w.-]{1,256}$/,
      'the name or the ARN of an event bus of EventBridge',
    ).optional(),
    /** An AWS WAF web ACL before the API, which blocks addresses that send more; off, since it has a monthly price. */
    webAcl: z.strictObject({ requestsPerFiveMinutes: count.min(10, 'at least 10').default(15_000) }).optional(),
    /** The concurrency that is kept for a function, and the most that it gets, by its name. */
    reservedConcurrency: z.record(z.string(), count).default({}),
    /** The execution environments that are kept ready for the function of a route, by its name, at a price each. */
    provisionedConcurrency: z.record(z.string(), count).default({}),
    /** The limits of each patient and doctor; employees have none. */
    userLimits: z.strictObject({ ordersPerHour: count.default(60), invoicesPerDay: count.default(10) }).prefault({}),
    /**
     * The sender of invoices; SES verifies this address, or its domain, or has verified one that exists already. A
     * demonstration may have none: its mails are kept.
     */
    sender: z
      .strictObject({
        name,
        address: email,
        identity: z.union(
          [z.enum(['address', 'domain']), z.strictObject({ existing: z.string() })],
          'address, domain or {"existing":"sol.example"}',
        ),
        /** The region in which SES sends; without it, that of the stage. */
        region: z.string().refine(hasSes, 'a region where SES sends mail, such as us-east-1').optional(),
      })
      .optional(),
    /** The issuer of invoices, as registered with SAT. */
    issuer: z.strictObject({
      legalName: name,
      rfc: text(/^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{2}[A\d]$/, 'an RFC'),
      fiscalRegime: text(/^6\d\d$/, 'a code of SAT’s list such as "601"'),
      zipcode: text(/^\d{5}$/, 'five digits'),
    }),
    invoicing: z.discriminatedUnion(
      'provider',
      [
        z.strictObject({ provider: z.literal('sandbox') }),
        z.strictObject({
          provider: z.literal('facturapi'),
          /** The name of the secret in Secrets Manager that holds the provider's key and nothing else. */
          keySecretName: text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret'),
        }),
      ],
      'sandbox or facturapi',
    ),
    /** The provider that collects orders; without one, payment methods with a `collection` are not offered. */
    payments: z
      .discriminatedUnion(
        'provider',
        [
          z.strictObject({ provider: z.literal('none') }),
          z.strictObject({
            provider: z.literal('stripe'),
            /** The name of the secret in Secrets Manager that holds `{"key":"sk_…","webhookSecret":"whsec_…"}`. */
            secretName: text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret'),
            /** The address to which the page of a card leads once it is paid. */
            returnUrl: text(/^https:\/\/\S{1,190}$/, 'an https address of at most 200 characters').optional(),
            /** The time for which the page of a card, a voucher and a CLABE can be paid. */
            cardHours: count.max(168, 'at most 168').default(24),
            oxxoDays: count.max(7, 'at most 7').default(3),
            speiDays: count.max(30, 'at most 30').default(3),
          }),
        ],
        'none or stripe',
      )
      .default({ provider: 'none' }),
    /**
     * The global invoices of paid orders that nobody asked an invoice of, of each month; by default those of each month in
     * production, and off in a demonstration.
     */
    globalInvoice: z.enum(['month', 'off'], '"month" or "off"').optional(),
    corsOrigins: z
      .array(text(/^https:\/\/[a-z\d.-]+(:\d+)?$/, 'an origin such as https://farmacia.example'))
      .default([]),
    imageBaseUrl: text(/^https:\/\/.+\/$/, 'an https address that ends with a slash'),
    /** The API's own domain name; without it, the API has API Gateway's address. */
    domain: z
      .strictObject({
        name: text(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'a domain name'),
        certificateArn: text(/^arn:aws:acm:/, 'the ARN of a certificate in ACM, in the region of the stack'),
      })
      .optional(),
    alarmAddress: email,
    /** The costs of the whole account, of which the alarm address is told; none, as only its owner knows what it may cost. */
    budget: z.strictObject({ usdPerMonth: count }).optional(),
    /** Amazon GuardDuty scans prescriptions for malware, at a price for each object and GB. */
    scanDocuments: z.boolean('true or false').default(false),
    /** The age of the catalog above which an alarm goes off. */
    catalogMaximumAgeDays: count.default(7),
    /** The age above which a prescription is verified only if the operator accepts it. */
    prescriptionMaximumAgeDays: count.default(180),
    logRetentionDays: z.literal([7, 14, 30, 60, 90, 180, 365], '7, 14, 30, 60, 90, 180 or 365').default(30),
  })
  .superRefine(({ limits, methodLimits }, { addIssue }) => {
    for (const name of ['requestsPerSecond', 'burst'] as const) {
      const message = `at least limits.${name}, which a single key may send`;
      if ((methodLimits[name] ?? limits[name]) < limits[name])
        addIssue({ code: 'custom', path: ['methodLimits', name], message });
    }
  })
  .superRefine(({ sender }, { addIssue }) => {
    if (!sender || typeof sender.identity === 'string') return;
    if (coversAddress(sender.identity.existing, sender.address)) return;
    const message = 'the address of the sender, or a domain that it belongs to';
    addIssue({ code: 'custom', path: ['sender', 'identity', 'existing'], message });
  })
  // The CDK CLI gives the region of the credentials by this variable.
  .superRefine(({ region = process.env.CDK_DEFAULT_REGION, sender }, { addIssue }) => {
    if (!sender || sender.region !== undefined || region === undefined || hasSes(region)) return;
    const params = { reason: `SES does not send mail from ${region}` };
    addIssue({ code: 'custom', path: ['sender', 'region'], params });
  })
  .superRefine((given, { addIssue }) => {
    if (given.purpose !== 'production') return;
    const { dataOnRemoval, invoicing, contents } = given;
    for (const name of ['account', 'region', 'sender'] as const) {
      if (given[name] === undefined) addIssue({ code: 'custom', path: [name], message: 'set in production' });
    }
    if (dataOnRemoval === 'deleted') {
      addIssue({ code: 'custom', path: ['dataOnRemoval'], message: 'kept in production' });
    }
    if (contents !== 'empty') addIssue({ code: 'custom', path: ['contents'], message: 'empty in production' });
    if (invoicing.provider === 'sandbox') {
      addIssue({ code: 'custom', path: ['invoicing', 'provider'], message: 'a real provider in production' });
    }
  });

export type Settings = z.infer<typeof settingsShape> & { readonly stage: string };

/** The settings are missing or invalid. The message has one sentence for each such setting. */
export class SettingsError extends Error {}
