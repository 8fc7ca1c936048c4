import { type Parameter, type Schema, schemaName } from './description.ts';
import { type Html, html, prose } from './html.ts';

type Field = {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
};

/** The fields of an object, one level deep: what they are made of has a place of its own on the page. */
export function schemaFields(schema: Schema): Html {
  if (schema.properties) {
    const { properties, required = [] } = schema;
    return fieldList(
      Object.entries(properties).map(([name, field]) => ({ name, schema: field, isRequired: required.includes(name) })),
    );
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== 'object') return html`<p>${typeText(schema)}</p>`;
  return html`<p>Any names, each with ${typeText(additionalProperties)}.</p>`;
}

export const parameterFields = (parameters: readonly Parameter[]): Html =>
  fieldList(
    parameters.map(({ name, schema, required, description }) => ({
      name,
      schema,
      isRequired: required === true,
      description,
    })),
  );

// Where all are required, as in every answer, saying it at each of them would drown the rest.
function fieldList(fields: readonly Field[]): Html {
  const areAllRequired = fields.length > 1 && fields.every(({ isRequired }) => isRequired);
  const items = fields.map((field) => fieldItem(areAllRequired ? { ...field, isRequired: false } : field));
  return html`${areAllRequired && html`<p class="note">Every field is always there.</p>`}<ul class="fields">${items}</ul>`;
}

function fieldItem({ name, schema, isRequired, description = schema.description }: Field): Html {
  const bounds = boundsOf(schema);
  return html`<li class="field"><code class="name">${name}</code> <span class="type">${typeText(schema)}</span>${
    isRequired && html` <span class="required">required</span>`
  }${description && html`<p>${prose(description)}</p>`}${bounds.length > 0 && html`<p class="bounds">${bounds}</p>`}</li>`;
}

/** What a value is, with a link where that is told. */
export function typeText(schema: Schema): Html {
  const name = schemaName(schema);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const written = choices.filter(({ type, $ref, anyOf }) => type ?? $ref ?? anyOf);
  if (written.length > 0) return joined(written.map(typeText));
  if (schema.type === 'array' && schema.items) return html`array of ${typeText(schema.items)}`;
  const types = [schema.type ?? []].flat().join(' or ');
  return schema.format ? html`${types}, ${schema.format}` : html`${types}`;
}

const joined = (parts: readonly Html[]): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;

/** The bounds of a value in words, those of an array's items too. */
function boundsOf(schema: Schema): Html[] {
  const inner = [schema.items, ...(schema.anyOf ?? [])].filter((one): one is Schema => typeof one === 'object');
  const own = [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.minimum, schema.maximum, ''),
    schema.enum && html`one of ${schema.enum.map((value) => html`<code>${String(value)}</code> `)}`,
    schema.const !== undefined && html`always <code>${String(schema.const)}</code>`,
    schema.pattern && !schema.format && html`pattern <code>${schema.pattern}</code>`,
    hasDefault(schema) && html`default <code>${String(schema.default)}</code>`,
  ];
  const said = own.filter((bound) => typeof bound === 'object').map((bound) => html`<span>${bound}</span>`);
  return [...said, ...inner.flatMap(boundsOf)];
}

const hasDefault = ({ default: standard }: Schema): boolean => standard !== undefined && String(standard) !== '';

function range(minimum: number | undefined, maximum: number | undefined, unit: string): Html | undefined {
  // What a number of JSON can be at most is no bound of ours.
  const low = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (low !== undefined && high !== undefined) return html`${low} to ${high} ${unit}`;
  if (low !== undefined) return html`at least ${low} ${unit}`;
  return high === undefined ? undefined : html`at most ${high} ${unit}`;
}
