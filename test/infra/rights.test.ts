import { describe, expect, it } from 'vitest';
import {
  type DeployedFunction,
  deployedFunctions,
  type Json,
  type Names,
  propertiesIn,
  resolveExpression,
  resourcesIn,
  roleStatements,
  type Statement,
  withoutHash,
} from '../support/rights/function-rights.ts';
import { HOSTED, PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

const byName: Names = withoutHash;

const demonstration = deployedFunctions(stackTemplate({ scanDocuments: true }), byName);
const production = deployedFunctions(stackTemplate(PRODUCTION), byName);

/** Writes a right as an action, a resource and, for the table, kinds of records: `dynamodb:GetItem Table [KEY CLIENT]`. */
const formatRight = ({ actions, resources, leadingKeys, fromAddress }: Statement): string[] =>
  resources.flatMap((resource) =>
    actions.map((action) => {
      const kinds = leadingKeys?.map((key) => key.replace(/#\*$/, '')).join(' ');
      const limits = [kinds && `[${kinds}]`, fromAddress && `as ${fromAddress}`];
      return [action, resource, ...limits].filter(Boolean).join(' ');
    }),
  );

/** Returns a right for each of its kinds of records. A batch may have several kinds, all of them in one statement. */
function eachKind(right: string): string[] {
  const [list] = /\[.* .*\]/.exec(right) ?? [];
  if (!list || right.startsWith('dynamodb:Batch')) return [right];
  return list.split(/\W/).flatMap((kind) => (kind ? right.replace(list, `[${kind}]`) : []));
}
const sorted = (rights: readonly string[]): string[] => [...new Set(rights.flatMap(eachKind))].toSorted();

function rightsIn(functions: Map<string, DeployedFunction>, name: string): string[] {
  const log = new RegExp(` \\w*${name.replaceAll('-', '')}.*Log$`);
  const rights = functions.get(name)?.statements.flatMap(formatRight) ?? [];
  return sorted(rights.map((right) => right.replace(log, ' its log')));
}

const SES = 'arn:AWS::Partition:ses:AWS::Region:AWS::AccountId';

/* That each function has the rights that it needs, and no others, is proved by `test/deployed`, which runs them under these rights. */
describe('the rights of the functions', () => {
  it('never leave an action open, nor a whole service or bucket', () => {
    const stages = [{}, PRODUCTION, { ...HOSTED, contents: 'demonstration', scanDocuments: true }];
    const statements = stages
      .flatMap((changes) => propertiesIn(stackTemplate(changes), 'AWS::IAM::Role'))
      .flatMap(({ Policies = [] }) => Policies.flatMap(({ PolicyDocument }: Json) => PolicyDocument.Statement));
    expect(statements.flatMap(({ Action }) => Action).filter((action) => action.includes('*'))).toEqual([]);
    const resources = statements.flatMap(({ Resource }) => Resource).map((one) => resolveExpression(one, byName));
    const open = resources.filter((resource) => resource.includes('*'));
    expect(stages.flatMap((changes) => propertiesIn(stackTemplate(changes), 'AWS::IAM::Policy'))).toEqual([]);
    expect([...new Set(open)].toSorted()).toEqual([
      // CodeDeploy reads the states of alarms.
      '*',
      'Catalog/*',
      'Catalog/snapshots/*',
      'Catalog/versions/*',
      'Documents/*',
      'Documents/aws/lambda/*',
      'Documents/invoices/*',
      'Documents/prescriptions/*',
      'Documents/sandbox-invoices/*',
      'Images/*',
      'arn:AWS::Partition:apigateway:AWS::Region::/apikeys/*',
      'arn:AWS::Partition:apigateway:AWS::Region::/tags/*',
      'arn:AWS::Partition:events:AWS::Region:AWS::AccountId:rule/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*',
      `${SES}:identity/*`,
      'arn:AWS::Partition:ses:us-east-1:AWS::AccountId:identity/*',
    ]);
  });

  it.each([
    ['the secret that signs tokens', /^secretsmanager:GetSecretValue TokenKeys$/, ['token-issue']],
    ['the keys of held prices', /^secretsmanager:GetSecretValue SealKeys$/, ['orders-calculate', 'orders-create']],
    ['putting users', /^dynamodb:(Put|BatchWrite)Item .*\bUSER\b/, ['orders-create', 'orders-request-invoice']],
    [
      'updating users',
      /^dynamodb:UpdateItem .*\bUSER\b/,
      ['me-update', 'orders-create', 'orders-request-invoice', 'password-set', 'token-issue'],
    ],
    ['deleting users', /^dynamodb:DeleteItem .*\bUSER\b/, []],
    ['the secrets of webhooks', /^dynamodb:.* .*\bSECRET\b/, ['jobs-deliver-webhooks']],
    ['writing public keys of tokens', /^dynamodb:(Put|Update|BatchWrite|Delete).* .*\bSIGNER\b/, ['token-issue']],
  ])('of %s are those of few functions', (_, right, names) => {
    const having = [...demonstration.keys()].filter((name) =>
      rightsIn(demonstration, name).some((one) => right.test(one)),
    );
    expect(having.toSorted()).toEqual(names);
  });

  it('are limited to the named kinds of records in the table', () => {
    const statements = [...demonstration.values()].flatMap((one) => one.statements);
    // The stream has no keys by which a right could be limited; a filter limits what a function gets.
    const isOfTable = (action: string) => action.startsWith('dynamodb:') && !/Stream|Shard|GetRecords/.test(action);
    const onTable = statements.filter(({ actions }) => actions.some(isOfTable));
    for (const { leadingKeys = [] } of onTable) expect(leadingKeys.join(' ')).toMatch(/^[A-Z]+#\*( [A-Z]+#\*)*$/);
  });

  it('let mail be sent in the region of the sender, by one configuration set', () => {
    const rights = rightsIn(production, 'jobs-run-due-tasks').filter((right) => right.startsWith('ses:'));
    expect(rights).toEqual([
      'ses:SendRawEmail arn:AWS::Partition:ses:us-east-1:AWS::AccountId:configuration-set/pharmacy-test as facturas@sol.example',
      'ses:SendRawEmail arn:AWS::Partition:ses:us-east-1:AWS::AccountId:identity/* as facturas@sol.example',
    ]);
    expect(production.get('jobs-run-due-tasks')?.environment).toMatchObject({ MAIL_REGION: 'us-east-1' });
  });

  it('are those of the provider that the settings name', () => {
    const rights = rightsIn(production, 'orders-request-invoice');
    expect(rights).toContain(
      'secretsmanager:GetSecretValue arn:aws:secretsmanager:mx-central-1:111122223333:secret:pharmacy/facturapi-??????',
    );
    expect(rights.filter((right) => right.includes('sandbox'))).toEqual([]);
  });
});

describe('the roles of people', () => {
  const template = stackTemplate({ ...PRODUCTION, ...HOSTED, payments: { provider: 'stripe', secretName: 'stripe' } });
  const rightsOf = (name: string) => sorted(roleStatements(template, `People${name}`, byName).flatMap(formatRight));
  const SECRETS = 'secretsmanager:GetSecretValue arn:aws:secretsmanager:mx-central-1:111122223333:secret';

  it('are assumed by principals of the account that may do so', () => {
    const roles = Object.entries(resourcesIn(template, 'AWS::IAM::Role'));
    const people = roles.filter(([id]) => id.startsWith('People')).map(([, { Properties }]) => Properties);
    expect(people).toHaveLength(3);
    for (const { AssumeRolePolicyDocument, Policies } of people) {
      const [{ Principal }] = AssumeRolePolicyDocument.Statement;
      expect(resolveExpression(Principal.AWS, byName)).toMatch(/:iam::111122223333:root$/);
      // IAM's quota for the inline policies of a role.
      expect(JSON.stringify(Policies[0].PolicyDocument).length).toBeLessThan(10_240);
    }
  });

  // The commands of the counter call the providers themselves, and a shortage is a version of the catalog.
  it.each([
    ['Pharmacist', 'secrets', /secretsmanager/, [`${SECRETS}:pharmacy/facturapi-??????`, `${SECRETS}:stripe-??????`]],
    [
      'Pharmacist',
      'clients, users, keys and webhooks',
      /Item .*\[(CLIENT|KEY|USER|EMAIL|SIGNER|SECRET|WEBHOOKS)\]/,
      ['dynamodb:ConditionCheckItem Table [USER]', 'dynamodb:GetItem Table [CLIENT]'],
    ],
    [
      'Pharmacist',
      'objects that are written',
      /s3:(Put|Delete)/,
      [
        's3:DeleteObject Documents/prescriptions/*',
        's3:PutObject Catalog/shortages.json',
        ...['invoices', 'prescriptions'].map((keys) => `s3:PutObject Documents/${keys}/*`),
      ],
    ],
    ['Pharmacist', 'the stack', /^(apigateway|cloudformation|iam|lambda|logs|sns):/, []],
    ['Reader', 'what is written', /secretsmanager|apigateway|prescriptions|:(Put|Update|Delete|BatchWrite|Send)/, []],
    ['Operator', 'the stack', /^(iam|lambda:[^G]|cloudformation:[^D]|dynamodb:\w+Table )/, []],
  ])('of a %s: %s', (name, _, pattern, expected) => {
    expect(rightsOf(name).filter((right) => pattern.test(right))).toEqual(expected);
  });
});

describe('the environment of the functions', () => {
  it('says that a stage is for production to each function that issues documents or reads them', () => {
    const ofProvider = [...production.values()].filter(({ environment }) => 'FACTURAPI_SECRET_ID' in environment);
    expect(ofProvider.length).toBeGreaterThan(3);
    expect(ofProvider.map(({ environment }) => environment.PURPOSE)).toEqual(ofProvider.map(() => 'production'));
  });

  it('says how orders are collected to what offers it, and the secrets of it to those alone that call the provider', () => {
    const payments = { provider: 'stripe', secretName: 'pharmacy/stripe', returnUrl: 'https://sol.example/gracias' };
    const collecting = deployedFunctions(stackTemplate({ ...PRODUCTION, payments }), byName);
    const having = (variable: string) =>
      [...collecting].filter(([, { environment }]) => variable in environment).map(([name]) => name);
    expect(having('STRIPE_SECRET_ID').toSorted()).toEqual([
      'jobs-run-due-tasks',
      'orders-create',
      'orders-pay',
      'orders-update',
      'payments-stripe',
    ]);
    expect(having('PAYMENTS_PROVIDER')).toEqual(expect.arrayContaining(['payment-methods-list']));
    expect(collecting.get('orders-create')?.environment).toMatchObject({
      PAYMENTS_PROVIDER: 'stripe',
      STRIPE_SECRET_ID: 'pharmacy/stripe',
      OXXO_PAYMENT_DAYS: '3',
      PAYMENT_RETURN_URL: 'https://sol.example/gracias',
    });
    expect([...production.values()].filter(({ environment }) => 'PAYMENTS_PROVIDER' in environment)).toEqual([]);
  });

  it('has room for as many zip codes of the border as the settings may have', () => {
    const borderZipcodes = Array.from({ length: 150 }, (_, index) => `${21_000 + 10 * index}-${21_005 + 10 * index}`);
    const changes = { ...PRODUCTION, borderZipcodes };
    const { environment = {} } = deployedFunctions(stackTemplate(changes), byName).get('orders-create') ?? {};
    expect(environment.BORDER_ZIPCODES).toBe(borderZipcodes.join(','));
    // Lambda allows 4 KB; what CloudFormation fills in, such as names, is longer than here.
    expect(JSON.stringify(environment).length).toBeLessThan(3_500);
  });

  it('holds the ids of secrets, and no secret itself', () => {
    const values = [...production.values()].flatMap(({ environment }) => Object.entries(environment));
    const ofSecrets = values.filter(([name]) => /KEY|SECRET|TOKEN/.test(name)).map(([, value]) => value);
    expect([...new Set(ofSecrets)].toSorted()).toEqual(['900', 'SealKeys', 'TokenKeys', 'pharmacy/facturapi']);
  });
});
