import type { Contract } from '../../../shared/api/contract.ts';
import { MAX_ETAGS, MAX_PREFERENCES } from '../../../shared/http/headers.ts';
import { MAX_LANGUAGES } from '../../../shared/messages/say.ts';
import { describeFields, type JsonSchema } from './components.ts';

type Place = 'path' | 'query' | 'header';
/** The values of an example request, by parameter name. */
export type ParameterValues = Readonly<Record<string, unknown>>;

/** The parameters that many operations share. */
export const PARAMETERS = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of messages: Spanish unless English is preferred.',
    schema: { type: 'string', maxLength: MAX_LANGUAGES, default: 'es' },
    example: 'en',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer; while that is current, it is not sent again.',
    schema: { type: 'string', maxLength: MAX_ETAGS },
    example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` refuses what is otherwise ignored: parameters and body fields that this operation does not have, at any depth, and parameters that are sent twice (RFC 7240).',
    schema: { type: 'string', maxLength: MAX_PREFERENCES, default: 'handling=lenient' },
    example: 'handling=strict',
  },
};

/** Describes the path, query and header parameters of an operation, with the values of an example. */
export function describeParameters(contract: Contract, values: ParameterValues): JsonSchema[] {
  const own = (['path', 'query', 'header'] as const).flatMap((place) => {
    const schema = place === 'header' ? contract.headers : contract[place];
    return schema ? describeFields(schema).map((field) => describeParameter(place, field, values)) : [];
  });
  return [...own, ...listShared(contract)];
}

function listShared({ caching }: Contract): JsonSchema[] {
  const names: (keyof typeof PARAMETERS)[] = ['AcceptLanguage', 'Prefer'];
  if (caching === 'catalog') names.push('IfNoneMatch');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

type Field = ReturnType<typeof describeFields>[number];

function describeParameter(place: Place, { name, schema, required }: Field, values: ParameterValues) {
  const { description, ...value } = schema;
  if (description === undefined) throw new Error(`no description of the parameter ${name}`);
  return {
    name,
    in: place,
    ...(required && { required }),
    description,
    // Several values of one parameter are separated by commas.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema: value,
    ...(name in values && { example: values[name] }),
  };
}
