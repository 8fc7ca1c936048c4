import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../../shared/domain/money.ts';
import {
  computeConcept,
  computeTotals,
  type FiscalDocument,
  type GlobalSale,
  type Invoice,
} from '../../../shared/invoices/rules/build/cfdi.ts';
import { buildComplement, buildCreditNote } from '../../../shared/invoices/rules/build/parts-of-invoice.ts';
import { writeCfdi } from '../../../shared/invoices/sandbox/cfdi.ts';
import { sampleGlobal } from '../../support/invoices/sample-documents.ts';
import { brokenRules } from '../../support/invoices/sat/matrix.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { tries } from '../../support/proofs/proof.ts';
import { invoiceOfSold, sandboxDocument } from './sandbox-orders.ts';

const sold = fc.record({
  unitPriceCents: fc.integer({ min: 1, max: 500_000 }),
  quantity: fc.integer({ min: 1, max: 12 }),
  hasIva: fc.boolean(),
  name: fc.string({ unit: 'binary', maxLength: 30 }),
});
const basket = fc.array(sold, { minLength: 1, maxLength: 8 });

const UUID = '39C85A3F-275B-4341-B259-E8971D9F8A94';
const write = (document: FiscalDocument): string => writeCfdi(sandboxDocument(document));
// SAT's t_Descripcion and t_Nombre: no blanks at the ends, no `|`.
const TEXT = /^(?! )[^|\n\t]{1,1000}(?<! )$/u;
const faultsOf = (document: FiscalDocument): string[] => brokenRules(write(document));

/** Makes a sale of each concept; an order of one rate is enough to sum up. */
const toSales = ({ concepts }: Invoice): GlobalSale[] =>
  concepts.map((concept, index) => {
    const { baseMicros, ivaMicros } = computeConcept(concept);
    const tax = { rateMicros: concept.ivaRateMicros, baseMicros, ivaMicros };
    return { folio: `RX-${index}`, amountMicros: baseMicros, taxes: [tax] };
  });

describe('the XML of the sandbox, for random orders', () => {
  it('keeps SAT’s rules, and has the total of the order', () => {
    fc.assert(
      fc.property(basket, fc.string({ unit: 'binary' }), (lines, name) => {
        const invoice = invoiceOfSold(lines, `A${name}`);
        const elements = elementsOf(write(invoice));
        const [root] = elementsAt(elements, 'cfdi:Comprobante');
        expect(faultsOf(invoice)).toEqual([]);
        for (const { Nombre, Descripcion } of elements.map(({ attributes }) => attributes))
          expect(Nombre ?? Descripcion ?? 'none').toMatch(TEXT);
        expect(root?.Total).toBe((invoice.totalCents / 100).toFixed(2));
      }),
      { numRuns: tries(60, 1_000) },
    );
  });

  it('keeps them for its payment, a credit note of a part of it, and a global invoice', () => {
    fc.assert(
      fc.property(basket, fc.integer({ min: 1, max: 100 }), (lines, percent) => {
        const invoice = invoiceOfSold(lines);
        const { totalCents } = invoice;
        const groups = computeTotals(invoice.concepts).ivaGroups;
        const shares = groups.map(({ rateMicros, baseCents, ivaCents }) => ({
          rateMicros,
          cents: baseCents + ivaCents,
        }));
        const amounts = allocate(
          Math.ceil((totalCents * percent) / 100),
          shares.map(({ cents }) => cents),
        );
        const paid = { shares, paymentForm: '03', paidAt: '2026-11-21T23:00:00.000Z' };
        const part = shares.map((share, index) => ({ ...share, cents: amounts[index] ?? 0 }));
        const credited = { shares: part.filter(({ cents }) => cents > 0), paymentForm: '03' };
        const documents = [
          buildComplement({ ...paid, invoice, stamp: { uuid: UUID, series: '', folio: '7' } }),
          buildCreditNote({ ...credited, invoice, uuid: UUID, orderId: 7, reason: '' }),
          sampleGlobal({ sales: toSales(invoice) }),
        ];
        expect(documents.flatMap(faultsOf)).toEqual([]);
      }),
      { numRuns: tries(40, 1_000) },
    );
  });
});
