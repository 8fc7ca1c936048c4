import { listClients } from '../../../shared/access/clients.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { TO_FILL_IN } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { lastId } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import type { Context } from '../context.ts';
import { setting } from '../errors.ts';
import { countText, printable } from '../output.ts';
import { askCallerArn } from '../target.ts';
import { type Access, apiChecks, readAccess } from './api.ts';
import { type Check, type CheckResult, type Finding, runChecks } from './check.ts';
import { dataChecks } from './data.ts';
import { mailChecks, stackChecks } from './stack.ts';

const STATE_WIDTH = 9;

export async function examine(
  access: { readonly key: boolean; readonly email?: string | undefined },
  context: Context,
) {
  const { isLocal } = context;
  const url = setting('API_URL');
  if (isLocal) await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
  const checks = await runChecks(makeChecks(await readAccess(access, context)), isLocal);
  const opening = listSteps(checks);
  return {
    document: { checks, opening },
    text: `${checks.map(checkLine).join('')}Before opening:\n${opening.map(stepLine).join('')}`,
    failure: checks.some(({ state }) => state === 'failed') ? '' : undefined,
  };
}

export const makeChecks = (access: Access): Check[] => [
  accountCheck,
  ...dataChecks(),
  ...mailChecks(),
  ...apiChecks(access),
  ...openingChecks(),
  ...stackChecks(),
];

const accountCheck: Check = {
  name: 'account',
  needs: ['STACK_ACCOUNT'],
  isOfStage: true,
  remedy: 'Take credentials of the account of the stage, or name the outputs of another stage with --outputs.',
  look: async (expected) => {
    // arn:partition:service:region:account:resource
    const account = (await askCallerArn()).split(':')[4];
    if (account === expected) return ['ok', expected];
    return ['failed', `The credentials are of account ${account}, the stage is in ${expected}.`];
  },
};

const checkLine = ({ check, state, finding, remedy }: CheckResult): string =>
  `${state.padEnd(STATE_WIDTH)}${check}: ${printable(finding)}${remedy === null ? '' : ` ${remedy}`}\n`;

const GUIDE = 'infra/cloud/README.md';

/** The steps before a shop opens, in order, each with the check that tells whether it is done and the command or guide for it. */
const STEPS: readonly (readonly [step: string, check: string, by: string])[] = [
  ['Publish a catalog with products that can be bought', 'catalog', 'catalog publish <folder>'],
  ['Say where orders are collected or delivered', 'deliveries', 'catalog init <folder>, then catalog publish <folder>'],
  ['Confirm the mails to the alarm address', 'alarm subscriptions', `the link in each mail (${GUIDE}, step 9)`],
  ['Verify the sender of the mails', 'mail sender', `${GUIDE}, step 9`],
  ['Get production access to SES', 'mail sending', `${GUIDE}, step 4`],
  ["Issue invoices by the provider's key, with SAT's certificate (CSD)", "provider's key", `${GUIDE}, step 5`],
  ['Collect payments by their provider, if there is one', 'payment provider', `${GUIDE}, "Connect Stripe"`],
  ['Register a client that may pay in some way', 'clients', 'clients create, or clients update --payment-methods'],
  ['Give it a key', 'usage plan', 'clients rotate-key <client>'],
  ['Register its users', 'users', 'users create'],
];

/** Steps whose check was skipped are left out: the installation has none of them. */
export const listSteps = (results: readonly CheckResult[]) =>
  STEPS.flatMap(([step, check, by]) => {
    const state = results.find((each) => each.check === check)?.state ?? 'skipped';
    return state === 'skipped' ? [] : [{ step, check, done: state === 'ok', by }];
  });

const stepLine = ({ step, done, by }: ReturnType<typeof listSteps>[number]): string =>
  done ? `done     ${step}\n` : `to do    ${step}: ${by}\n`;

/** The checks of what its owner enters. Without it, a new stage is sound, and nobody can order. */
const openingChecks = (): Check[] => [
  {
    name: 'deliveries',
    needs: ['CATALOG_BUCKET'],
    remedy: 'Fill in stores.jsonl and shipping_rates.jsonl of the catalog folder, and publish it.',
    look: () => withPublishedCatalog(checkDeliveries),
  },
  {
    name: 'clients',
    needs: ['CATALOG_BUCKET', 'TABLE_NAME'],
    remedy: 'Register one: clients create. For its ways to pay: clients update <client> --payment-methods <id,id>.',
    look: checkClients,
  },
  {
    name: 'users',
    needs: ['TABLE_NAME'],
    remedy: 'Register those who order: users create.',
    look: async () =>
      (await lastId(openTable(), 'record')) > 0 ? ['ok', 'registered'] : ['warning', 'Nobody can log in.'],
  },
];

function checkDeliveries(catalog: Catalog): Finding {
  const stores = catalog.stores();
  const blank = stores.find((store) => Object.values(store).includes(TO_FILL_IN));
  const rates = catalog.shippingRates(process.env.ISSUER_ZIPCODE ?? '').length;
  if (blank) return ['warning', `Store ${blank.id} has fields that are to be filled in.`];
  if (rates > 0) return ['ok', `${countText(stores.length, 'store')}, and deliveries to the issuer's zip code`];
  return ['warning', `${countText(stores.length, 'store')}, and no delivery to the issuer's zip code.`];
}

async function checkClients(): Promise<Finding> {
  const clients = (await listClients(openTable())).filter(({ disabledAt }) => disabledAt === null);
  const ids = clients.flatMap(({ paymentMethods }) => paymentMethods);
  const isPublished = await withPublishedCatalog((catalog) => ids.some((id) => catalog.paymentMethod(id)));
  if (isPublished) return ['ok', countText(clients.length, 'client')];
  return ['warning', `${countText(clients.length, 'client')}, and none with a payment method of the catalog.`];
}
