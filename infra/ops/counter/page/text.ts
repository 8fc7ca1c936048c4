import { language } from './preferences.ts';

/** A text in both languages. `{name}` stands for a value. */
export type Text = { readonly es: string; readonly en: string };
export type Values = Readonly<Record<string, string | number>>;

/** Declares the texts of a room. The type holds that each has both languages. */
export const defineTexts = <Name extends string>(texts: Readonly<Record<Name, Text>>): Readonly<Record<Name, Text>> =>
  texts;

/** Returns a text in the chosen language, filled in. A component that calls it is drawn anew when the language changes. */
export const translate = (text: Text, values: Values = {}): string =>
  text[language.value].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
