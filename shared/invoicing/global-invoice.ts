import type { GlobalInvoice, InvoiceReceiver } from '../domain/invoices/content/cfdi.ts';

/**
 * Returns the receiver of a global invoice and of its credit notes; its zip code is that of the place of issue (guide of the
 * global CFDI, pages 14, 15 and 29).
 */
export const toPublicReceiver = ({ expeditionZipcode }: Pick<GlobalInvoice, 'expeditionZipcode'>): InvoiceReceiver => ({
  legalName: 'PUBLICO EN GENERAL',
  rfc: 'XAXX010101000',
  fiscalRegime: '616',
  cfdiUse: 'S01',
  zipcode: expeditionZipcode,
});

/** The description of every sale of a global invoice (the same guide, pages 15 and 16). */
export const GLOBAL_SALE = { productKey: '01010101', unitKey: 'ACT', description: 'Venta' } as const;
