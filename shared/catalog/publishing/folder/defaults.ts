import type { CatalogFile } from './folder.ts';

type Holiday = { readonly date: string; readonly name: string };

/** Returns the nth weekday of a month that begins at 1, as a date; 0 is Sunday. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const day = 1 + ((7 + weekday - first) % 7) + 7 * (nth - 1);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The days of rest of LFT art. 74 (last reform of it DOF 30 September 2024), with election day by LGIPE art. 22. */
export function listLegalHolidays(year: number): Holiday[] {
  const [SUNDAY, MONDAY] = [0, 1];
  const isHandover = (year - 2024) % 6 === 0;
  const isElection = (year - 2024) % 3 === 0;
  return [
    { date: `${year}-01-01`, name: 'Año Nuevo' },
    { date: nthWeekday(year, 2, MONDAY, 1), name: 'Aniversario de la Constitución' },
    { date: nthWeekday(year, 3, MONDAY, 3), name: 'Natalicio de Benito Juárez' },
    { date: `${year}-05-01`, name: 'Día del Trabajo' },
    ...(isElection ? [{ date: nthWeekday(year, 6, SUNDAY, 1), name: 'Jornada electoral' }] : []),
    { date: `${year}-09-16`, name: 'Día de la Independencia' },
    ...(isHandover ? [{ date: `${year}-10-01`, name: 'Transmisión del Poder Ejecutivo Federal' }] : []),
    { date: nthWeekday(year, 11, MONDAY, 3), name: 'Aniversario de la Revolución' },
    { date: `${year}-12-25`, name: 'Navidad' },
  ];
}

/** The placeholder of `catalog init` for values that only the owner knows. */
export const TO_FILL_IN = 'POR LLENAR';

// Fixed years, so that the same folder always gives the same catalog.
const YEARS = Array.from({ length: 25 }, (_, at) => 2026 + at);

const toMethod = (id: number, name: string, form: string) => {
  return { id, name, fee: '0.00', initial_payment_status: 'unpaid', sat_payment_form: form };
};

/** The records of files that a folder may lack; of all others there are none. */
export const DEFAULT_RECORDS: Readonly<Partial<Record<CatalogFile, readonly object[]>>> = {
  payment_methods: [
    toMethod(1, 'Efectivo en tienda', '01'),
    toMethod(2, 'Tarjeta en tienda', '04'),
    toMethod(3, 'Transferencia', '03'),
  ],
  shipping_methods: [
    { id: 1, company: 'Recoger en tienda', method: 'local', min_delivery_days: 0, max_delivery_days: 1, pickup: true },
  ],
  holidays: YEARS.flatMap(listLegalHolidays),
};
