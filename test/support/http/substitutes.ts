import { formatFolio, parseFolio } from '../../../shared/domain/order.ts';
import type { Ids } from '../../../shared/store/ids.ts';

/** The values in the examples of fields that differ in every run. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  access:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIzIiwiYWNjZXNzX2xpZmV0aW1lIjo5MDB9.c2lnbmF0dXJlLW9mLXRoZS1leGFtcGxl',
  token: 'bG9jYWw.WzEsIng3azJwOXExYWIiLDE3OTM2MjUzMDAwMDBd.c2lnbmF0dXJlLW9mLXRoZS1leGFtcGxlLW9mLWhvbGQ',
  document: 'https://documents.botica.example/prescriptions/ccb01f77-5742-4869-8c2d-34689e4221ab?X-Amz-Expires=300',
  cfdi: '58e93bd8e86eb318b0197456',
};
const SERVER = 'https://api.botica.example/v2';
/** Fields that hold the id of a person as text. */
const TEXT_IDS = ['patient', 'doctor', 'insurance_employee'];

const EVENT = /^evt_(\d+)/;

// All other numbers in the answers, such as catalog ids and demonstration users, are lower.
const FIRST_ORDER = 1_000;
const FIRST_RECORD = 2_000;
// The demonstration users have lower ids.
const FIRST_SHOWN_RECORD = 4;

/** Skips ids so that later ones differ from all catalog ids, and order ids from ids of other records. */
export async function startIds(ids: Ids): Promise<void> {
  await ids.take('order', FIRST_ORDER);
  await ids.take('record', FIRST_RECORD);
}

/** Returns a function that makes an answer equal in every run. It numbers ids by their first appearance. */
export function createSubstitution(serverUrl: string): (answer: unknown) => unknown {
  const orders: number[] = [];
  const records: number[] = [];

  function numberId(id: number): number {
    if (id <= FIRST_ORDER) return id;
    return id <= FIRST_RECORD ? 1 + findOrAdd(orders, id) : FIRST_SHOWN_RECORD + findOrAdd(records, id);
  }

  function substitute(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => substitute(item, field));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, substitute(item, name)]));
    }
    if (typeof value === 'number') return numberId(value);
    if (typeof value !== 'string' || value === '') return value;
    if (TEXT_IDS.includes(field) && /^\d+$/.test(value)) return String(numberId(Number(value)));
    if (field === 'folio') return formatFolio(numberId(parseFolio(value) ?? 0));
    return (
      SUBSTITUTES[field] ??
      value.replace(serverUrl, SERVER).replace(EVENT, (_, order) => `evt_${numberId(Number(order))}`)
    );
  }

  return substitute;
}

/** Returns the index of an id in a list and adds the id when it is new. */
function findOrAdd(known: number[], id: number): number {
  if (!known.includes(id)) known.push(id);
  return known.indexOf(id);
}
