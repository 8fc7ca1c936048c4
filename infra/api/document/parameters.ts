import type { Contract } from '../../../shared/api/contract.ts';
import { fieldSchemas, type JsonSchema } from './components.ts';

type Place = 'path' | 'query' | 'header';
/** Values of one example request, by the names of its parameters. */
export type ParameterValues = Readonly<Record<string, unknown>>;

/** Parameters that many operations share. */
export const PARAMETERS = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of messages: Spanish unless English is preferred.',
    schema: { type: 'string', default: 'es' },
    example: 'en',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer, which is not sent again while it is still good.',
    schema: { type: 'string' },
    example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
};

/** What a request carries beside its body, with the values of an example. */
export function parametersOf(contract: Contract, values: ParameterValues): JsonSchema[] {
  const own = (['path', 'query', 'header'] as const).flatMap((place) => {
    const schema = place === 'header' ? contract.headers : contract[place];
    return schema ? fieldSchemas(schema).map((field) => parameter(place, field, values)) : [];
  });
  return [...own, ...sharedBy(contract)];
}

function sharedBy({ caching }: Contract): JsonSchema[] {
  const names: (keyof typeof PARAMETERS)[] = ['AcceptLanguage'];
  if (caching === 'catalog') names.push('IfNoneMatch');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

type Field = ReturnType<typeof fieldSchemas>[number];

function parameter(place: Place, { name, schema, required }: Field, values: ParameterValues) {
  const { description, ...value } = schema;
  if (description === undefined) throw new Error(`no description of the parameter ${name}`);
  return {
    name,
    in: place,
    ...(required && { required }),
    description,
    // Several values of one parameter stand in one text, separated by commas.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema: value,
    ...(name in values && { example: values[name] }),
  };
}
