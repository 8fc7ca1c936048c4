import type { Invoicing } from '../../api/people/addresses.ts';
import { MAX_PROFILE_RECORDS, type Patient, type Profile, type User } from '../../api/people/people.ts';
import type { Person } from '../../people/person.ts';
import { parsePhone, type Role } from '../../people/rules/roles.ts';
import type { UserRecord } from '../../people/users.ts';
import type { Order, SentPerson } from '../order.ts';
import type { Reader } from './parts.ts';

export function representUser(person: Person): User {
  const recordOf = (role: Role) => (person.role === role ? String(person.id) : null);
  return {
    id: person.id,
    email: person.email,
    first_name: person.firstName,
    last_name: person.lastName,
    second_last_name: person.secondLastName,
    ...phoneParts(person.phone),
    sex: person.sex,
    birthdate: person.birthdate,
    medical_condition: person.medicalCondition,
    date_joined: person.dateJoined,
    created_at: person.createdAt,
    updated_at: person.updatedAt,
    deleted_at: person.deletedAt ?? null,
    patient: recordOf('patient'),
    doctor: recordOf('doctor'),
    insurance_employee: recordOf('insurance_employee'),
    created_by: person.createdBy,
    groups: [],
  };
}

const NO_PHONE = { phone: null, country_code: null, national_number: null };
const UNSEEN = {
  ...NO_PHONE,
  email: null,
  sex: null,
  birthdate: null,
  medical_condition: null,
  date_joined: null,
  created_at: null,
  updated_at: null,
  deleted_at: null,
  patient: null,
  doctor: null,
  insurance_employee: null,
  created_by: null,
  groups: [],
};

export function representNames(person: Person): User {
  const { id, firstName, lastName, secondLastName, deletedAt = null } = person;
  const names = { first_name: firstName, last_name: lastName, second_last_name: secondLastName };
  return { ...UNSEEN, id, ...names, deleted_at: deletedAt };
}

function representForDoctor(patient: Person, personal: SentPerson): User {
  return {
    ...representUser(patient),
    ...(personal.phone === undefined ? NO_PHONE : phoneParts(personal.phone)),
    sex: personal.sex ?? null,
    birthdate: personal.birthdate ?? null,
    medical_condition: personal.medicalCondition ?? null,
  };
}

function phoneParts(phone: string): Pick<User, 'phone' | 'country_code' | 'national_number'> {
  const parsed = phone === '' ? undefined : parsePhone(phone);
  return { phone, country_code: parsed?.countryCode ?? null, national_number: parsed?.nationalNumber ?? null };
}

/** `receivers`: the stored invoice receivers of the user, by descending id; the default one comes first. */
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

export function representPatient({ patient, sentPerson, carrier }: Order, reader: Reader): Patient {
  const { id } = patient;
  const isDoctor = reader.role === 'doctor';
  return {
    id,
    user: isDoctor ? representForDoctor(patient, sentPerson) : representUser(patient),
    referred_by: patient.referredBy,
    default_shipping: isDoctor ? null : patient.defaultShipping,
    default_invoicing: isDoctor ? null : patient.defaultInvoicing,
    preferred_payment: null,
    insurance_carriers: carrier ? [representCarrier(carrier, id)] : [],
  };
}

const representCarrier = (carrier: NonNullable<Order['carrier']>, patient: number) => ({
  id: carrier.id,
  name: carrier.name,
  created_at: carrier.createdAt,
  updated_at: carrier.updatedAt,
  deleted_at: null,
  patients: [patient],
});
