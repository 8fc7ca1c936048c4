import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Where the settings of each stage lie, as `<stage>.json`. */
const FOLDER = join(import.meta.dirname, 'stages');

const isTimeZone = (name: string): boolean => Intl.supportedValuesOf('timeZone').includes(name);
// What a setting must be is said in words, for the sentence that names it when it is something else.
const count = z.int('a whole number').min(1, 'at least 1');
const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const email = z.email('an e-mail address');
const name = z.string('a text').trim().min(1, 'a text');

/** What an operator decides for a stage. Nothing secret is among it: of a secret, the settings say where it is. */
const settings = z
  .strictObject({
    /** `production` keeps its data whatever happens to the stack, and issues real invoices. */
    purpose: z.enum(['demonstration', 'production'], 'demonstration or production'),
    /** What becomes of table and buckets when the stack is removed. */
    dataOnRemoval: z.enum(['kept', 'deleted'], 'kept or deleted').default('kept'),
    businessTimeZone: z.string().refine(isTimeZone, 'a time zone such as America/Mexico_City'),
    cutoffTime: text(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time from 00:00 to 23:59'),
    ivaRate: text(/^0(\.\d{1,6})?$/, 'a share such as "0.16"'),
    tokenLifetimeSeconds: count.min(60, 'at least 60').max(86_400, 'at most 86400').default(900),
    limits: z
      .strictObject({
        requestsPerSecond: count.default(50),
        burst: count.default(100),
        requestsPerMonth: count.default(1_000_000),
      })
      .prefault({}),
    /** Whom invoices come from: this very address, or any of its domain, is what SES has to verify. */
    sender: z.strictObject({
      name,
      address: email,
      identity: z.enum(['address', 'domain'], 'address or domain'),
    }),
    /** The seller on invoices, as SAT has it. */
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
          /** Of the secret of Secrets Manager that holds the provider's key and nothing else. */
          keySecretName: text(/^[\w/+=.@-]{1,512}$/, 'the name of a secret'),
        }),
      ],
      'sandbox or facturapi',
    ),
    corsOrigins: z
      .array(text(/^https:\/\/[a-z\d.-]+(:\d+)?$/, 'an origin such as https://farmacia.example'))
      .default([]),
    imageBaseUrl: text(/^https:\/\/.+\/$/, 'an https address that ends with a slash'),
    /** Without one, the API has the address that API Gateway gives it. */
    domain: z
      .strictObject({
        name: text(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'a domain name'),
        certificateArn: text(/^arn:aws:acm:/, 'the ARN of a certificate in ACM, in the region of the stack'),
      })
      .optional(),
    alarmAddress: email,
    /** How old the catalog may become until somebody is told. */
    catalogMaximumAgeDays: count.default(7),
    logRetentionDays: z.literal([7, 14, 30, 60, 90, 180, 365], '7, 14, 30, 60, 90, 180 or 365').default(30),
  })
  .superRefine(({ purpose, dataOnRemoval, invoicing }, { addIssue }) => {
    if (purpose !== 'production') return;
    if (dataOnRemoval === 'deleted') {
      addIssue({ code: 'custom', path: ['dataOnRemoval'], message: 'kept in production' });
    }
    if (invoicing.provider === 'sandbox') {
      addIssue({ code: 'custom', path: ['invoicing', 'provider'], message: 'a real provider in production' });
    }
  });

export type Settings = z.infer<typeof settings> & { readonly stage: string };

/** What an operator can mend; its message is one sentence for each setting that is missing or wrong. */
export class SettingsFault extends Error {}

/** The settings of a stage, from its file. Throws SettingsFault. */
export function readSettings(stage: unknown): Settings {
  if (typeof stage !== 'string' || !/^[a-z][a-z\d-]{0,19}$/.test(stage)) {
    throw new SettingsFault('Name the stage with -c stage=<name>: up to 20 lower-case letters, digits and hyphens.');
  }
  const file = join(FOLDER, `${stage}.json`);
  if (!existsSync(file)) throw new SettingsFault(`The settings of stage ${stage} are missing: write ${file}.`);
  return parseSettings(stage, readFileSync(file, 'utf8'));
}

/** The settings of a stage, from their JSON. Throws SettingsFault. */
export function parseSettings(stage: string, json: string): Settings {
  const input = parseJson(stage, json);
  const read = settings.safeParse(input);
  if (read.success) return { stage, ...read.data };
  const faults = read.error.issues.map((issue) => sentenceOf(issue, input));
  throw new SettingsFault(faults.map((fault) => `Stage ${stage}: ${fault}`).join('\n'));
}

function parseJson(stage: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new SettingsFault(`Stage ${stage}: its settings are not JSON: ${(error as Error).message}.`);
  }
}

function sentenceOf(issue: z.core.$ZodIssue, input: unknown): string {
  const setting = issue.path.join('.');
  if (setting === '' && issue.code === 'invalid_type') return 'its settings must be one object.';
  if (issue.code === 'unrecognized_keys') return `there is no setting ${[...issue.path, issue.keys[0]].join('.')}.`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value === undefined) return `the setting ${setting} is missing.`;
  return `the setting ${setting} must be ${issue.message}, not ${JSON.stringify(value)}.`;
}
