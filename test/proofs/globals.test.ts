import { expect, it } from 'vitest';
import { issueGlobal } from '../../shared/invoices/global/issue-globals.ts';
import type { InvoicingProvider } from '../../shared/invoices/provider.ts';
import { openTable, type Table, type Write } from '../../shared/store/table.ts';
import {
  by,
  countGlobals,
  globalDeps,
  issuingBy,
  paid,
  partsOf,
  provider,
  useGlobalWorld,
} from '../support/invoices/global-world.ts';
import { isFull, prove, tries } from '../support/proofs/proof.ts';

/*
 * Ends the issuing of a global invoice before and after each of its writes and each call of the provider, and then issues it again.
 * Each order must stand in exactly one issued part, and the provider must have made no other document.
 */

useGlobalWorld();

class Crash extends Error {}

/** Throws Crash before or after the step of this number, and at every step from then on. */
function crashingAt(step: number, moment: 'before' | 'after') {
  let steps = 0;
  const keys = new Set<string>();
  const run = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    steps += 1;
    if (steps > step || (steps === step && moment === 'before')) throw new Crash();
    const answer = await work();
    if (steps === step) throw new Crash();
    return answer;
  };
  const table: Table = openTable();
  const transact = table.tryTransact.bind(table);
  Object.assign(table, { tryTransact: (writes: readonly Write[]) => run(() => transact(writes)) });
  const invoicing: InvoicingProvider = issuingBy((document, reference, signal) => {
    keys.add(reference.key);
    return run(() => provider.issue(document, reference, signal));
  });
  return { table, invoicing, keys, steps: () => steps };
}

const LAST = Number.POSITIVE_INFINITY;
let months = 0;

/** Issues a month of five orders in parts of two, with a crash. Returns the number of broken rules and of steps. */
async function issueWithCrash(step: number, moment: 'before' | 'after') {
  const period = `${2030 + Math.floor(months / 12)}-${String((months++ % 12) + 1).padStart(2, '0')}`;
  const orders = [];
  for (let count = 0; count < 5; count++) orders.push(await paid(`${period}-10T18:00:00.000Z`));
  const crashing = crashingAt(step, moment);
  const now = by(`${Number(period.slice(0, 4)) + 1}-02-01T12:00:00.000Z`);
  const broken = { table: crashing.table, invoicing: () => crashing.invoicing, salesPerPart: 2 };
  await issueGlobal(period, now, globalDeps(broken)).catch(() => undefined);
  const used = new Set(crashing.keys);
  const counting = issuingBy((document, reference, signal) => {
    used.add(reference.key);
    return provider.issue(document, reference, signal);
  });
  await issueGlobal(period, now, globalDeps({ salesPerPart: 2, invoicing: () => counting }));
  const counts = await countGlobals(period);
  const known = new Set((await partsOf(period)).map(({ key }) => key));
  const lost = orders.filter(({ id }) => counts.get(id) !== 1).length;
  const strays = [...used].filter((key) => !known.has(key)).length;
  return { lost: lost + strays, steps: crashing.steps() };
}

it('a global invoice that is cut off at any step has each order once after the next run', {
  timeout: 3_600_000,
}, async () => {
  const { steps, lost: lostAtRest } = await issueWithCrash(LAST, 'after');
  // Three parts: each begins, is fixed, issued, recorded and copied, and five orders are marked.
  expect(steps).toBe(20);
  let lost = lostAtRest;
  let faults = 0;
  for (let step = 1; step <= steps; step += isFull() ? 1 : 5) {
    for (const moment of ['before', 'after'] as const) {
      lost += (await issueWithCrash(step, moment)).lost;
      faults += 1;
    }
  }
  prove({ check: 'global invoice: cut off at each step', tries: tries(faults + 1, 2 * steps + 1), faults, lost });
});
