import type { ValidationError } from '../../domain/refusal.ts';
import { fiscalText, foldText } from '../../domain/text.ts';
import type { Message } from '../../messages/messages.ts';
import { REGIMES, type TaxpayerKind, USES } from './sat-tables.ts';

export type ReceiverInput = {
  readonly full_name: string;
  readonly rfc: string;
  readonly fiscal_regime: string;
  readonly cfdi_use: string;
};

/** Returns SAT's errors in the RFC, regime and use (CFDI40157, 40158, 40160, 40161), at most one per field. */
export function validateReceiver(input: ReceiverInput, path: ValidationError['path']): ValidationError[] {
  const kind = taxpayerKind(input.rfc);
  const problems: Record<keyof ReceiverInput, Message | undefined> = {
    full_name: validateName(input.full_name),
    rfc: validateRfc(input.rfc),
    fiscal_regime: validateRegime(input.fiscal_regime, kind),
    cfdi_use: validateUse(input.cfdi_use, input.fiscal_regime, kind),
  };
  return Object.entries(problems).flatMap(([field, problem]) =>
    problem ? [{ path: [...path, field], ...problem }] : [],
  );
}

function validateName(name: string): Message | undefined {
  if (fiscalText(name, 1) === '') return { code: 'blank' };
  return isGeneralPublic(name) ? { code: 'name_of_the_public' } : undefined;
}

// An invoice to "PUBLICO EN GENERAL" is a global one (CFDI40130); no spelling of it is a registered name.
const isGeneralPublic = (name: string): boolean => foldText(name).replace(/[^a-z]/g, '') === 'publicoengeneral';

/** Composed, trimmed, upper case: as it is stored and compared. */
export const normalizeRfc = (rfc: string): string => rfc.normalize('NFC').trim().toUpperCase();

// SAT, tdCFDI.xsd, t_RFC: initials (four for a person, three for a company), a date, and three characters assigned by SAT. The
// last is a check digit, which is not checked because SAT itself has assigned wrong ones.
const RFC = /^([A-ZÑ&]{3,4})(\d{2})(\d{2})(\d{2})[A-Z0-9]{2}[0-9A]$/;
const PERSON_INITIALS = 4;

/** Returns undefined if this is no RFC. */
export function taxpayerKind(rfc: string): TaxpayerKind | undefined {
  const [, initials, year, month, day] = RFC.exec(normalizeRfc(rfc)) ?? [];
  if (initials === undefined || !isDate(Number(year), Number(month), Number(day))) return undefined;
  return initials.length === PERSON_INITIALS ? 'person' : 'company';
}

// The century is unknown; 2000 had a 29 February. An impossible day rolls over into another month.
const isDate = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(2000 + year, month - 1, day)).getUTCMonth() === month - 1;

// The general public and foreigners, only for global invoices.
const GENERIC = ['XAXX010101000', 'XEXX010101000'];

function validateRfc(rfc: string): Message | undefined {
  if (GENERIC.includes(normalizeRfc(rfc))) return { code: 'rfc_generic' };
  return taxpayerKind(rfc) ? undefined : { code: 'not_an_rfc' };
}

function validateRegime(code: string, kind: TaxpayerKind | undefined): Message | undefined {
  if (code === '') return { code: 'required' };
  const regime = findEntry(REGIMES, code);
  if (!regime) return { code: 'regime_unknown', values: { regime: code } };
  if (!kind || regime.kinds.includes(kind)) return undefined;
  return { code: kind === 'person' ? 'regime_of_companies' : 'regime_of_persons', values: { regime: code } };
}

const NOT_OF_A_SALE = ['CP01', 'CN01'];

function validateUse(code: string, regime: string, kind: TaxpayerKind | undefined): Message | undefined {
  if (code === '') return { code: 'required' };
  if (NOT_OF_A_SALE.includes(code)) return { code: 'cfdi_use_not_of_a_sale', values: { use: code } };
  const use = findEntry(USES, code);
  if (!use) return { code: 'cfdi_use_unknown', values: { use: code } };
  if (kind && !use.kinds.includes(kind)) return { code: 'cfdi_use_of_persons', values: { use: code } };
  if (!findEntry(REGIMES, regime) || use.regimes.includes(regime)) return undefined;
  return { code: 'cfdi_use_not_of_regime', values: { use: code, regime, uses: listAllowedUses(regime).join(', ') } };
}

const listAllowedUses = (regime: string): string[] =>
  Object.entries(USES).flatMap(([code, { regimes }]) => (regimes.includes(regime) ? [code] : []));

const findEntry = <Entry>(table: Readonly<Record<string, Entry>>, code: string): Entry | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;
