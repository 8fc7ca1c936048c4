/** One example answer of an operation. */
export type AnswerExample = {
  readonly name: string;
  readonly summary: string;
  readonly status: number;
  readonly body: unknown;
};

/** Examples as OpenAPI has them. */
export const named = (
  examples: readonly { readonly name: string; readonly summary: string; readonly body?: unknown }[],
) => Object.fromEntries(examples.map(({ name, summary, body }) => [name, { summary, value: body }]));
