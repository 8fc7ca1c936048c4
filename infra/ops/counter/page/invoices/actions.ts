import { type DocumentOf, runCommand } from '../call.ts';
import { INVOICES_TEXTS } from './texts.ts';

type Invoice = DocumentOf<'invoices-list'>['invoices'][number];
export type InvoiceActionName = Invoice['advice'][number]['commands'][number];
/** An action that a person has chosen, and the order whose invoice it is for. */
export type ChosenAction = { readonly action: InvoiceActionName; readonly order: number };

/** Returns what may be done about an invoice, each once. */
export const listActions = ({ advice }: Invoice): InvoiceActionName[] => [
  ...new Set(advice.flatMap(({ commands }) => commands)),
];

/** The corrections of a receiver, by the keys of `invoices replace`; what is empty stays. */
export const CORRECTED = ['rfc', 'fullName', 'fiscalRegime', 'cfdiUse', 'zipcode', 'email'] as const;
export type Corrections = Readonly<Partial<Record<(typeof CORRECTED)[number], string>>>;

type Asked = ChosenAction & { readonly version: number; readonly corrections: Corrections };

/** Does it, to the version of the order that was looked at. Throws a CallError. */
export async function runAction({ action, order: orderId, version, corrections }: Asked): Promise<void> {
  const input = { orderId, version };
  if (action === 'replace') await runCommand('invoices-replace', { ...input, ...keepFilled(corrections) });
  else await runCommand(`invoices-${action}`, input);
}

const keepFilled = (corrections: Corrections): Corrections =>
  Object.fromEntries(Object.entries(corrections).filter(([, value]) => value.trim() !== ''));

export const MEANINGS = {
  issue: INVOICES_TEXTS.issueMeaning,
  cancel: INVOICES_TEXTS.cancelMeaning,
  replace: INVOICES_TEXTS.replaceMeaning,
  resend: INVOICES_TEXTS.resendMeaning,
  handled: INVOICES_TEXTS.handledMeaning,
} as const;
