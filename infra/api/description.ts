import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Schema = {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | false;
  readonly description?: string;
};

export type Reference = { readonly $ref: string };
type Example = { readonly value: unknown };
type Media = { readonly schema?: Schema; readonly examples?: Readonly<Record<string, Example | Reference>> };
export type Content = { readonly content?: { readonly 'application/json'?: Media } };
type Header = { readonly required?: boolean; readonly schema: Schema };
export type Response = Content & { readonly headers?: Readonly<Record<string, Header | Reference>> };
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response | Reference>>;
};

/** The OpenAPI document, as far as this project reads it. */
export type ApiDescription = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

/** An operation with its method and path, and with its references resolved except those to schemas and headers. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly responses: readonly (readonly [status: string, response: Response])[];
};

export function listCalls(description: ApiDescription): Call[] {
  return Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      parameters: (operation.parameters ?? []).map((parameter) => resolveReference(parameter, description)),
      responses: Object.entries(operation.responses).map(
        ([status, response]) => [status, resolveReference(response, description)] as const,
      ),
    })),
  );
}

/** Returns the component behind a reference; anything else is returned as it is. Throws when there is no such component. */
export function resolveReference<T extends object>(
  value: T | Reference,
  { components }: Pick<ApiDescription, 'components'>,
): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = components[kind]?.[name];
  if (!found) throw new Error(`The OpenAPI document has no ${value.$ref}.`);
  return found as T;
}

export const needsToken = ({ operation }: Call): boolean =>
  (operation.security ?? []).some((scheme) => scheme.accessToken !== undefined);

export const parseSchemaName = ({ $ref }: Schema): string | undefined => $ref?.replace(/^.*\//, '');
export const readJsonMedia = ({ content }: Content): Media => content?.['application/json'] ?? {};

export function readFirstExample(content: Content, description: ApiDescription): unknown {
  const [example] = Object.values(readJsonMedia(content).examples ?? {});
  return example && resolveReference(example, description).value;
}

export const DESCRIPTION = join(import.meta.dirname, 'openapi.json');
export const REQUESTS = join(import.meta.dirname, 'examples/requests.json');
export const ANSWERS = join(import.meta.dirname, 'examples/answers.json');

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
export const writeJson = (file: string, value: unknown): void => writeFileSync(file, formatJson(value));
export const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
