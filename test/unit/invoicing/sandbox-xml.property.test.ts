import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeInvoiceXml } from '../../../shared/invoicing/sandbox/xml.ts';
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { tries } from '../../support/proofs/proof.ts';
import { invoiceOfSold, sandboxDocument } from './sandbox-orders.ts';

/** Parses a decimal of at most six places into millionths. */
function micros(written: string | undefined): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)\.(\d{2,6})$/.exec(written ?? '') ?? [];
  if (whole === '') throw new Error(`no amount: ${written}`);
  return BigInt(whole + fraction.padEnd(6, '0'));
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const toTheCent = (amount: bigint): bigint => ((amount + 5_000n) / 10_000n) * 10_000n;

const sold = fc.record({
  unitPriceCents: fc.integer({ min: 1, max: 500_000 }),
  quantity: fc.integer({ min: 1, max: 12 }),
  hasIva: fc.boolean(),
  name: fc.string({ unit: 'binary', maxLength: 30 }),
});

describe('the XML of the sandbox, for random orders', () => {
  it('is well formed, and its sums are those of its concepts, rounded once (SAT, CFDI40108, 40110, 40119, 40205, 40221)', () => {
    fc.assert(
      fc.property(fc.array(sold, { minLength: 1, maxLength: 8 }), fc.string({ unit: 'binary' }), (lines, name) => {
        const invoice = invoiceOfSold(lines, name);
        const elements = elementsOf(writeInvoiceXml(sandboxDocument(invoice)));
        const [root = {}] = elementsAt(elements, 'cfdi:Comprobante');
        const concepts = elementsAt(elements, 'cfdi:Concepto');
        const taxes = elementsAt(elements, 'cfdi:Concepto > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado');
        const summary = elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos > cfdi:Traslados > cfdi:Traslado');
        const [total = {}] = elementsAt(elements, 'cfdi:Comprobante > cfdi:Impuestos');
        const iva = micros(total.TotalImpuestosTrasladados);

        expect(micros(root.SubTotal)).toBe(toTheCent(sum(concepts.map(({ Importe }) => micros(Importe)))));
        expect(micros(root.Descuento)).toBe(sum(concepts.map(({ Descuento }) => micros(Descuento))));
        for (const { TasaOCuota: rate, Base, Importe } of summary) {
          const group = taxes.filter(({ TasaOCuota }) => TasaOCuota === rate);
          expect(micros(Base)).toBe(toTheCent(sum(group.map((tax) => micros(tax.Base)))));
          expect(micros(Importe)).toBe(toTheCent(sum(group.map((tax) => micros(tax.Importe)))));
        }
        expect(iva).toBe(sum(summary.map(({ Importe }) => micros(Importe))));
        expect(micros(root.Total)).toBe(micros(root.SubTotal) - micros(root.Descuento) + iva);
        expect(micros(root.Total)).toBe(BigInt(invoice.totalCents) * 10_000n);
      }),
      { numRuns: tries(150, 1_000) },
    );
  });
});
