import { defineTexts } from '../text.ts';

export const UI_TEXTS = defineTexts({
  close: { es: 'Cerrar', en: 'Close' },
  shortcuts: { es: 'Atajos de teclado', en: 'Keyboard shortcuts' },
  shortcutKey: { es: 'Tecla', en: 'Key' },
  shortcutAction: { es: 'Qué hace', en: 'What it does' },
  showShortcuts: { es: 'Mostrar los atajos', en: 'Show the shortcuts' },
  failed: { es: 'Algo falló en la página: {reason}', en: 'Something failed in the page: {reason}' },
  retry: { es: 'Intentar de nuevo', en: 'Try again' },
});
