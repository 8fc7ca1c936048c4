import type { Template } from 'aws-cdk-lib/assertions';

/** A statement of a role's policy. Other effects and conditions than these are refused when the template is read. */
export type Statement = {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** The patterns of `ForAllValues:StringLike` on dynamodb:LeadingKeys. */
  readonly leadingKeys: readonly string[] | undefined;
  /** The value of `StringEquals` on ses:FromAddress. */
  readonly fromAddress: string | undefined;
  /** The value of `StringEquals` on the tag of an API key that names its usage plan. */
  readonly usagePlan: string | undefined;
};

export type DeployedFunction = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
};

/** Returns the value of a reference in a template to a resource or to one of its attributes. */
export type Names = (logicalId: string, attribute: 'Ref' | string) => string;

// biome-ignore lint/suspicious/noExplicitAny: templates have no types
type Json = any;

/** Returns the value of a template expression. */
function resolveExpression(value: Json, names: Names): string {
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
  const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }: Json) => {
    const name = String(Properties.Description)
      .replace(/^functions\/|\.ts$/g, '')
      .replaceAll('/', '-');
    const variables = Object.entries(Properties.Environment?.Variables ?? {});
    return {
      name,
      environment: Object.fromEntries(
        variables.map(([variable, value]) => [variable, resolveExpression(value, names)]),
      ),
      statements: findStatements(template, Properties.Role['Fn::GetAtt'][0]).map((one) => toStatement(one, names)),
      memoryMb: Properties.MemorySize,
      timeoutSeconds: Properties.Timeout,
    };
  });
  return new Map(functions.map((one) => [one.name, one]));
}

function findStatements(template: Template, role: string): Json[] {
  const { Properties } = template.findResources('AWS::IAM::Role')[role] as Json;
  if (Properties.ManagedPolicyArns) throw new Error(`${role} has managed policies`);
  const attached = Object.values(template.findResources('AWS::IAM::Policy')).filter((policy: Json) =>
    policy.Properties.Roles.some(({ Ref }: Json) => Ref === role),
  );
  const policies = [...(Properties.Policies ?? []), ...attached.map((policy: Json) => policy.Properties)];
  return policies.flatMap(({ PolicyDocument }: Json) => PolicyDocument.Statement);
}

const toList = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);

function toStatement({ Effect, Action, Resource, Condition = {}, ...rest }: Json, names: Names): Statement {
  const { 'ForAllValues:StringLike': forAll = {}, StringEquals: equals = {}, ...otherConditions } = Condition;
  const { 'dynamodb:LeadingKeys': leadingKeys, ...otherForAll } = forAll;
  const { 'ses:FromAddress': fromAddress, 'aws:ResourceTag/UsagePlan': usagePlan, ...otherEquals } = equals;
  const unknown = Object.keys({ ...rest, ...otherConditions, ...otherForAll, ...otherEquals });
  if (Effect !== 'Allow' || unknown.length > 0) throw new Error(`unsupported policy statement: ${Effect} ${unknown}`);
  return {
    actions: toList(Action),
    resources: toList(Resource).map((resource) => resolveExpression(resource, names)),
    leadingKeys: leadingKeys && toList(leadingKeys),
    fromAddress,
    usagePlan: usagePlan && resolveExpression(usagePlan, names),
  };
}
