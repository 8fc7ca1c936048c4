import {
  type ApiDescription,
  type Call,
  listCalls,
  needsToken,
  type Parameter,
  readFirstExample,
} from '../api/description.ts';

/** Returns the OpenAPI document as the reference page shows it: with code samples and a link to the original. */
export function buildReferenceDocument(description: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of listCalls(description)) {
    const { method, path, operation } = call;
    const shown = {
      ...operation,
      parameters: call.parameters.map(disableExample),
      ...writeCodeSamples(call, description),
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: shown };
  }
  const { info } = description;
  const linked = {
    ...info,
    description: `${info.description}\n\n[Guide](guide.txt) · [openapi.json](openapi.json) · [Postman and Bruno collection](collection.json) · [shop.ts](shop.ts.txt) · [shop.py](shop.py.txt)`,
  };
  return { ...description, info: linked, paths };
}

const writeCodeSamples = (call: Call, description: ApiDescription) => ({
  'x-codeSamples': [
    { lang: 'Shell', label: 'curl', source: writeCurlSample(call, description) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypescriptSample(call, description) },
    { lang: 'Python', label: 'Python', source: writePythonSample(call, description) },
  ].filter(({ source }) => source !== undefined),
});

/** Unchecks the example of an optional parameter, so that a trial request does not send all of them at once. */
function disableExample({ example, ...parameter }: Parameter): object {
  if (parameter.required || parameter.name === 'Accept-Language') return { ...parameter, example };
  return { ...parameter, examples: { example: { value: example, 'x-disabled': true } } };
}

type ClientCall = {
  readonly method: string;
  readonly prints?: string;
  /** The field of the body that the method takes instead of the whole body. */
  readonly bodyField?: string;
};

const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  issueToken: { method: 'login' },
  requestPassword: { method: 'requestPassword', bodyField: 'email' },
  setPassword: { method: 'resetPassword' },
  quote: { method: 'quote', prints: 'total' },
  createOrder: { method: 'orders.create', prints: 'folio' },
  listOrders: { method: 'orders.list', prints: 'count' },
  getOrder: { method: 'orders.get', prints: 'order_status' },
  updateOrder: { method: 'orders.update', prints: 'total' },
  addPrescriptions: { method: 'orders.addPrescriptions', prints: 'order_status' },
  payOrder: { method: 'orders.pay', prints: 'payment_status' },
  requestInvoice: { method: 'orders.requestInvoice', prints: 'cfdi' },
  listOrderEvents: { method: 'orders.events', prints: 'count' },
  listEvents: { method: 'events.list', prints: 'cursor' },
  requestInvoiceInFull: { method: 'orders.requestInvoice', prints: 'cfdi', bodyField: 'invoicing' },
  listProducts: { method: 'products.list', prints: 'count' },
  getProduct: { method: 'products.get', prints: 'price' },
  listSubstitutes: { method: 'products.substitutes', prints: 'count' },
  listAvailability: { method: 'products.availability', prints: 'length' },
  listCategories: { method: 'categories.list', prints: 'count' },
  listPharmaceuticalCompanies: { method: 'companies.list', prints: 'count' },
  listDiseases: { method: 'diseases.list', prints: 'count' },
  listStores: { method: 'stores.list', prints: 'count' },
  listPaymentMethods: { method: 'paymentMethods.list', prints: 'count' },
  getProfile: { method: 'me', prints: 'email' },
  updateProfile: { method: 'updateProfile', prints: 'phone' },
  exportProfile: { method: 'exportProfile', prints: 'next' },
};

// The query parameters and the headers that a sample shows, if the operation has them.
const SHOWN_PARAMETERS = ['search', 'ordering', 'limit', 'include'];
const SHOWN_HEADERS = ['Idempotency-Key'];

/** Returns the first example of an operation as a request, with `$API_KEY` and `$TOKEN` in place of key and token. */
function exampleRequest(call: Call, description: ApiDescription) {
  const { method, path, operation, parameters } = call;
  const query = new URLSearchParams(pickQuery(call).map(({ name, example }): [string, string] => [name, `${example}`]));
  const body = readFirstExample(operation.requestBody ?? {}, description);
  const shown = parameters.filter(({ name }) => SHOWN_HEADERS.includes(name));
  const headers: Record<string, unknown> = {
    'X-API-Key': '$API_KEY',
    ...(needsToken(call) && { Authorization: 'Bearer $TOKEN' }),
    ...Object.fromEntries(shown.map(({ name, example }) => [name, example])),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const target = path.replace('{id}', String(readExampleId(call))) + (query.size > 0 ? `?${query}` : '');
  return { method, url: `$BOTICA${target}`, headers, body };
}

export function writeCurlSample(call: Call, description: ApiDescription): string {
  const { method, url, headers, body } = exampleRequest(call, description);
  const isDefaultMethod = method === (body ? 'POST' : 'GET');
  const lines = Object.entries(headers).map(([name, value]) => {
    // A shell fills in variables between these alone.
    const quote = String(value).includes('$') ? '"' : "'";
    return `-H ${quote}${name}: ${value}${quote}`;
  });
  const data = body ? [`-d ${quoteForShell(JSON.stringify(body, null, 2))}`] : [];
  return [`curl ${isDefaultMethod ? '' : `-X ${method} `}"${url}"`, ...lines, ...data].join(' \\\n  ');
}

function writePythonSample(call: Call, description: ApiDescription): string {
  const { method, url, headers, body } = exampleRequest(call, description);
  const prints = CLIENT_CALLS[call.operation.operationId]?.prints;
  return `import json
import urllib.request

request = urllib.request.Request(
    "${url}",
    method="${method}",
    headers=${indentRest(writeLiteral(headers, PYTHON))},${
      body === undefined ? '' : `\n    data=json.dumps(${indentRest(writeLiteral(body, PYTHON))}).encode(),`
    }
)
with urllib.request.urlopen(request) as answer:
    ${prints === undefined ? 'print(answer.status)' : `print(json.load(answer)["${prints}"])`}`;
}

const indentRest = (text: string): string => text.replaceAll('\n', '\n    ');

/** Returns a program for the typed client, or undefined when the client has no method for the operation. */
export function writeTypescriptSample(call: Call, description: ApiDescription): string | undefined {
  const clientCall = CLIENT_CALLS[call.operation.operationId];
  if (!clientCall) return undefined;
  const { method, prints } = clientCall;
  const request = `await botica.${method}(${writeArguments(call, clientCall, description).join(', ')});`;
  return `import { createClient } from 'botica-client';

const botica = createClient({
  baseUrl: '$BOTICA',
  apiKey: '$API_KEY',
});
${needsToken(call) ? 'await botica.login({ email, password });\n' : ''}${
  prints === undefined ? request : `const answer = ${request}\nconsole.log(answer.${prints});`
}`;
}

function writeArguments(call: Call, { bodyField }: ClientCall, description: ApiDescription): string[] {
  const query = pickQuery(call).map(({ name, schema, example }) => [
    name,
    schema.type === 'array' ? [example].flat() : example,
  ]);
  const body = readFirstExample(call.operation.requestBody ?? {}, description) as Readonly<Record<string, unknown>>;
  return [
    ...(call.path.includes('{id}') ? [String(readExampleId(call))] : []),
    ...(query.length > 0 ? [writeLiteral(Object.fromEntries(query))] : []),
    ...(body ? [writeLiteral(bodyField === undefined ? body : body[bodyField])] : []),
  ];
}

const pickQuery = ({ parameters }: Call): Parameter[] =>
  parameters.filter((one) => one.in === 'query' && SHOWN_PARAMETERS.includes(one.name) && one.example !== undefined);

const readExampleId = ({ parameters }: Call): unknown => parameters.find((one) => one.in === 'path')?.example ?? 1;

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// The width of the page's column of samples.
const LINE_LENGTH = 50;

type Literals = {
  readonly indent: string;
  /** Writes null, true, a number or a text. */
  scalar(value: unknown): string;
  name(name: string): string;
};
const TYPESCRIPT: Literals = {
  indent: '  ',
  scalar: (value) =>
    typeof value === 'string'
      ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
      : String(value),
  name: (name) => name,
};
const PYTHON_WORDS: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };
const PYTHON: Literals = {
  indent: '    ',
  // A text of JSON is one of Python.
  scalar: (value) =>
    typeof value === 'string' ? JSON.stringify(value) : (PYTHON_WORDS[String(value)] ?? String(value)),
  name: (name) => JSON.stringify(name),
};

function writeLiteral(value: unknown, language = TYPESCRIPT, indent = ''): string {
  if (typeof value !== 'object' || value === null) return language.scalar(value);
  const inner = indent + language.indent;
  const parts = Array.isArray(value)
    ? value.map((element) => writeLiteral(element, language, inner))
    : Object.entries(value).map(([name, field]) => `${language.name(name)}: ${writeLiteral(field, language, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = `${open}${parts.join(', ')}${close}`;
  if (line.length <= LINE_LENGTH && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
}
