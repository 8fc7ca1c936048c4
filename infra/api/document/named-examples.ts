/** An example answer of an operation. */
export type AnswerExample = {
  readonly name: string;
  readonly summary: string;
  readonly status: number;
  readonly body: unknown;
};

/** Returns examples by name, as OpenAPI writes them. */
export const toNamedExamples = (
  examples: readonly { readonly name: string; readonly summary: string; readonly body?: unknown }[],
) => Object.fromEntries(examples.map(({ name, summary, body }) => [name, { summary, value: body }]));
