import type { Template } from 'aws-cdk-lib/assertions';
import type { AwsCall } from '../faults/aws-call.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
export type Json = any;

/** Returns the resources of a type by their ids; `findResources` takes some milliseconds for each call. */
export const resourcesIn = (template: Template, type: string): Record<string, Json> =>
  Object.fromEntries(Object.entries<Json>(template.toJSON().Resources).filter(([, { Type }]) => Type === type));

/** Returns the properties of all resources of a type. */
export const propertiesIn = (template: Template, type: string): Json[] =>
  Object.values(resourcesIn(template, type)).map(({ Properties }) => Properties);

/** Returns a name without the hash that CDK appends: `Documents7E5B2978` is `Documents` in the source. */
export const withoutHash = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

/** A statement of a role's policy. Other effects and conditions than these are refused when the template is read. */
export type Statement = {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** The patterns of `ForAllValues:StringLike` on dynamodb:LeadingKeys. */
  readonly leadingKeys: readonly string[] | undefined;
  /** The value of `StringEquals` on ses:FromAddress. */
  readonly fromAddress: string | undefined;
};

export type DeployedFunction = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
};

/** Returns the value of a reference in a template to a resource or to one of its attributes. */
export type Names = (logicalId: string, attribute: 'Ref' | string) => string;

/** Returns the value of a template expression. */
export function resolveExpression(value: Json, names: Names): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if ('Ref' in value) return names(value.Ref, 'Ref');
  if ('Fn::GetAtt' in value) return names(value['Fn::GetAtt'][0], value['Fn::GetAtt'][1]);
  if ('Fn::Join' in value) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map((part: Json) => resolveExpression(part, names)).join(separator);
  }
  throw new Error(`unsupported template expression: ${JSON.stringify(value)}`);
}

/** Returns the functions of a template with environment and policy statements, by name, such as `orders-create`. */
export function deployedFunctions(template: Template, names: Names): Map<string, DeployedFunction> {
  const own = propertiesIn(template, 'AWS::Lambda::Function').filter(({ Environment }) => Environment);
  const functions = own.map(({ Description, Environment, Role }) => {
    const name = String(Description)
      .replace(/^functions\/|\.ts$/g, '')
      .replaceAll('/', '-');
    const variables = Object.entries<Json>(Environment.Variables ?? {});
    return {
      name,
      environment: Object.fromEntries(variables.map(([key, value]) => [key, resolveExpression(value, names)])),
      statements: findStatements(template, Role['Fn::GetAtt'][0]).map((one) => toStatement(one, names)),
    };
  });
  return new Map(functions.map((one) => [one.name, one]));
}

/** Returns the statements of the role whose id begins with this name. */
export function roleStatements(template: Template, name: string, names: Names): Statement[] {
  const id = Object.keys(resourcesIn(template, 'AWS::IAM::Role')).find((each) => each.startsWith(name)) ?? '';
  return findStatements(template, id).map((one) => toStatement(one, names));
}

function findStatements(template: Template, role: string): Json[] {
  const { Properties } = resourcesIn(template, 'AWS::IAM::Role')[role];
  if (Properties.ManagedPolicyArns) throw new Error(`${role} has managed policies`);
  const attached = propertiesIn(template, 'AWS::IAM::Policy').filter(({ Roles }) =>
    Roles.some(({ Ref }: Json) => Ref === role),
  );
  const policies = [...(Properties.Policies ?? []), ...attached];
  return policies.flatMap(({ PolicyDocument }: Json) => PolicyDocument.Statement);
}

const toList = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);

function toStatement({ Effect, Action, Resource, Condition = {}, ...rest }: Json, names: Names): Statement {
  const { 'ForAllValues:StringLike': forAll = {}, StringEquals: equals = {}, ...otherConditions } = Condition;
  const { 'dynamodb:LeadingKeys': leadingKeys, ...otherForAll } = forAll;
  const { 'ses:FromAddress': fromAddress, ...otherEquals } = equals;
  const unknown = Object.keys({ ...rest, ...otherConditions, ...otherForAll, ...otherEquals });
  if (Effect !== 'Allow' || unknown.length > 0) throw new Error(`unsupported policy statement: ${Effect} ${unknown}`);
  return {
    actions: toList(Action),
    resources: toList(Resource).map((resource) => resolveExpression(resource, names)),
    leadingKeys: leadingKeys && toList(leadingKeys),
    fromAddress,
  };
}

/** True when at least one statement allows the whole call. */
export const isAllowed = (call: AwsCall, statements: readonly Statement[]): boolean =>
  statements.some((statement) => allows(statement, call));

function allows(statement: Statement, { action, resource, leadingKeys = [], fromAddress }: AwsCall): boolean {
  const { leadingKeys: kinds } = statement;
  return (
    statement.actions.includes(action) &&
    statement.resources.some((pattern) => isLike(resource, pattern)) &&
    (kinds === undefined || leadingKeys.every((key) => kinds.some((kind) => isLike(key, kind)))) &&
    (statement.fromAddress === undefined || statement.fromAddress === fromAddress)
  );
}

/** Returns the actions, resources and key patterns that no call used, as `actions on resources: part`. */
export function unusedRights(statements: readonly Statement[], calls: readonly AwsCall[]): string[] {
  return statements.flatMap((statement) => {
    const { actions, resources, leadingKeys: kinds = [] } = statement;
    const served = calls.filter((call) => allows(statement, call));
    const unused = [
      ...actions.filter((action) => !served.some((call) => call.action === action)),
      ...resources.filter((pattern) => !served.some(({ resource }) => isLike(resource, pattern))),
      ...kinds.filter((kind) => !served.some(({ leadingKeys = [] }) => leadingKeys.some((key) => isLike(key, kind)))),
    ];
    return unused.map((part) => `${actions} on ${resources}: ${part}`);
  });
}

/** Matches an IAM pattern, where `*` is any text and `?` any character. */
function isLike(value: string, pattern: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`).test(value);
}
