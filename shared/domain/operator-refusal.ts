import {
  OPERATOR_REFUSALS,
  type OperatorRefusalName,
  type OperatorRefusalValues,
  type Row,
} from '../messages/operator-refusals.ts';
import { fillIn, type Language, type Text } from '../messages/say.ts';
import { Refusal } from './refusal.ts';

/** Creates a refusal whose reason only operators see. */
export function refusedToOperator<Name extends OperatorRefusalName>(
  name: Name,
  values: OperatorRefusalValues<Name>,
): Refusal {
  const { code = 'move_not_allowed', field, ...texts }: Row = OPERATOR_REFUSALS[name];
  const fallback = texts.en ?? texts.es ?? '';
  const inLanguage = (language: Language) => fillIn(texts[language] ?? fallback, inOneLanguage(values, language));
  const reason: Text = { es: inLanguage('es'), en: inLanguage('en') };
  return new Refusal(code, { reason, field, cause: new Error(reason.en) });
}

type Values = Readonly<Record<string, string | number | Text>>;

const inOneLanguage = (values: Values, language: Language): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[language] : value]),
  );

export const joinTexts = (texts: readonly Text[], separator: string): Text => ({
  es: texts.map(({ es }) => es).join(separator),
  en: texts.map(({ en }) => en).join(separator),
});
