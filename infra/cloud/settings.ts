import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import * as z from 'zod';
import { servedRoutes } from '../../shared/api/routes.ts';
import { PRODUCT_IVA_RATES, parseZipcodeRange, SHIPPING_IVA_RATES } from '../../shared/domain/pricing.ts';
import { isTimeZone } from '../../shared/domain/working-day.ts';
import { JOB_HANDLERS } from '../jobs.ts';
import { functionName } from '../stack-names.ts';

/** Missing or invalid settings; the message has one sentence per setting. */
export class SettingsError extends Error {}

/*
 * The regions of the partition `aws` where SES sends mail: the endpoints of `email` in botocore 1.43.107 (`endpoints.json`,
 * 2026-10-01), read on 2026-11-22, as in the schemas of cfn-lint 1.51.0 for `AWS::SES::EmailIdentity`. Add a region once the
 * table in AWS's General Reference, "Amazon Simple Email Service endpoints and quotas", has it.
 */
const SES_REGIONS = `
  af-south-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3
  ap-southeast-5 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-west-1 eu-west-2
  eu-west-3 il-central-1 me-central-1 me-south-1 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2`.split(/\s+/);
const hasSes = (region: string): boolean => SES_REGIONS.includes(region);

/*
 * China and GovCloud have no CloudFront with origin access control (cfn-lint 1.51.0, schemas of 2026-05-20). Malware protection is
 * missing there and in Taipei, by the regions of the rule guardduty-malware-protection-enabled in AWS Config's guide, read on
 * 2026-11-29; GuardDuty's guide, "Regions and endpoints", names no others for S3.
 */
const servesImages = (region: string): boolean => !/^(cn|us-gov)-/.test(region);
const scansMalware = (region: string): boolean => servesImages(region) && region !== 'ap-east-2';

// Each check states what the setting must be; the error message quotes it.
const count = z.int('a whole number').min(1, 'at least 1');
const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `one of SAT’s rates of IVA, ${values.map((value) => `"${value}"`).join(' or ')}`);
const ROUTE_FUNCTIONS = servedRoutes.map(({ handler }) => functionName(handler));
const countOf = (...functions: readonly string[]) => z.partialRecord(z.enum(functions), count).default({});
// A release keeps two versions' environments within the function's limit (Lambda's "Configuring provisioned concurrency").
const VERSIONS_AT_ONCE = 2;
// A function's environment is limited to 4 KB (Lambda's quotas), of which 150 ranges take 1.8 KB.
const MOST_BORDER_ZIPCODES = 150;
const email = z.email('an e-mail address');
const secretName = text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret');
const name = z.string('a text').trim().min(1, 'a text');

/** The settings of a stage, with names of secrets but no secrets (README, "Settings"). */
const shape = z.strictObject({
  purpose: z.enum(['demonstration', 'production'], 'demonstration or production'),
  dataOnRemoval: z.enum(['kept', 'deleted'], 'kept or deleted').default('kept'),
  contents: z.enum(['empty', 'demonstration'], 'empty or demonstration').default('empty'),
  account: text(/^\d{12}$/, 'the 12 digits of an AWS account').optional(),
  region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as mx-central-1').optional(),
  businessTimeZone: z.string().refine(isTimeZone, 'a time zone such as America/Mexico_City'),
  cutoffTime: text(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time from 00:00 to 23:59'),
  ivaRate: oneOf(PRODUCT_IVA_RATES),
  shippingIvaRate: oneOf(SHIPPING_IVA_RATES).default('0.16'),
  borderZipcodes: z
    .array(z.string().refine(parseZipcodeRange, 'a zip code such as "22000" or a range such as "21000-22999"'))
    .max(MOST_BORDER_ZIPCODES, `at most ${MOST_BORDER_ZIPCODES} zip codes and ranges`)
    .default([]),
  shippingStore: count.optional(),
  tokenLifetimeSeconds: count.min(60, 'at least 60').max(86_400, 'at most 86400').default(900),
  priceHoldMinutes: count.max(1_440, 'at most 1440').default(15),
  limits: z.strictObject({ requestsPerSecond: count.default(50), burst: count.default(100) }).prefault({}),
  eventBus: text(
    /^(arn:aws:events:[a-z\d-]+:\d{12}:event-bus\/)?[\w.-]{1,256}$/,
    'the name or the ARN of an event bus of EventBridge',
  ).optional(),
  webAcl: z.strictObject({ requestsPerFiveMinutes: count.min(10, 'at least 10').default(15_000) }).optional(),
  reservedConcurrency: countOf(...ROUTE_FUNCTIONS, ...JOB_HANDLERS.map(functionName)),
  provisionedConcurrency: countOf(...ROUTE_FUNCTIONS),
  userLimits: z.strictObject({ ordersPerHour: count.default(60), invoicesPerDay: count.default(10) }).prefault({}),
  sender: z
    .strictObject({
      name,
      address: email,
      identity: z.union(
        [z.enum(['address', 'domain']), z.strictObject({ existing: z.string() })],
        'address, domain or {"existing":"sol.example"}',
      ),
      region: z.string().refine(hasSes, 'a region where SES sends mail, such as us-east-1').optional(),
    })
    .optional(),
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
      z.strictObject({ provider: z.literal('facturapi'), keySecretName: secretName }),
    ],
    'sandbox or facturapi',
  ),
  payments: z
    .discriminatedUnion(
      'provider',
      [
        z.strictObject({ provider: z.literal('none') }),
        z.strictObject({
          provider: z.literal('stripe'),
          secretName,
          returnUrl: text(/^https:\/\/\S{1,190}$/, 'an https address of at most 200 characters').optional(),
          cardHours: count.max(168, 'at most 168').default(24),
          oxxoDays: count.max(7, 'at most 7').default(3),
          speiDays: count.max(30, 'at most 30').default(3),
        }),
      ],
      'none or stripe',
    )
    .default({ provider: 'none' }),
  globalInvoice: z.enum(['month', 'off'], '"month" or "off"').optional(),
  corsOrigins: z.array(text(/^https:\/\/[a-z\d.-]+(:\d+)?$/, 'an origin such as https://farmacia.example')).default([]),
  images: z.literal('hosted', '"hosted"').optional(),
  imageBaseUrl: text(/^https:\/\/.+\/$/, 'an https address that ends with a slash').optional(),
  domain: z
    .strictObject({
      name: text(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'a domain name'),
      certificateArn: text(/^arn:aws:acm:/, 'the ARN of a certificate in ACM, in the region of the stack'),
    })
    .optional(),
  alarmAddress: email,
  budget: z.strictObject({ usdPerMonth: count }).optional(),
  scanDocuments: z.boolean('true or false').default(false),
  catalogMaximumAgeDays: count.optional(),
  prescriptionMaximumAgeDays: count.default(180),
  logRetentionDays: z.literal([7, 14, 30, 60, 90, 180, 365], '7, 14, 30, 60, 90, 180 or 365').default(30),
});

type Shape = z.infer<typeof shape>;
type Rule = [isBroken: unknown, setting: string, expected: string];
export type Settings = Shape & { readonly stage: string };

const settings = shape.superRefine((input, { addIssue }) => {
  for (const [isBroken, setting, message] of listRules(input))
    if (isBroken) addIssue({ code: 'custom', path: setting.split('.'), message });
});

/** The rules across settings, each with the setting that breaks it and what that must be. */
function listRules(input: Shape): Rule[] {
  const { sender, images, imageBaseUrl, contents, scanDocuments, reservedConcurrency } = input;
  const existing = typeof sender?.identity === 'object' ? sender.identity.existing : undefined;
  // The CDK CLI sets this variable to the credentials' region.
  const { region = process.env.CDK_DEFAULT_REGION } = input;
  const isProduction = input.purpose === 'production';
  const provisioned = Object.entries(input.provisionedConcurrency).map(([name, versions]): Rule => {
    const most = reservedConcurrency[name] ?? Number.POSITIVE_INFINITY;
    const expected = `at most half of the ${most} of reservedConcurrency`;
    return [VERSIONS_AT_ONCE * (versions ?? 0) > most, `provisionedConcurrency.${name}`, expected];
  });
  return [
    ...provisioned,
    [
      sender && existing !== undefined && !coversAddress(existing, sender.address),
      'sender.identity.existing',
      'the address of the sender, or a domain that it belongs to',
    ],
    [sender && region && !sender.region && !hasSes(region), 'sender.region', `SES does not send mail from ${region}`],
    [images && imageBaseUrl, 'imageBaseUrl', 'left out where images are hosted'],
    [!images && !imageBaseUrl, 'images', 'say "hosted", or name imageBaseUrl'],
    [imageBaseUrl && contents === 'demonstration', 'images', 'the demonstration’s contents need "hosted"'],
    [images && region && !servesImages(region), 'images', `left out in ${region}, without CloudFront`],
    [
      scanDocuments && region && !scansMalware(region),
      'scanDocuments',
      `false in ${region}, where GuardDuty scans none`,
    ],
    [isProduction && !input.account, 'account', 'production needs it'],
    [isProduction && !input.region, 'region', 'production needs it'],
    [isProduction && !sender, 'sender', 'production needs it'],
    [isProduction && input.dataOnRemoval === 'deleted', 'dataOnRemoval', 'kept in production'],
    [isProduction && contents !== 'empty', 'contents', 'empty in production'],
    [isProduction && input.invoicing.provider === 'sandbox', 'invoicing.provider', 'a real provider in production'],
  ];
}

/** A domain's identity also covers its subdomains (Amazon SES Developer Guide, "Creating and verifying identities"). */
function coversAddress(identity: string, address: string): boolean {
  if (identity.includes('@')) return identity === address;
  return `.${mailDomain(address)}`.endsWith(`.${identity}`) && identity !== '';
}

export const mailDomain = (address: string): string => address.slice(address.indexOf('@') + 1);

const FOLDER = join(import.meta.dirname, 'stages');
const DEFAULT_STAGE = 'demo';

export const listStages = (): string[] => readdirSync(FOLDER).map((file) => parse(file).name);

/** Reads the settings of comma-separated stages. Throws SettingsError. */
export const readStages = (names: unknown): Settings[] =>
  String(names ?? DEFAULT_STAGE)
    .split(',')
    .map(readSettings);

/** Throws SettingsError. */
export function readSettings(stage: unknown): Settings {
  if (typeof stage !== 'string' || !/^[a-z][a-z\d-]{0,19}$/.test(stage)) {
    throw new SettingsError('Name the stage with -c stage=<name>: up to 20 lower-case letters, digits and hyphens.');
  }
  const file = join(FOLDER, `${stage}.json`);
  if (!existsSync(file)) throw new SettingsError(`The settings of stage ${stage} are missing: write ${file}.`);
  return parseSettings(stage, readFileSync(file, 'utf8'));
}

/** Throws SettingsError. */
export function parseSettings(stage: string, json: string): Settings {
  const input = parseJson(stage, json);
  const { data, error } = settings.safeParse(input);
  if (!error) return { stage, ...data };
  throw new SettingsError(error.issues.map((issue) => `Stage ${stage}: ${describeIssue(issue, input)}`).join('\n'));
}

function parseJson(stage: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new SettingsError(`Stage ${stage}: its settings are not JSON: ${(error as Error).message}.`);
  }
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const setting = issue.path.join('.');
  if (setting === '' && issue.code === 'invalid_type') return 'its settings must be one object.';
  if (issue.code === 'unrecognized_keys')
    return `there is no setting ${issue.keys.map((key) => [...issue.path, key].join('.')).join(' or ')}.`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value !== undefined) return `the setting ${setting} must be ${issue.message}, not ${JSON.stringify(value)}.`;
  return `the setting ${setting} is missing${issue.code === 'custom' ? `: ${issue.message}` : ''}.`;
}
