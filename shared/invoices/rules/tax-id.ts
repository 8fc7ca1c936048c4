import type { ValidationError } from '../../domain/refusal.ts';
import { fiscalText, foldText } from '../../domain/text.ts';
import type { Message } from '../../messages/messages.ts';
import { REGIMES, type TaxpayerKind, USES } from './sat-tables.ts';

/** The tax data of a receiver, in the interface's names. */
export type ReceiverInput = {
  readonly full_name: string;
  readonly rfc: string;
  readonly fiscal_regime: string;
  readonly cfdi_use: string;
};

/**
 * Returns the errors that SAT would find without its records: the form of the RFC, and regime and use by SAT's catalogs and
 * their combinations (error matrix of CFDI 4.0: CFDI40157, 40158, 40160, 40161). At most one error per field.
 */
export function validateReceiver(input: ReceiverInput, path: ValidationError['path']): ValidationError[] {
  const kind = taxpayerKind(input.rfc);
  const problems: Record<keyof ReceiverInput, Message | undefined> = {
    full_name: nameProblem(input.full_name),
    rfc: rfcProblem(input.rfc),
    fiscal_regime: regimeProblem(input.fiscal_regime, kind),
    cfdi_use: useProblem(input.cfdi_use, input.fiscal_regime, kind),
  };
  return Object.entries(problems).flatMap(([field, problem]) =>
    problem ? [{ path: [...path, field], ...problem }] : [],
  );
}

function nameProblem(name: string): Message | undefined {
  if (fiscalText(name, 1) === '') return { code: 'blank' };
  return isGeneralPublic(name) ? { code: 'name_of_the_public' } : undefined;
}

// An invoice to "PUBLICO EN GENERAL" is a global one (CFDI40130). However it is written, it is nobody's registered name.
const isGeneralPublic = (name: string): boolean => foldText(name).replace(/[^a-z]/g, '') === 'publicoengeneral';

/** Returns an RFC in the form in which it is stored and compared: composed, trimmed, upper case. */
export const normalizeRfc = (rfc: string): string => rfc.normalize('NFC').trim().toUpperCase();

// SAT, tdCFDI.xsd, t_RFC: initials (four for a person, three for a company), a date, and three characters assigned by SAT.
// The last is a check digit, which is not checked because SAT itself has assigned wrong ones.
const RFC = /^([A-ZÑ&]{3,4})(\d{2})(\d{2})(\d{2})[A-Z0-9]{2}[0-9A]$/;
const INITIALS_OF_A_PERSON = 4;

/** Returns the kind of taxpayer that the form of an RFC tells, or undefined if it is no RFC. */
export function taxpayerKind(rfc: string): TaxpayerKind | undefined {
  const [, initials, year, month, day] = RFC.exec(normalizeRfc(rfc)) ?? [];
  if (initials === undefined || !isDate(Number(year), Number(month), Number(day))) return undefined;
  return initials.length === INITIALS_OF_A_PERSON ? 'person' : 'company';
}

// The century is unknown, so 2000 is used, which had a 29 February. An impossible day rolls over into another month.
const isDate = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(2000 + year, month - 1, day)).getUTCMonth() === month - 1;

// The RFCs of the general public and of foreigners, which no receiver has as their own (they are for global invoices).
const GENERIC = ['XAXX010101000', 'XEXX010101000'];

function rfcProblem(rfc: string): Message | undefined {
  if (GENERIC.includes(normalizeRfc(rfc))) return { code: 'rfc_generic' };
  return taxpayerKind(rfc) ? undefined : { code: 'not_an_rfc' };
}

function regimeProblem(code: string, kind: TaxpayerKind | undefined): Message | undefined {
  if (code === '') return { code: 'required' };
  const regime = knownIn(REGIMES, code);
  if (!regime) return { code: 'regime_unknown', values: { regime: code } };
  if (!kind || regime.kinds.includes(kind)) return undefined;
  return { code: kind === 'person' ? 'regime_of_companies' : 'regime_of_persons', values: { regime: code } };
}

const NOT_OF_A_SALE = ['CP01', 'CN01'];

function useProblem(code: string, regime: string, kind: TaxpayerKind | undefined): Message | undefined {
  if (code === '') return { code: 'required' };
  if (NOT_OF_A_SALE.includes(code)) return { code: 'cfdi_use_not_of_a_sale', values: { use: code } };
  const use = knownIn(USES, code);
  if (!use) return { code: 'cfdi_use_unknown', values: { use: code } };
  if (kind && !use.kinds.includes(kind)) return { code: 'cfdi_use_of_persons', values: { use: code } };
  if (!knownIn(REGIMES, regime) || use.regimes.includes(regime)) return undefined;
  return { code: 'cfdi_use_not_of_regime', values: { use: code, regime, uses: listAllowedUses(regime).join(', ') } };
}

const listAllowedUses = (regime: string): string[] =>
  Object.entries(USES).flatMap(([code, { regimes }]) => (regimes.includes(regime) ? [code] : []));

const knownIn = <Entry>(table: Readonly<Record<string, Entry>>, code: string): Entry | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;
