import * as z from 'zod';
import { PRODUCT_IVA_RATES, parseZipcodeRange, SHIPPING_IVA_RATES } from '../../shared/domain/pricing.ts';
import { isTimeZone } from '../../shared/domain/working-day.ts';
import { coversAddress, hasSes } from './mail/identity.ts';
import { scansMalware, servesImages } from './regions.ts';

// Each check states what the setting must be; the error message quotes it.
const count = z.int('a whole number').min(1, 'at least 1');
const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `one of SAT’s rates of IVA, ${values.map((value) => `"${value}"`).join(' or ')}`);
// A function's environment is limited to 4 KB (Lambda's quotas), of which 150 ranges take 1.8 KB.
const MOST_BORDER_ZIPCODES = 150;
const email = z.email('an e-mail address');
const name = z.string('a text').trim().min(1, 'a text');

/** The settings of a stage, with names of secrets but no secrets. */
export const settingsShape = z
  .strictObject({
    /** `production` keeps its data whatever happens to the stack, and issues real invoices. */
    purpose: z.enum(['demonstration', 'production'], 'demonstration or production'),
    /** Whether table and buckets outlive the stack. */
    dataOnRemoval: z.enum(['kept', 'deleted'], 'kept or deleted').default('kept'),
    /** A new stage is empty, or has the demonstration's client, users and catalog. */
    contents: z.enum(['empty', 'demonstration'], 'empty or demonstration').default('empty'),
    /** The AWS account; that of the credentials by default. CDK refuses to deploy with another account's credentials. */
    account: text(/^\d{12}$/, 'the 12 digits of an AWS account').optional(),
    /** The AWS region; that of the credentials by default. */
    region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as mx-central-1').optional(),
    businessTimeZone: z.string().refine(isTimeZone, 'a time zone such as America/Mexico_City'),
    cutoffTime: text(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time from 00:00 to 23:59'),
    /** SAT's rate of taxed products; products at 0 have no `has_iva` in the catalog. */
    ivaRate: oneOf(PRODUCT_IVA_RATES),
    shippingIvaRate: oneOf(SHIPPING_IVA_RATES).default('0.16'),
    /** The zip codes of delivery or pickup at which taxed products have the border's 8 %. */
    borderZipcodes: z
      .array(z.string().refine(parseZipcodeRange, 'a zip code such as "22000" or a range such as "21000-22999"'))
      .max(MOST_BORDER_ZIPCODES, `at most ${MOST_BORDER_ZIPCODES} zip codes and ranges`)
      .default([]),
    /** The store whose stock is shipped, by its id in the catalog; without one, only what is picked up has stock. */
    shippingStore: count.optional(),
    tokenLifetimeSeconds: count.min(60, 'at least 60').max(86_400, 'at most 86400').default(900),
    priceHoldMinutes: count.max(1_440, 'at most 1440').default(15),
    limits: z
      .strictObject({
        requestsPerSecond: count.default(50),
        burst: count.default(100),
      })
      .prefault({}),
    /** The limits of each method for all callers; infra/cloud/api/stage.ts has the defaults. */
    methodLimits: z
      .strictObject({
        requestsPerSecond: count.optional(),
        burst: count.optional(),
        preflightsPerSecond: count.optional(),
        preflightBurst: count.optional(),
      })
      .default({}),
    /** An existing EventBridge bus for the events of all clients, by name or ARN; none by default. */
    eventBus: text(
      /^(arn:aws:events:[a-z\d-]+:\d{12}:event-bus\/)?[\w.-]{1,256}$/,
      'the name or the ARN of an event bus of EventBridge',
    ).optional(),
    /** An AWS WAF web ACL that blocks addresses that send more; off, since it has a monthly price. */
    webAcl: z.strictObject({ requestsPerFiveMinutes: count.min(10, 'at least 10').default(15_000) }).optional(),
    /** The reserved and maximum concurrency of functions, by name. */
    reservedConcurrency: z.record(z.string(), count).default({}),
    /** The ready execution environments of routes' functions, by name, at a price each. */
    provisionedConcurrency: z.record(z.string(), count).default({}),
    /** Per patient or doctor; employees have no limits. */
    userLimits: z.strictObject({ ordersPerHour: count.default(60), invoicesPerDay: count.default(10) }).prefault({}),
    /** The sender of invoices, whose address or domain SES verifies. A demonstration without one keeps its mails. */
    sender: z
      .strictObject({
        name,
        address: email,
        identity: z.union(
          [z.enum(['address', 'domain']), z.strictObject({ existing: z.string() })],
          'address, domain or {"existing":"sol.example"}',
        ),
        /** The region of SES; that of the stage by default. */
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
          /** The name of the secret in Secrets Manager that contains only the provider's key. */
          keySecretName: text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret'),
        }),
      ],
      'sandbox or facturapi',
    ),
    /** Collects orders; without one, payment methods with a `collection` are not offered. */
    payments: z
      .discriminatedUnion(
        'provider',
        [
          z.strictObject({ provider: z.literal('none') }),
          z.strictObject({
            provider: z.literal('stripe'),
            /** The name of the secret in Secrets Manager that contains `{"key":"sk_…","webhookSecret":"whsec_…"}`. */
            secretName: text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret'),
            returnUrl: text(/^https:\/\/\S{1,190}$/, 'an https address of at most 200 characters').optional(),
            cardHours: count.max(168, 'at most 168').default(24),
            oxxoDays: count.max(7, 'at most 7').default(3),
            speiDays: count.max(30, 'at most 30').default(3),
          }),
        ],
        'none or stripe',
      )
      .default({ provider: 'none' }),
    /** Global invoices of paid orders without an invoice; by default `month` in production, `off` in a demonstration. */
    globalInvoice: z.enum(['month', 'off'], '"month" or "off"').optional(),
    corsOrigins: z
      .array(text(/^https:\/\/[a-z\d.-]+(:\d+)?$/, 'an origin such as https://farmacia.example'))
      .default([]),
    /** The stage serves the images of catalog folders; without it, `imageBaseUrl` names another server. */
    images: z.literal('hosted', '"hosted"').optional(),
    imageBaseUrl: text(/^https:\/\/.+\/$/, 'an https address that ends with a slash').optional(),
    /** The API's own domain name; API Gateway's address by default. */
    domain: z
      .strictObject({
        name: text(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'a domain name'),
        certificateArn: text(/^arn:aws:acm:/, 'the ARN of a certificate in ACM, in the region of the stack'),
      })
      .optional(),
    alarmAddress: email,
    /** Mails the alarm address about the whole account's costs; none by default, as only the owner knows the limit. */
    budget: z.strictObject({ usdPerMonth: count }).optional(),
    /** Amazon GuardDuty scans prescriptions for malware, at a price per object and GB. */
    scanDocuments: z.boolean('true or false').default(false),
    /** An older catalog triggers an alarm; none by default. */
    catalogMaximumAgeDays: count.optional(),
    /** An older prescription needs the operator's acceptance. */
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
  .superRefine(({ images, imageBaseUrl, contents }, { addIssue }) => {
    const refuse = (path: string[], message: string) => addIssue({ code: 'custom', path, message });
    if (images && imageBaseUrl) refuse(['imageBaseUrl'], 'left out where images are hosted');
    if (!images && !imageBaseUrl) refuse(['images'], '"hosted" without imageBaseUrl');
    else if (!images && contents === 'demonstration') refuse(['images'], '"hosted" for the demonstration’s contents');
  })
  // The CDK CLI sets this variable to the credentials' region.
  .superRefine(({ region = process.env.CDK_DEFAULT_REGION, sender, images, scanDocuments }, { addIssue }) => {
    if (region === undefined) return;
    const refuse = (path: string[], issue: object) => addIssue({ code: 'custom', path, ...issue });
    if (sender && sender.region === undefined && !hasSes(region))
      refuse(['sender', 'region'], { params: { reason: `SES does not send mail from ${region}` } });
    if (images && !servesImages(region)) refuse(['images'], { message: `left out in ${region}, without CloudFront` });
    if (scanDocuments && !scansMalware(region))
      refuse(['scanDocuments'], { message: `false in ${region}, where GuardDuty scans none` });
  })
  .superRefine((settings, { addIssue }) => {
    if (settings.purpose !== 'production') return;
    const { dataOnRemoval, invoicing, contents } = settings;
    for (const name of ['account', 'region', 'sender'] as const) {
      if (settings[name] === undefined) addIssue({ code: 'custom', path: [name], message: 'set in production' });
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

/** Missing or invalid settings; the message has one sentence per setting. */
export class SettingsError extends Error {}
