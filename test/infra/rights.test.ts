import { describe, expect, it } from 'vitest';
import { jobs } from '../../infra/cloud/functions/jobs.ts';
import { functionName } from '../../infra/stack-names.ts';
import { routes } from '../../shared/api/routes.ts';
import {
  type DeployedFunction,
  deployedFunctions,
  type Names,
  resolveExpression,
  roleStatements,
  type Statement,
} from '../support/rights/function-rights.ts';
import { HOSTED, type Json, PRODUCTION, propertiesIn, stackTemplate } from '../support/rights/stack-template.ts';

// CDK appends a hash to each name: `Documents7E5B2978` is `Documents` in the source.
const byName: Names = (logicalId) => logicalId.replace(/[0-9A-F]{8}$/, '');

const demonstration = deployedFunctions(stackTemplate({ scanDocuments: true }), byName);
const production = deployedFunctions(stackTemplate(PRODUCTION), byName);
const collected = deployedFunctions(
  stackTemplate({ payments: { provider: 'stripe', secretName: 'pharmacy/stripe' } }),
  byName,
);

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

const LOG = ['logs:CreateLogStream its log', 'logs:PutLogEvents its log'];
const CATALOG = ['current.json', 'shortages.json', 'snapshots/*'].map((key) => `s3:GetObject Catalog/${key}`);
const CLIENT = 'dynamodb:GetItem Table [KEY CLIENT]';
const TOKEN_KEYS = 'secretsmanager:GetSecretValue TokenKeys';
const SEAL_KEYS = 'secretsmanager:GetSecretValue SealKeys';
const SES = 'arn:AWS::Partition:ses:AWS::Region:AWS::AccountId';
const SENDING = [
  `ses:SendRawEmail ${SES}:configuration-set/pharmacy-test as facturas@demo.example`,
  `ses:SendRawEmail ${SES}:identity/* as facturas@demo.example`,
];
/** The rights to the objects of a folder of documents. */
const files = (folder: string, ...actions: string[]) => actions.map((action) => `s3:${action} Documents/${folder}/*`);
const SANDBOX = [...files('sandbox-invoices', 'GetObject', 'PutObject'), 's3:ListBucket Documents'];
const DEAD_LETTERS = ['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map((action) => `sqs:${action} DeadLetters`);
const on = (kinds: string, ...actions: string[]) => actions.map((action) => `dynamodb:${action}Item Table [${kinds}]`);
const CHECK = 'dynamodb:ConditionCheckItem Table [USER]';

const USER = [CLIENT, 'dynamodb:GetItem Table [SIGNER USER]'];

const catalogRights = routes
  .filter(({ contract }) => contract.caching === 'catalog')
  .map(({ handler }) => functionName(handler))
  .map((name) => [name, CATALOG]);

/** Lists all rights of each function, except that to write its own log. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  'token-issue': [
    CLIENT,
    TOKEN_KEYS,
    'dynamodb:GetItem Table [LOGIN SOURCE EMAIL USER]',
    'dynamodb:UpdateItem Table [LOGIN SOURCE USER]',
    'dynamodb:BatchWriteItem Table [SIGNER]',
  ],
  'orders-calculate': [...CATALOG, SEAL_KEYS],
  'orders-create': [
    ...USER,
    ...CATALOG,
    SEAL_KEYS,
    ...files('prescriptions', 'PutObject', 'GetObject', 'DeleteObject'),
    ...SANDBOX,
    ...files('invoices', 'PutObject', 'GetObject'),
    ...SENDING,
    'dynamodb:BatchGetItem Table [EMAIL PHONE IDEMPOTENCY DELAYS STOCK]',
    'dynamodb:BatchWriteItem Table [NAME]',
    'dynamodb:GetItem Table [ORDER COUPON]',
    'dynamodb:Query Table [ORDER NAME CREATED INVOICES]',
    'dynamodb:UpdateItem Table [IDS DELAYS]',
    CHECK,
    ...on('ORDER CREATED PAIR OPEN LEDGER DOCUMENT HASH IDEMPOTENCY USER EMAIL', 'Put'),
    ...on('INVOICES UNINVOICED PHONE', 'Put', 'Delete'),
    ...on('COUNT COUPON USER STOCK', 'Update'),
  ],
  'orders-list': [
    ...USER,
    'dynamodb:Query Table [CREATED PAIR COUNT NAME ORDER]',
    'dynamodb:GetItem Table [DELAYS EMAIL PHONE]',
    'dynamodb:BatchGetItem Table [ORDER]',
  ],
  'orders-detail': [
    ...USER,
    ...CATALOG,
    's3:GetObject Documents/prescriptions/*',
    's3:GetObject Documents/invoices/*',
    'dynamodb:Query Table [ORDER]',
  ],
  'orders-events': [...USER, 'dynamodb:Query Table [ORDER]'],
  'events-list': [...USER, 'dynamodb:Query Table [FEED]', 'dynamodb:GetItem Table [FEED]'],
  'orders-add-prescriptions': [
    ...USER,
    ...CATALOG,
    ...files('prescriptions', 'PutObject', 'GetObject', 'DeleteObject'),
    'dynamodb:GetItem Table [IDEMPOTENCY]',
    'dynamodb:Query Table [ORDER]',
    'dynamodb:UpdateItem Table [IDS]',
    ...on('ORDER OPEN DOCUMENT HASH IDEMPOTENCY', 'Put'),
  ],
  'payment-methods-list': [...USER, ...CATALOG],
  'password-request': [CLIENT, 'dynamodb:UpdateItem Table [LOGIN]', 'dynamodb:PutItem Table [PASSWORDS]'],
  'password-set': [
    CLIENT,
    'dynamodb:GetItem Table [LINK]',
    'dynamodb:DeleteItem Table [LINK]',
    'dynamodb:UpdateItem Table [USER]',
  ],
  'me-detail': [...USER, 'dynamodb:Query Table [USER]'],
  'me-update': [
    ...USER,
    'dynamodb:Query Table [USER]',
    'dynamodb:UpdateItem Table [USER]',
    CHECK,
    ...on('PHONE', 'Put', 'Delete'),
    'dynamodb:BatchWriteItem Table [NAME]',
  ],
  'me-export': [
    ...USER,
    ...CATALOG,
    's3:GetObject Documents/prescriptions/*',
    's3:GetObject Documents/invoices/*',
    'dynamodb:Query Table [USER CREATED]',
    'dynamodb:BatchGetItem Table [ORDER]',
  ],
  'orders-update': [
    ...USER,
    ...CATALOG,
    's3:GetObject Documents/prescriptions/*',
    's3:GetObject Documents/invoices/*',
    'dynamodb:Query Table [ORDER]',
    'dynamodb:UpdateItem Table [IDS]',
    ...on('ORDER', 'Put'),
    ...on('PAIR OPEN INVOICES UNINVOICED', 'Put', 'Delete'),
    ...on('COUNT COUPON STOCK', 'Update'),
    'dynamodb:BatchGetItem Table [STOCK]',
  ],
  // A stage without a payment provider has no order that is collected.
  'orders-pay': [...USER, ...CATALOG, 'dynamodb:Query Table [ORDER]'],
  'orders-request-invoice': [
    ...USER,
    ...CATALOG,
    's3:GetObject Documents/prescriptions/*',
    ...SANDBOX,
    's3:PutObject Documents/invoices/*',
    ...SENDING,
    'dynamodb:GetItem Table [ORDER LOGIN SOURCE]',
    'dynamodb:Query Table [ORDER INVOICES]',
    'dynamodb:UpdateItem Table [IDS LOGIN SOURCE]',
    CHECK,
    ...on('ORDER OPEN LEDGER USER', 'Put'),
    ...on('INVOICES UNINVOICED', 'Put', 'Delete'),
    ...on('USER', 'Update'),
  ],
  ...Object.fromEntries(catalogRights),
  'products-availability': [...CATALOG, 'dynamodb:Query Table [STOCK]'],
  // Whether the client sees costs.
  'products-detail': [...CATALOG, CLIENT],
  'jobs-sweep-documents': [
    's3:ListBucketVersions Documents',
    's3:DeleteObjectVersion Documents/prescriptions/*',
    'dynamodb:BatchGetItem Table [DOCUMENT]',
    'dynamodb:PutItem Table [DOCUMENT]',
    ...DEAD_LETTERS,
  ],
  'jobs-erase-retained': [
    's3:ListBucketVersions Documents',
    's3:DeleteObjectVersion Documents/prescriptions/*',
    's3:DeleteObjectVersion Documents/invoices/*',
    'dynamodb:Query Table [RETAINED]',
    'dynamodb:GetItem Table [ORDER CLIENT]',
    ...on('ORDER', 'Put'),
    ...on('INVOICES RETAINED', 'Put', 'Delete'),
    ...on('DOCUMENT HASH', 'Delete'),
    ...DEAD_LETTERS,
  ],
  'jobs-run-due-tasks': [
    ...SANDBOX,
    ...files('invoices', 'GetObject', 'PutObject'),
    ...SENDING,
    'dynamodb:Query Table [INVOICES]',
    'dynamodb:GetItem Table [ORDER CLIENT]',
    CHECK,
    ...on('ORDER OPEN LEDGER', 'Put'),
    ...on('INVOICES UNINVOICED', 'Put', 'Delete'),
    'dynamodb:GetItem Table [GLOBAL]',
    ...DEAD_LETTERS,
  ],
  'jobs-issue-globals': [
    ...SANDBOX,
    's3:PutObject Documents/invoices/*',
    'dynamodb:Query Table [GLOBAL UNINVOICED]',
    'dynamodb:GetItem Table [GLOBAL ORDER CLIENT]',
    'dynamodb:BatchGetItem Table [ORDER]',
    CHECK,
    ...on('ORDER OPEN LEDGER GLOBAL', 'Put'),
    ...on('INVOICES UNINVOICED', 'Put', 'Delete'),
    ...DEAD_LETTERS,
  ],
  'jobs-publish-events': [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((action) => `dynamodb:${action} Table`),
    's3:ListBucket Documents',
    's3:PutObject Documents/aws/lambda/*',
    'dynamodb:GetItem Table [FEED]',
    'dynamodb:BatchWriteItem Table [UNPUBLISHED]',
    'dynamodb:PutItem Table [FEED]',
    'dynamodb:UpdateItem Table [FEED ORDER]',
    'dynamodb:Query Table [ORDER STOCK]',
    's3:GetObject Catalog/shortages.json',
    's3:PutObject Catalog/shortages.json',
    's3:ListBucket Catalog',
  ],
  'jobs-deliver-webhooks': [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((action) => `dynamodb:${action} Table`),
    'dynamodb:Query Table [WEBHOOKS FEED QUEUES DELIVERIES]',
    'dynamodb:GetItem Table [SECRET]',
    'dynamodb:BatchGetItem Table [QUEUES FEED]',
    'dynamodb:UpdateItem Table [WEBHOOKS]',
    'dynamodb:BatchWriteItem Table [DELIVERIES]',
    'dynamodb:PutItem Table [QUEUES]',
    'dynamodb:DeleteItem Table [QUEUES]',
    // Links for passwords.
    'dynamodb:Query Table [PASSWORDS]',
    'dynamodb:GetItem Table [CLIENT EMAIL USER]',
    'dynamodb:PutItem Table [LINK]',
    'dynamodb:BatchWriteItem Table [PASSWORDS]',
    ...SENDING,
    ...DEAD_LETTERS,
  ],
  'jobs-record-scan': [
    'dynamodb:GetItem Table [DOCUMENT ORDER CLIENT]',
    'dynamodb:PutItem Table [ORDER OPEN]',
    ...DEAD_LETTERS,
  ],
  'jobs-watch-catalog': [...CATALOG, 's3:ListBucket Catalog', ...DEAD_LETTERS],
};

/** The rights of a function that settles payments, in a stage with a provider. */
const SETTLING = [
  'secretsmanager:GetSecretValue arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:pharmacy/stripe-??????',
  'dynamodb:GetItem Table [ORDER]',
  ...on('ORDER TILL', 'Put'),
  ...on('PAIR OPEN INVOICES UNINVOICED PAYMENTS', 'Put', 'Delete'),
  ...on('COUNT STOCK', 'Update'),
];

describe('the rights of the functions', () => {
  it.each(Object.entries(RIGHTS))('of %s are exactly these', (name, rights) => {
    expect(rightsIn(demonstration, name)).toEqual(sorted([...LOG, ...rights]));
  });

  it.each([
    ['pharmacy', 'arn:AWS::Partition:events:AWS::Region:AWS::AccountId:event-bus/pharmacy'],
    [
      'arn:aws:events:us-east-1:111122223333:event-bus/pharmacy',
      'arn:aws:events:us-east-1:111122223333:event-bus/pharmacy',
    ],
  ])(
    'of jobs-publish-events, in a stage with the event bus %s, are that bus and what it did not take',
    (eventBus, arn) => {
      const own = [
        'dynamodb:Query Table [UNPUBLISHED]',
        'dynamodb:BatchGetItem Table [ORDER]',
        `events:PutEvents ${arn}`,
      ];
      expect(rightsIn(deployedFunctions(stackTemplate({ eventBus }), byName), 'jobs-publish-events')).toEqual(
        sorted([...LOG, ...(RIGHTS['jobs-publish-events'] ?? []), ...own]),
      );
    },
  );

  it.each([
    ['payments-stripe', ['dynamodb:GetItem Table [CLIENT]', 'dynamodb:Query Table [ORDER]']],
    [
      'orders-pay',
      [...(RIGHTS['orders-pay'] ?? []), 'dynamodb:UpdateItem Table [IDS]', ...files('prescriptions', 'GetObject')],
    ],
  ])('of %s, in a stage that collects, are the secret of the provider and what a payment moves', (name, rights) => {
    expect(rightsIn(collected, name)).toEqual(sorted([...LOG, ...SETTLING, ...rights]));
  });

  it('are written down here for every route and job', () => {
    const handlers = new Set([...routes, ...jobs].map(({ handler }) => functionName(handler)));
    expect([...handlers].toSorted()).toEqual(Object.keys(RIGHTS).toSorted());
    expect([...demonstration.keys()].toSorted()).toEqual(Object.keys(RIGHTS).toSorted());
  });

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
    const roles = Object.entries<Json>(template.findResources('AWS::IAM::Role'));
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
    [
      'Reader',
      'what is written or secret',
      /secretsmanager|apigateway|prescriptions|:(Put|Update|Delete|BatchWrite|Send)/,
      [],
    ],
    [
      'Operator',
      'the stack',
      /^(iam|lambda:[^G]|cloudformation:[^DL]|dynamodb:\w+Table )/,
      ['dynamodb:DescribeTable Table'],
    ],
  ])('of a %s: %s', (name, _, pattern, expected) => {
    expect(rightsOf(name).filter((right) => pattern.test(right))).toEqual(expected);
  });
});

describe('the environment of the functions', () => {
  it('names the table only to functions that may use it', () => {
    for (const { environment, statements } of demonstration.values()) {
      const usesTable = statements.some(({ resources }) => resources.includes('Table'));
      expect('TABLE_NAME' in environment).toBe(usesTable);
    }
  });

  it('holds the settings of the stage', () => {
    expect(demonstration.get('orders-create')?.environment).toEqual({
      BUSINESS_TIME_ZONE: 'America/Mexico_City',
      CATALOG_BUCKET: 'Catalog',
      CORS_ORIGINS: 'https://tienda.demo.example',
      CUTOFF_TIME: '14:00',
      DOCUMENTS_BUCKET: 'Documents',
      IMAGE_BASE_URL: 'https://images.demo.example/',
      INVOICING_PROVIDER: 'sandbox',
      ISSUER_LEGAL_NAME: 'FARMACIA DEMO',
      ISSUER_REGIME: '601',
      ISSUER_RFC: 'EKU9003173C9',
      ISSUER_ZIPCODE: '06700',
      IVA_RATE: '0.16',
      MAIL_CONFIGURATION_SET: 'pharmacy-test',
      MAIL_REGION: 'AWS::Region',
      MAIL_SENDER: 'Farmacia Demo <facturas@demo.example>',
      METRICS_NAMESPACE: 'Pharmacy/test',
      SCAN_DOCUMENTS: 'true',
      PURPOSE: 'demonstration',
      SEAL_SECRET_ID: 'SealKeys',
      SHIPPING_IVA_RATE: '0.16',
      TABLE_NAME: 'Table',
      USER_INVOICES_PER_DAY: '10',
      USER_ORDERS_PER_HOUR: '60',
    });
  });

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
