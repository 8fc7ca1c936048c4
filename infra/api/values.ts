import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Part = { readonly [name: string]: unknown };

/** Lists the defaults and the examples of an OpenAPI document that their own schemas refuse, one line each. */
export function refusedValues(document: object): string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ ...document, $id: 'document' });

  function refused(at: string, schemaAt: string, value: unknown): string[] {
    const validate = ajv.getSchema(`document#${schemaAt}`);
    if (!validate) return [`${at}: there is no schema at ${schemaAt}`];
    return validate(value) ? [] : [`${at}: ${JSON.stringify(value)} ${ajv.errorsText(validate.errors)}`];
  }

  function refusedIn(at: string, part: Part): string[] {
    const examples = 'schema' in part ? examplesIn(document, part) : [];
    return [
      ...(isSchema(part) && 'default' in part ? refused(`${at}/default`, at, part.default) : []),
      ...examples.flatMap(({ name, value }) => refused(`${at}/${name}`, `${at}/schema`, value)),
      ...Object.entries(part).flatMap(([name, inner]) =>
        isPart(inner) ? refusedIn(`${at}/${pointerSegment(name)}`, inner) : [],
      ),
    ];
  }

  return refusedIn('', { ...document });
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
// A variable of a server has a default, too.
const isSchema = (part: Part): boolean => 'type' in part || '$ref' in part || 'anyOf' in part;
const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The examples of a parameter, a header or a body. */
function examplesIn(document: object, { example, examples }: Part): { name: string; value: unknown }[] {
  const named = isPart(examples) ? Object.entries(examples) : [];
  return [
    ...(example === undefined ? [] : [{ name: 'example', value: example }]),
    ...named.map(([name, one]) => ({ name: `examples/${name}`, value: resolved(document, one as Part).value })),
  ];
}

/** A part of the document, or the part that it refers to. */
const resolved = (document: object, part: Part): Part =>
  typeof part.$ref === 'string'
    ? part.$ref
        .split('/')
        .slice(1)
        .reduce((found, name) => (found[name] ?? {}) as Part, { ...document } as Part)
    : part;
