import type { Invoicing } from '../api/people/addresses.ts';
import { MAX_PROFILE_RECORDS, type Profile } from '../api/people/people.ts';
import type { UserRecord } from '../store/people/users.ts';
import { representUser } from './person.ts';

/** Represents a user for themselves, with the receivers of invoices that are kept for them, by descending id. */
export function representProfile(user: UserRecord, receivers: readonly Invoicing[]): Profile {
  const { defaultShipping, defaultInvoicing } = user;
  const isDefault = ({ id }: Invoicing): boolean => id === defaultInvoicing;
  const ordered = [...receivers.filter(isDefault), ...receivers.filter((receiver) => !isDefault(receiver))];
  return {
    ...representUser(user),
    default_shipping: defaultShipping?.id ?? null,
    default_invoicing: defaultInvoicing,
    shipping_records: defaultShipping ? [defaultShipping] : [],
    invoicing_records: ordered.slice(0, MAX_PROFILE_RECORDS),
  };
}
