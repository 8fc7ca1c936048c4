import {
  type ApiDescription,
  type Call,
  listCalls,
  needsToken,
  type Parameter,
  readFirstExample,
} from '../api/description.ts';

/**
 * Returns the OpenAPI document as the reference page shows it: with links to the files beside it, and samples for the typed client.
 * Scalar writes those of other languages itself.
 */
export function buildReferenceDocument(description: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of listCalls(description)) {
    const { method, path, operation } = call;
    const source = writeTypescriptSample(call, description);
    const shown = {
      ...operation,
      parameters: call.parameters.map(disableExample),
      ...(source !== undefined && { 'x-codeSamples': [{ lang: 'TypeScript', label: 'TypeScript', source }] }),
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

/** Unchecks the example of an optional parameter, so that a trial request does not send all of them at once. */
function disableExample({ example, ...parameter }: Parameter): object {
  if (parameter.required || SHOWN_PARAMETERS.includes(parameter.name)) return { ...parameter, example };
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

// The query parameters that a sample shows, if the operation has them.
const SHOWN_PARAMETERS = ['search', 'ordering', 'limit', 'include'];

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

const writeLiteral = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll(/^( *)"(\w+)":/gm, '$1$2:');
