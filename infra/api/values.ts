import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Part = { readonly [name: string]: unknown };

/** Lists the defaults and examples of an OpenAPI document that do not match their own schemas, one line each. */
export function findWrongValues(document: object): string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ ...document, $id: 'document' });

  function checkValue(at: string, schemaAt: string, value: unknown): string[] {
    const validate = ajv.getSchema(`document#${schemaAt}`);
    if (!validate) return [`${at}: there is no schema at ${schemaAt}`];
    return validate(value) ? [] : [`${at}: ${JSON.stringify(value)} ${ajv.errorsText(validate.errors)}`];
  }

  function checkPart(at: string, part: Part): string[] {
    const examples = 'schema' in part ? listExamples(document, part) : [];
    return [
      ...(isSchema(part) && 'default' in part ? checkValue(`${at}/default`, at, part.default) : []),
      ...examples.flatMap(({ name, value }) => checkValue(`${at}/${name}`, `${at}/schema`, value)),
      ...Object.entries(part).flatMap(([name, inner]) =>
        isPart(inner) ? checkPart(`${at}/${pointerSegment(name)}`, inner) : [],
      ),
    ];
  }

  return checkPart('', { ...document });
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
// The variables of a server have defaults and no schemas.
const isSchema = (part: Part): boolean => 'type' in part || '$ref' in part || 'anyOf' in part;
const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Lists the examples of a parameter, a header or a body. */
function listExamples(document: object, { example, examples }: Part): { name: string; value: unknown }[] {
  const named = isPart(examples) ? Object.entries(examples) : [];
  return [
    ...(example === undefined ? [] : [{ name: 'example', value: example }]),
    ...named.map(([name, one]) => ({ name: `examples/${name}`, value: resolvePart(document, one as Part).value })),
  ];
}

/** Returns the part behind a reference; anything else is returned as it is. */
const resolvePart = (document: object, part: Part): Part =>
  typeof part.$ref === 'string'
    ? part.$ref
        .split('/')
        .slice(1)
        .reduce((found, name) => (found[name] ?? {}) as Part, { ...document } as Part)
    : part;
