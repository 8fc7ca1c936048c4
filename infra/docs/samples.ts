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

// The method of the client by operationId.
const METHODS: Readonly<Record<string, string>> = {
  issueToken: 'login',
  requestPassword: 'requestPassword',
  setPassword: 'resetPassword',
  quote: 'quote',
  createOrder: 'orders.create',
  listOrders: 'orders.list',
  getOrder: 'orders.get',
  updateOrder: 'orders.update',
  addPrescriptions: 'orders.addPrescriptions',
  payOrder: 'orders.pay',
  requestInvoice: 'orders.requestInvoice',
  listOrderEvents: 'orders.events',
  listEvents: 'events.list',
  requestInvoiceInFull: 'orders.requestInvoice',
  listProducts: 'products.list',
  getProduct: 'products.get',
  listSubstitutes: 'products.substitutes',
  listAvailability: 'products.availability',
  listCategories: 'categories.list',
  listPharmaceuticalCompanies: 'companies.list',
  listDiseases: 'diseases.list',
  listStores: 'stores.list',
  listPaymentMethods: 'paymentMethods.list',
  getProfile: 'me',
  updateProfile: 'updateProfile',
  exportProfile: 'exportProfile',
};

// The fields of a body that a method takes instead of the whole body.
const BODY_FIELDS: Readonly<Record<string, string>> = { requestPassword: 'email', requestInvoiceInFull: 'invoicing' };

// The query parameters that a sample shows, if the operation has them.
const SHOWN_PARAMETERS = ['search', 'ordering', 'limit', 'include'];

/** Returns a program for the typed client, or undefined when the client has no method for the operation. */
export function writeTypescriptSample(call: Call, description: ApiDescription): string | undefined {
  const method = METHODS[call.operation.operationId];
  return method === undefined
    ? undefined
    : `import { createClient } from 'botica-client';

const botica = createClient({
  baseUrl: '$BOTICA',
  apiKey: '$API_KEY',
});
${needsToken(call) ? 'await botica.login({ email, password });\n' : ''}const answer = await botica.${method}(${listArguments(call, description).map(writeLiteral).join(', ')});
console.log(answer);`;
}

function listArguments({ operation, parameters }: Call, description: ApiDescription): unknown[] {
  const id = parameters.filter((one) => one.in === 'path').map(({ example }) => example ?? 1);
  const query = parameters
    .filter((one) => one.in === 'query' && SHOWN_PARAMETERS.includes(one.name) && one.example !== undefined)
    .map(({ name, schema, example }) => [name, schema.type === 'array' ? [example].flat() : example]);
  const body = readFirstExample(operation.requestBody ?? {}, description) as Readonly<Record<string, unknown>>;
  const field = BODY_FIELDS[operation.operationId];
  return [
    ...id,
    query.length > 0 && Object.fromEntries(query),
    body && (field === undefined ? body : body[field]),
  ].filter(Boolean);
}

const writeLiteral = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll(/^( *)"(\w+)":/gm, '$1$2:');
