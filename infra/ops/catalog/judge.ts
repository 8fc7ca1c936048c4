import {
  type Danger,
  findDangers,
  findForgottenProducts,
  findLostProducts,
  findUnratedMethods,
} from '../../../shared/catalog/compare/dangers.ts';
import type { ComparedVersions } from '../../../shared/catalog/publish/compare-versions.ts';
import type { Comparison } from '../../../shared/catalog/publish/comparison.ts';
import { listClients } from '../../../shared/store/access/clients.ts';
import { openTable } from '../../../shared/store/table.ts';

/** Returns why a difference is published with `--accept` only. */
export async function judgeDifference({ difference, offered, unrated, lost = [] }: Comparison): Promise<Danger[]> {
  // The table is asked only if it matters, as a catalog can be compared without one.
  const isAsked = difference.kinds.payment_methods.removed.length > 0;
  const payment_methods = isAsked ? await clientPaymentMethods() : new Set<number>();
  const dangers = findDangers(difference, { ...offered, payment_methods });
  return [...dangers, ...findUnratedMethods(unrated), ...findLostProducts(lost)];
}

/** Returns why one goes from a version to another with `--accept` only. */
export const judgeVersions = async ({ forgotten, ...comparison }: ComparedVersions): Promise<Danger[]> => [
  ...(await judgeDifference(comparison)),
  ...findForgottenProducts(forgotten),
];

async function clientPaymentMethods(): Promise<Set<number>> {
  const clients = await listClients(openTable());
  return new Set(clients.flatMap(({ paymentMethods }) => paymentMethods));
}

/** Returns a line for each danger. */
export const dangersText = (dangers: readonly Danger[]): string =>
  dangers.map(({ message }) => `- ${message}\n`).join('');
