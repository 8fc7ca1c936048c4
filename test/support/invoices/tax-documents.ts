import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';

/** Returns a requested invoice of 136.00, paid at once by transfer, with other values where they are given. */
export const taxDocument = (changes: Partial<TaxDocument> = {}): TaxDocument => ({
  kind: 'invoice',
  status: 'requested',
  key: 'order-7-a',
  providerId: '',
  stamp: null,
  amountCents: 13_600,
  paymentMethod: 'PUE',
  paymentForm: '03',
  relatedUuid: null,
  cancellation: null,
  requestedAt: '2026-01-02T18:00:00.000Z',
  issuedAt: null,
  reason: null,
  mail: null,
  kept: [],
  handled: [],
  tasks: {},
  ...changes,
});

/** The cancellation of the invoice of a sale that did not take place. */
export const NO_SALE = { motive: '03', substitution: null } as const;

/** A provider's answer about a stamped document. */
export const ISSUED = {
  id: '58e93bd8e86eb318b0197456',
  stamp: {
    uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
    series: 'F',
    folio: '914',
    at: '2026-11-23T18:00:00.000Z',
  },
  totalCents: 13_600,
} as const;
