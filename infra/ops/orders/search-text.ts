import { parseFolio } from '../../../shared/domain/order.ts';
import { parsePhone } from '../../../shared/domain/person.ts';
import { splitSearch } from '../../../shared/domain/text.ts';
import { emailAddress } from '../input.ts';

/** A text that somebody types to find an order, by its kind. */
export type SearchText =
  | { readonly by: 'folio'; readonly id: number }
  | { readonly by: 'email'; readonly email: string }
  | { readonly by: 'phone'; readonly phone: string }
  | { readonly by: 'name'; readonly words: readonly string[] };

// The shop's customers write ten digits, or these with the country's code.
const MEXICAN_DIGITS = /^(?:52)?(\d{10})$/;
const SEPARATORS = /[ .()-]/g;

/** Recognises a folio or an id, an e-mail, or a phone; any other text is the name of a patient. */
export function recognizeSearch(text: string): SearchText {
  const written = text.trim();
  const phone = recognizePhone(written);
  if (phone !== undefined) return { by: 'phone', phone };
  const id = parseFolio(written);
  if (id !== undefined) return { by: 'folio', id };
  const { data: email } = emailAddress.safeParse(written);
  return email === undefined ? { by: 'name', words: splitSearch(written) } : { by: 'email', email };
}

function recognizePhone(written: string): string | undefined {
  const [, national] = MEXICAN_DIGITS.exec(written.replace(SEPARATORS, '')) ?? [];
  return parsePhone(national === undefined ? written : `+52${national}`)?.e164;
}
