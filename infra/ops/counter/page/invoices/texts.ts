import { defineTexts } from '../text.ts';

export const INVOICES_TEXTS = defineTexts({
  title: { es: 'Facturas', en: 'Invoices' },
});
