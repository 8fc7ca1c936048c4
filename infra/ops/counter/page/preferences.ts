import { effect, signal } from '@preact/signals';

export type Language = 'es' | 'en';
export type Theme = 'auto' | 'light' | 'dark';

/** The language of the page: the one chosen before, or else the first of the browser's that the page speaks. */
export const language = signal<Language>(recall('language', ['es', 'en']) ?? preferredLanguage());
/** The colours of the page; `auto` follows the system. */
export const theme = signal<Theme>(recall('theme', ['auto', 'light', 'dark']) ?? 'auto');

effect(() => {
  document.documentElement.lang = language.value;
  localStorage.setItem('language', language.value);
});
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem('theme', theme.value);
});

function recall<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
  return choices.find((choice) => choice === localStorage.getItem(name));
}

function preferredLanguage(): Language {
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  return spoken.find((tag): tag is Language => tag === 'es' || tag === 'en') ?? 'es';
}
