import type { DocumentMessage } from '../../../shared/invoices/document-mail.ts';

/** Returns the mail of an invoice of 819.84, with other values where they are given. */
export const documentMail = (changes: Partial<DocumentMessage> = {}): DocumentMessage => ({
  to: 'ana.munoz@demo.example',
  subject: 'invoice',
  folio: 'RX-00000012',
  fileName: 'factura-F-12',
  uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
  substituteUuid: null,
  amountCents: 81_984,
  reference: 'order-12-a',
  sellerName: 'Botica',
  sender: { name: 'Botica', address: 'facturas@botica.example' },
  files: { pdf: Buffer.from('%PDF-1.4\nñ'), xml: Buffer.from('<cfdi:Comprobante/>') },
  ...changes,
});
