import { type ApiDescription, type Call, examplesOf, type Parameter } from './description.ts';
import { type Html, html } from './html.ts';

type ClientCall = {
  readonly call: string;
  /** What of the answer is worth a look. */
  readonly shown?: string;
  /** The field of the body that the client asks for in place of the whole. */
  readonly field?: string;
};

/** How the typed client calls each operation, by its operationId. */
const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  issueToken: { call: 'login' },
  quote: { call: 'quote', shown: 'total' },
  createOrder: { call: 'orders.create', shown: 'folio' },
  listOrders: { call: 'orders.list', shown: 'count' },
  getOrder: { call: 'orders.get', shown: 'order_status' },
  updateOrder: { call: 'orders.update', shown: 'total' },
  requestInvoice: { call: 'orders.requestInvoice', shown: 'cfdi' },
  requestInvoiceInFull: { call: 'orders.requestInvoice', shown: 'cfdi', field: 'invoicing' },
  listProducts: { call: 'products.list', shown: 'count' },
  getProduct: { call: 'products.get', shown: 'price' },
  listCategories: { call: 'categories.list', shown: 'count' },
  listPharmaceuticalCompanies: { call: 'companies.list', shown: 'count' },
  listDiseases: { call: 'diseases.list', shown: 'count' },
};

// Of the many parameters of a list, those that make an example to begin with.
const TYPICAL = ['search', 'ordering', 'limit'];

/** Headers that any request may have. */
export const COMMON_HEADERS = ['Accept-Language', 'If-None-Match'];

/** What the reader's own values take the place of, once they are known. */
const PLACES = {
  base: html`<span data-fill="base">$BOTICA</span>`,
  key: html`<span data-fill="key">$API_KEY</span>`,
  token: html`<span data-fill="token">$TOKEN</span>`,
};

export const needsToken = ({ operation }: Call): boolean =>
  operation.security.some((scheme) => scheme.accessToken !== undefined);

export function curlSample(call: Call, description: ApiDescription): Html {
  const { method, path, operation } = call;
  const query = new URLSearchParams(
    typicalQuery(call).map(({ name, example }) => [name, String(example)] as [string, string]),
  );
  const target = path.replace('{id}', String(idOf(call))) + (query.size > 0 ? `?${query}` : '');
  const [example] = examplesOf(operation.requestBody ?? {}, description);
  const isPlain = method === (example ? 'POST' : 'GET');
  const parts = [
    html`curl ${!isPlain && `-X ${method} `}"${PLACES.base}${target}"`,
    html`-H "X-API-Key: ${PLACES.key}"`,
    needsToken(call) && html`-H "Authorization: Bearer ${PLACES.token}"`,
    ...ownHeaders(call).map(({ name, example: value }) => html`-H '${name}: ${String(value)}'`),
    example && html`-H 'Content-Type: application/json'`,
    example && html`-d '${JSON.stringify(example.value, null, 2).replaceAll("'", "'\\''")}'`,
  ].filter((part) => part !== false && part !== undefined);
  return html`${parts.map((part, index) => (index === 0 ? part : html` \\\n  ${part}`))}`;
}

/** A program with the typed client. Throws when it is not known how the client calls the operation. */
export function typescriptSample(call: Call, description: ApiDescription): Html {
  const known = CLIENT_CALLS[call.operation.operationId];
  if (!known) throw new Error(`no call of the client for ${call.operation.operationId}`);
  const [example] = examplesOf(call.operation.requestBody ?? {}, description);
  const query = typicalQuery(call).map(({ name, schema, example: value }) => [
    name,
    schema.type === 'array' ? [value].flat() : value,
  ]);
  const args = [
    call.path.includes('{id}') && String(idOf(call)),
    query.length > 0 && literal(Object.fromEntries(query)),
    example && literal(bodyOf(example.value, known)),
  ].filter((argument) => typeof argument === 'string');
  const asked = `await botica.${known.call}(${args.join(', ')});`;
  return html`import { createClient } from 'botica-client';

const botica = createClient({
  baseUrl: '${PLACES.base}',
  apiKey: '${PLACES.key}',
});
${needsToken(call) && html`await botica.login({ email, password });\n`}${
  known.shown === undefined ? asked : `const answer = ${asked}\nconsole.log(answer.${known.shown});`
}`;
}

const typicalQuery = ({ parameters }: Call): Parameter[] =>
  parameters.filter((one) => one.in === 'query' && TYPICAL.includes(one.name) && one.example !== undefined);

// Those that make a difference to what happens, not to how the answer is put.
const ownHeaders = ({ parameters }: Call): Parameter[] =>
  parameters.filter((one) => one.in === 'header' && !COMMON_HEADERS.includes(one.name) && one.example !== undefined);

const idOf = ({ parameters }: Call): unknown => parameters.find((one) => one.in === 'path')?.example ?? 1;

const bodyOf = (value: unknown, { field }: ClientCall): unknown =>
  field === undefined ? value : (value as Readonly<Record<string, unknown>>)[field];

// As much as stands in the column without scrolling.
const LINE_LENGTH = 50;

/** JSON as a TypeScript literal: names without quotes, texts in single ones. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((element) => literal(element, inner))
    : Object.entries(value).map(([name, field]) => `${name}: ${literal(field, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = `${open}${parts.join(', ')}${close}`;
  if (line.length <= LINE_LENGTH && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
}
