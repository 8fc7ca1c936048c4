import { defineTexts } from '../text.ts';

export const PICTURES_TEXTS = defineTexts({
  title: { es: 'Gráficas', en: 'Pictures' },
});
