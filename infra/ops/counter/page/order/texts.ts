import { defineTexts } from '../text.ts';

export const ORDER_TEXTS = defineTexts({
  title: { es: 'Orden {id}', en: 'Order {id}' },
});
