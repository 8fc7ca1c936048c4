import { defineTexts } from '../text.ts';

export const CATALOG_TEXTS = defineTexts({
  title: { es: 'Catálogo', en: 'Catalog' },
});
