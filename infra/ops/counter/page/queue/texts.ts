import { defineTexts } from '../text.ts';

export const QUEUE_TEXTS = defineTexts({
  title: { es: 'Cola', en: 'Queue' },
});
