import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  DataRefused,
  type DocumentReference,
  type InvoicingProvider,
  OutcomeUnknown,
  ProviderUnavailable,
} from '../../../shared/invoices/provider.ts';
import type { Invoice } from '../../../shared/invoices/rules/build/cfdi.ts';
import { buildInvoice, type InvoicedLine } from '../../../shared/invoices/rules/build/invoice.ts';
import { NO_SALE, sampleCredit, sampleGlobal, samplePayment } from './tax-documents.ts';

type ProviderUnderTest = {
  /** Returns a new adapter without any memory of earlier calls, as in a new process. */
  open(): InvoicingProvider;
  /** Returns the number of invoices that the provider has for an idempotency key. */
  countOf(key: string): Promise<number>;
};

const receiver = {
  legalName: 'ANA MUÑOZ & HIJOS',
  rfc: 'MUPA800101AB1',
  fiscalRegime: '612',
  cfdiUse: 'G03',
  zipcode: '06700',
};

/** Every provider refuses this zip code, because it does not exist. */
const REFUSED_ZIPCODE = '00000';

const IVA = 160_000;

type Figures = Pick<InvoicedLine, 'quantity' | 'priceCents' | 'discountCents' | 'ivaRateMicros'>;

const line = (name: string, figures: Figures): InvoicedLine => ({
  name,
  presentation: 'caja',
  eanKey: '7509999000017',
  satKey: '51142001',
  satUnit: 'H87',
  ...figures,
});

/** Returns an invoice of 819.84: 171.00, 249.99 and 339.99 less 10 %, IVA on the last two, and 50.00 of shipping. */
export const sampleInvoice = (): Invoice =>
  buildInvoice({
    receiver,
    paymentStatus: 'unpaid',
    paymentMethod: { sat_payment_form: '03' },
    paymentForm: null,
    shippingPriceCents: 9_900,
    shippingDiscountCents: 4_900,
    shippingIvaRateMicros: IVA,
    store: null,
    totalCents: 81_984,
    lines: [
      line('Paracetamol', { quantity: 2, priceCents: 8_550, discountCents: 1_710, ivaRateMicros: 0 }),
      line('Protector <solar> "50+"', { quantity: 1, priceCents: 24_999, discountCents: 2_500, ivaRateMicros: IVA }),
      line('Termómetro', { quantity: 3, priceCents: 11_333, discountCents: 3_400, ivaRateMicros: IVA }),
    ],
  });

/** Returns a reference that no other test uses. */
export const newReference = (): DocumentReference => ({ key: `order-1042-${randomUUID()}`, folio: 'RX-00001042' });

const inTime = () => AbortSignal.timeout(10_000);
const tooLate = () => AbortSignal.abort(new DOMException('past its deadline', 'TimeoutError'));
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

/** Declares the tests that every provider must pass. */
export function providerSuite(name: string, provider: ProviderUnderTest): void {
  describe(`${name}, as an invoicing provider`, () => {
    const open = () => provider.open();

    it.each([
      ['invoice', sampleInvoice(), 81_984],
      ['payment complement', samplePayment(), 81_984],
      ['credit note', sampleCredit(), 10_800],
      ['global invoice', sampleGlobal(), 20_801],
    ])(
      'issues a %s once, finds it, hands out its files, and cancels it as often as it is asked to',
      async (_, document, totalCents) => {
        const reference = newReference();
        const issued = await open().issue(document, reference, inTime());
        expect(issued).toEqual({
          ...{ id: expect.stringMatching(/^[\w-]{1,30}$/), status: 'valid', cancellation: 'none', totalCents },
          stamp: {
            uuid: expect.stringMatching(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i),
            series: expect.any(String),
            folio: expect.stringMatching(/./),
            at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          },
          isLive: expect.any(Boolean),
        });
        expect(await open().issue(document, reference, inTime())).toEqual(issued);
        expect(await open().find(reference.key, inTime())).toEqual(issued);
        expect(await provider.countOf(reference.key)).toBe(1);
        const { pdf, xml } = await open().files(issued.id, inTime());
        expect(Buffer.from(pdf).toString('latin1', 0, 5)).toBe('%PDF-');
        expect(Buffer.from(xml).toString()).toContain('<cfdi:Comprobante');
        expect(await open().receipt(issued.id, inTime())).toBeUndefined();
        const cancelled = { ...issued, status: 'cancelled', cancellation: 'accepted' };
        expect(await open().cancel(issued.id, NO_SALE, inTime())).toEqual(cancelled);
        expect(await open().cancel(issued.id, NO_SALE, inTime())).toEqual(cancelled);
        expect(await open().find(reference.key, inTime())).toEqual(cancelled);
        const receipt = Buffer.from((await open().receipt(issued.id, inTime())) ?? '').toString();
        expect(receipt).toContain(`<UUID>${issued.stamp?.uuid}</UUID>`);
      },
    );

    it('cancels an invoice that another one replaces, with motive 01', async () => {
      const replaced = await open().issue(sampleInvoice(), newReference(), inTime());
      const replacesUuid = replaced.stamp?.uuid ?? '';
      const { stamp } = await open().issue({ ...sampleInvoice(), replacesUuid }, newReference(), inTime());
      const cancellation = { motive: '01', substitution: stamp?.uuid ?? '' } as const;
      expect(await open().cancel(replaced.id, cancellation, inTime())).toMatchObject({ status: 'cancelled' });
    });

    it('refuses a receiver that SAT does not know, names the field, and issues nothing', async () => {
      const reference = newReference();
      const invoice = { ...sampleInvoice(), receiver: { ...receiver, zipcode: REFUSED_ZIPCODE } };
      const refused = await failure(open().issue(invoice, reference, inTime()));
      expect(refused).toBeInstanceOf(DataRefused);
      expect(refused).toMatchObject({ errors: [{ field: 'zipcode' }] });
      expect(await open().find(reference.key, inTime())).toBeUndefined();
    });

    it('is unavailable past the deadline of its caller, when an issuing may have happened', async () => {
      const late = await failure(open().issue(sampleInvoice(), newReference(), tooLate()));
      expect([OutcomeUnknown, ProviderUnavailable]).toContain((late as object).constructor);
      const reference = newReference();
      const { id } = await open().issue(sampleInvoice(), reference, inTime());
      await expect(open().find(reference.key, tooLate())).rejects.toThrow(ProviderUnavailable);
      await expect(open().files(id, tooLate())).rejects.toThrow(ProviderUnavailable);
      await expect(open().receipt(id, tooLate())).rejects.toThrow(ProviderUnavailable);
      await expect(open().cancel(id, NO_SALE, tooLate())).rejects.toThrow(ProviderUnavailable);
    });
  });
}
