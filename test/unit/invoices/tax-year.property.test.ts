import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomPlan } from '../../support/invoices/year/plans.ts';
import { YearJudge } from '../../support/invoices/year/rules.ts';
import { TaxYear } from '../../support/invoices/year/tax-year.ts';
import { prove, seed, tries } from '../../support/proofs/proof.ts';

const ORDERS_OF_A_YEAR = 50;
const YEARS = tries(6, 800);

describe('the tax documents of a year of random orders', () => {
  it('state what the orders state, and every paid order in exactly one income document', { timeout: 3_600_000 }, () => {
    const counts = new Map<string, number>();
    const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const plans = fc.array(randomPlan, { minLength: ORDERS_OF_A_YEAR, maxLength: ORDERS_OF_A_YEAR });
    fc.assert(
      fc.property(plans, (lives) => {
        const year = new TaxYear(lives);
        const judge = new YearJudge(year);
        year.live(judge.closeMonth);
        expect(judge.closeYear().slice(0, 3)).toEqual([]);
        for (const { cfdi, orderId } of year.authority.documents.values())
          count(orderId === null ? 'global' : `${cfdi.type}`);
      }),
      { numRuns: YEARS, seed: seed(), endOnFailure: true },
    );
    prove({
      check: 'Invoices: documents of a year of random orders, by sums over their XML',
      tries: YEARS * ORDERS_OF_A_YEAR,
      figure: [...counts].map(([kind, number]) => `${number} ${kind}`).join(', '),
    });
  });
});
