import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeDocumentMail } from '../../../shared/invoices/document-mail.ts';
import { expectHarmlessMail } from '../../support/hostile/harmless-mail.ts';
import { hostileText } from '../../support/hostile/hostile-texts.ts';
import { documentMail } from '../../support/invoices/document-mail.ts';
import { tries } from '../../support/proofs/proof.ts';

const RECEIVER = 'ana@demo.example';
const SENDER = { name: 'Botica', address: 'facturas@botica.example' };
const RUNS = tries(60, 1_500);

type Words = { readonly to: string; readonly folio: string; readonly sellerName: string };
const compose = (words: Words) => composeDocumentMail(documentMail({ ...words, sender: SENDER }));

describe('hostile texts', () => {
  it('in folio and seller add no header, no recipient and no markup', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (folio, sellerName) => {
        const raw = await compose({ to: RECEIVER, folio, sellerName });
        await expectHarmlessMail(raw, { from: SENDER, to: RECEIVER });
      }),
      { numRuns: RUNS },
    );
  });

  it('as an address are refused, or are one address', { timeout: 3_600_000 }, async () => {
    const address = fc.oneof(
      hostileText,
      fc.tuple(hostileText, fc.constantFrom('@', ''), hostileText).map((parts) => parts.join('')),
      fc.tuple(fc.constant(RECEIVER), hostileText).map((parts) => parts.join('')),
      fc.emailAddress(),
    );
    let composed = 0;
    await fc.assert(
      fc.asyncProperty(address, async (to) => {
        const made = await compose({ to, folio: 'RX-1', sellerName: 'Botica' }).catch((error: unknown) => error);
        if (!(made instanceof Uint8Array)) {
          expect(made).toBeInstanceOf(RangeError);
          return;
        }
        composed += 1;
        await expectHarmlessMail(made, { from: SENDER, to });
      }),
      { numRuns: RUNS },
    );
    expect(composed).toBeGreaterThan(RUNS / 15);
  });
});
