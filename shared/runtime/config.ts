import * as z from 'zod';
import { type Micros, parseMicros } from '../domain/money.ts';
import { type IvaRates, PRODUCT_IVA_RATES, parseZipcodeRange, SHIPPING_IVA_RATES } from '../domain/pricing.ts';
import type { Collection } from '../payments/rules/payment.ts';
import { perContainer } from './async.ts';

// The only reader of process.env. Each function requests the groups that it needs; errors name the variable.
function group<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape);
  return (): z.infer<typeof schema> => {
    const { data, error } = schema.safeParse(process.env);
    if (!error) return data;
    const unset = error.issues.map(({ path }) => path.join('.')).filter((name) => process.env[name] === undefined);
    if (unset.length > 0) throw new UnsetVariables(unset);
    throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} is not valid: ${message}.`).join(' '));
  };
}

export class UnsetVariables extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(names.map((name) => `${name} is not set.`).join(' '));
    this.names = names;
  }
}

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const commaList = z.string().transform((value) => value.split(',').filter((item) => item !== ''));

/** Credentials, which the Lambda runtime sets, and endpoints of the local server. */
export const awsConfig = group({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url().optional(),
  AWS_ENDPOINT_URL_S3: z.url().optional(),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url().optional(),
  S3_PATH_STYLE: flag.default(false),
});

/** The settings that the SDK reads when a table client is created. */
export const tableClientConfig = group({
  AWS_REGION: z.string().optional(),
  AWS_PROFILE: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_ENDPOINT_URL: z.string().optional(),
  AWS_ENDPOINT_URL_DYNAMODB: z.string().optional(),
});

const lambdaConfig = group({ AWS_LAMBDA_INITIALIZATION_TYPE: z.string().optional() });

/** False in tests and on the local server. */
export const isOnLambda = (): boolean => lambdaConfig().AWS_LAMBDA_INITIALIZATION_TYPE !== undefined;

/** Lambda sets the function's name. Without a namespace, as on the local server, there are no metrics. */
export const metricsConfig = group({
  METRICS_NAMESPACE: z.string().optional(),
  AWS_LAMBDA_FUNCTION_NAME: z.string().optional(),
});

export const tableConfig = group({ TABLE_NAME: z.string().min(1) });

export const catalogBucketConfig = group({ CATALOG_BUCKET: z.string().min(1) });
export const catalogConfig = group({ CATALOG_BUCKET: z.string().min(1), IMAGE_BASE_URL: z.url() });

/** The bucket of the images, of a stage that serves them. */
export const imagesConfig = group({ IMAGES_BUCKET: z.string().min(1) });

export const documentsConfig = group({ DOCUMENTS_BUCKET: z.string().min(1), SCAN_DOCUMENTS: flag.default(false) });

export type MailSender = { readonly name: string; readonly address: string };

const mailSender = z
  .string()
  .regex(/^[^<>"\p{C}]{1,64} <[^\s<>,;:"@]+@[^\s<>,;:"@]+>$/u, 'not of the form Name <address>')
  .transform((text): MailSender => {
    const angle = text.lastIndexOf(' <');
    return { name: text.slice(0, angle), address: text.slice(angle + 2, -1) };
  });

export const mailConfig = group({
  /** `Botica <facturas@botica.example>`: the shop's name, and an address from which SES may send. */
  MAIL_SENDER: mailSender,
  MAIL_CONFIGURATION_SET: z.string().min(1).optional(),
  /** The region of SES; that of the function by default. */
  MAIL_REGION: z.string().min(1).optional(),
});

const senderConfig = group({ MAIL_SENDER: z.string().optional() });

/** False in a demonstration without a sender, which keeps its mails until it has one. */
export const hasSender = (): boolean => senderConfig().MAIL_SENDER !== undefined;

export const invoicingConfig = group({
  INVOICING_PROVIDER: z.enum(['sandbox', 'facturapi']),
  /** In production, only documents with fiscal validity count as issued. */
  PURPOSE: z.enum(['demonstration', 'production']),
});

export const facturapiConfig = group({
  /** The API key itself (local), or the name of its secret. */
  FACTURAPI_KEY: z.string().min(1).optional(),
  FACTURAPI_SECRET_ID: z.string().min(1).optional(),
  FACTURAPI_URL: z.url().default('https://www.facturapi.io/v2'),
});

/** `none`: no payment method is collected. `sandbox`: only on the local server. */
const paymentsProvider = z.enum(['none', 'sandbox', 'stripe']).default('none');

export const paymentsConfig = group({
  PAYMENTS_PROVIDER: paymentsProvider,
  /** Production needs a live key, a demonstration a test key. */
  PURPOSE: z.enum(['demonstration', 'production']),
});

export const stripeConfig = group({
  /** The API key and the webhook endpoint's secret (local), or the name of the secret that contains both. */
  STRIPE_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_SECRET_ID: z.string().min(1).optional(),
  STRIPE_URL: z.url().default('https://api.stripe.com'),
});

const collectingConfig = group({
  PAYMENTS_PROVIDER: paymentsProvider,
  /** How long a card's page, a voucher and a CLABE can be paid. */
  CARD_PAYMENT_HOURS: z.coerce.number().int().min(1).max(168).default(24),
  OXXO_PAYMENT_DAYS: z.coerce.number().int().min(1).max(7).default(3),
  SPEI_PAYMENT_DAYS: z.coerce.number().int().min(1).max(30).default(3),
  /** The address to which a card's page leads after the payment. */
  PAYMENT_RETURN_URL: z.url().max(200).optional(),
});

/** The issuer of the sandbox's invoices; a real provider has its own record. */
export const issuerConfig = group({
  ISSUER_LEGAL_NAME: z.string().min(1),
  ISSUER_RFC: z.string().min(12).max(13),
  ISSUER_REGIME: z.string().regex(/^\d{3}$/),
  ISSUER_ZIPCODE: z.string().regex(/^\d{5}$/),
});

export const tokenConfig = group({
  /** The keys themselves (local), or the name of their secret: `{"current":{"kid","secret"},"previous":…}`. */
  TOKEN_KEYS: z.string().optional(),
  TOKEN_SECRET_ID: z.string().optional(),
  TOKEN_LIFETIME_SECONDS: z.coerce.number().int().min(60).max(86_400).default(900),
});

export const sealConfig = group({
  /** The keys of held prices like TOKEN_KEYS, or the name of their secret. */
  SEAL_KEYS: z.string().optional(),
  SEAL_SECRET_ID: z.string().optional(),
});

const parseRate = (rate: string): Micros => parseMicros(rate) as Micros;

const zipcodeRanges = commaList.transform((texts, { addIssue }) =>
  texts.flatMap((text) => {
    const range = parseZipcodeRange(text);
    if (!range) addIssue({ code: 'custom', message: `"${text}" is no zip code or range of zip codes` });
    return range ?? [];
  }),
);

export const businessConfig = group({
  BUSINESS_TIME_ZONE: z.string().default('America/Mexico_City'),
  CUTOFF_TIME: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .default('14:00'),
  IVA_RATE: z.enum(PRODUCT_IVA_RATES).default('0.16').transform(parseRate),
  SHIPPING_IVA_RATE: z.enum(SHIPPING_IVA_RATES).default('0.16').transform(parseRate),
  /** `21000-22999,83400`: ranges, since a function's environment is limited to 4 KB. */
  BORDER_ZIPCODES: zipcodeRanges.default([]),
  /** The store that ships, by its id in the catalog; without one, only what is picked up has stock. */
  SHIPPING_STORE: z.coerce.number().int().min(1).optional(),
});

export const holdConfig = group({
  /** How long a quote is held on request. */
  PRICE_HOLD_MINUTES: z.coerce.number().int().min(1).max(1_440).default(15),
});

export const prescriptionConfig = group({
  /** An older prescription needs the operator's acceptance (six months, as of fraction III). */
  PRESCRIPTION_MAXIMUM_AGE_DAYS: z.coerce.number().int().min(1).default(180),
});

export const globalInvoiceConfig = group({
  /** `off` if global invoices are issued by hand or elsewhere. */
  GLOBAL_INVOICE: z.enum(['month', 'off']).default('off'),
  /** The place of issue. */
  ISSUER_ZIPCODE: z.string().regex(/^\d{5}$/),
});

const userLimitsConfig = group({
  USER_ORDERS_PER_HOUR: z.coerce.number().int().min(1).default(60),
  USER_INVOICES_PER_DAY: z.coerce.number().int().min(1).default(10),
});

export const webhookConfig = group({
  /** `loopback`, on the local server only, also allows events to this machine, by http too. */
  WEBHOOK_REACH: z.enum(['public', 'loopback']).default('public'),
});

export const eventBusConfig = group({
  /** The name or ARN of the bus for all clients' events, if the stage has one. */
  EVENT_BUS: z.string().min(1).optional(),
});

export const edgeConfig = group({ CORS_ORIGINS: commaList.default([]) });

export type Business = {
  readonly timeZone: string;
  readonly cutoff: string;
  readonly ivaRates: IvaRates;
  /** Null if no store's stock is shipped. */
  readonly shippingStore: number | null;
};

/** Read once: a function's environment does not change. */
export const business = /* @__PURE__ */ perContainer((): Business => {
  const { BUSINESS_TIME_ZONE, CUTOFF_TIME, IVA_RATE, SHIPPING_IVA_RATE, BORDER_ZIPCODES, SHIPPING_STORE } =
    businessConfig();
  const ivaRates = { generalMicros: IVA_RATE, shippingMicros: SHIPPING_IVA_RATE, borderZipcodes: BORDER_ZIPCODES };
  return { timeZone: BUSINESS_TIME_ZONE, cutoff: CUTOFF_TIME, ivaRates, shippingStore: SHIPPING_STORE ?? null };
});

/** Per patient or doctor; employees have no limits. */
export type UserLimits = { readonly ordersPerHour: number; readonly invoicesPerDay: number };

export const userLimits = /* @__PURE__ */ perContainer((): UserLimits => {
  const { USER_ORDERS_PER_HOUR, USER_INVOICES_PER_DAY } = userLimitsConfig();
  return { ordersPerHour: USER_ORDERS_PER_HOUR, invoicesPerDay: USER_INVOICES_PER_DAY };
});

/** `returnUrl`: where a card's page leads after the payment. */
export type Collecting = {
  readonly termHours: Readonly<Record<Collection, number>>;
  readonly returnUrl: string | null;
};

const HOURS_OF_DAY = 24;

export const collecting = /* @__PURE__ */ perContainer((): Collecting | null => {
  const { PAYMENTS_PROVIDER, PAYMENT_RETURN_URL: returnUrl = null, ...terms } = collectingConfig();
  if (PAYMENTS_PROVIDER === 'none') return null;
  const [oxxo, spei] = [terms.OXXO_PAYMENT_DAYS * HOURS_OF_DAY, terms.SPEI_PAYMENT_DAYS * HOURS_OF_DAY];
  return { termHours: { card: terms.CARD_PAYMENT_HOURS, oxxo, spei }, returnUrl };
});
