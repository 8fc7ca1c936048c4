import {
  type ApiDescription,
  type Call,
  examplesOf,
  mediaOf,
  resolved,
  type Schema,
  schemaName,
} from './description.ts';

/** What the search of the page looks through to find an operation: its texts, fields, statuses and error codes. */
export function searchWords(call: Call, description: ApiDescription): string {
  const { method, path, operation, parameters, responses } = call;
  const { operationId, summary, description: text = '', tags, requestBody = {} } = operation;
  const bodies = [requestBody, ...responses.map(([, response]) => response)];
  const fields = bodies.flatMap((body) => fieldNames(mediaOf(body).schema ?? {}, description, DEPTH));
  const codes = bodies.flatMap((body) => examplesOf(body, description).map(({ name }) => name));
  const statuses = responses.map(([status]) => status);
  const told = parameters.flatMap(({ name, description: said = '' }) => [name, said]);
  const texts = [method, path, operationId, summary, text, ...tags, ...told, ...statuses, ...codes, ...fields];
  const words = texts
    .join(' ')
    .toLowerCase()
    .split(/[\s`,;:()]+/);
  return [...new Set(words)].join(' ');
}

// An order has lines and people in it, and every product everything: deeper, all operations have the same words.
const DEPTH = 2;

function fieldNames(schema: Schema, description: ApiDescription, depth: number): string[] {
  const choices = schema.anyOf ?? (schema.items ? [schema.items] : []);
  const inChoices = choices.flatMap((choice) => fieldNames(choice, description, depth));
  if (depth === 0) return inChoices;
  const { properties = {} } = resolved(schema, description);
  const own = Object.entries(properties).flatMap(([name, field]) => [
    name,
    ...fieldNames(field, description, depth - 1),
  ]);
  return [schemaName(schema) ?? '', ...own, ...inChoices];
}
