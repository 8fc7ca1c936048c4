/** As much of JSON Schema as the API description uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | false;
  readonly description?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

export type Reference = { readonly $ref: string };
export type Example = { readonly summary?: string; readonly value: unknown };
type Media = { readonly schema?: Schema; readonly examples?: Readonly<Record<string, Example | Reference>> };
export type Content = { readonly content?: { readonly 'application/json'?: Media } };
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example | Reference>>;
};
export type Header = { readonly description?: string; readonly schema: Schema };
export type Response = Content & {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
};
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Response | Reference>>;
};

/** The OpenAPI document, as far as it is read here. */
export type ApiDescription = {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary?: string;
    readonly description?: string;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

/** An operation with its place and with all that it refers to, but for schemas, which are shown by their names. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly responses: readonly (readonly [status: string, response: Response])[];
};

export function callsOf(description: ApiDescription): Call[] {
  const { paths } = description;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      parameters: (operation.parameters ?? []).map((parameter) => resolved(parameter, description)),
      responses: Object.entries(operation.responses).map(
        ([status, response]) => [status, resolved(response, description)] as const,
      ),
    })),
  );
}

/** What a reference means, or the thing itself. Throws when it leads nowhere. */
export function resolved<Thing extends object>(thing: Thing | Reference, { components }: ApiDescription): Thing {
  if (!('$ref' in thing) || typeof thing.$ref !== 'string') return thing as Thing;
  const [, , kind = '', name = ''] = thing.$ref.split('/');
  const found = components[kind]?.[name];
  if (!found) throw new Error(`${thing.$ref} leads nowhere`);
  return found as Thing;
}

export const schemaName = ({ $ref }: Schema): string | undefined => $ref?.replace(/^.*\//, '');
export const mediaOf = ({ content }: Content): Media => content?.['application/json'] ?? {};

/** The examples of a body in their order, each with its name. */
export function examplesOf(content: Content, description: ApiDescription): (Example & { readonly name: string })[] {
  const named = Object.entries(mediaOf(content).examples ?? {});
  return named.map(([name, example]) => ({ name, ...resolved(example, description) }));
}
