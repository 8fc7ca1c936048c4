import type { Words } from './words.ts';

const ADDRESS = {
  street: 'Street.',
  exterior_number: 'Number of the building.',
  interior_number: 'Number of the flat, floor or unit.',
  neighborhood: 'Neighbourhood (colonia).',
  city: 'City.',
  state: 'State.',
  country: 'Country.',
  zipcode: 'Mexican postal code, five digits.',
  latitude: 'Degrees north, six decimals.',
  longitude: 'Degrees east, six decimals.',
};

const PLACE = {
  ...ADDRESS,
  name: 'How this address is called.',
  phone: 'Telephone to call on delivery.',
  additional_info: 'What else helps to find the place.',
};

const TAXPAYER = {
  ...ADDRESS,
  full_name: 'Name of the taxpayer as registered with SAT.',
  rfc: 'Tax id (RFC) of a person or company.',
  zipcode: 'Postal code of the tax domicile, five digits.',
  cfdi_use: 'What the invoice is for, by SAT’s catalog c_UsoCFDI.',
  fiscal_regime: 'Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal.',
  email: 'Where the invoice is sent instead of the user’s own e-mail.',
};

const PERSON = {
  email: 'E-mail address, unique within the client.',
  first_name: 'First name.',
  last_name: 'First surname.',
  second_last_name: 'Second surname.',
  phone: 'Telephone as `+`, country code and number; unique within the client.',
  sex: 'Sex, `M` or `F`.',
  birthdate: 'Date of birth.',
  medical_condition: 'Conditions that the pharmacy should know of.',
};

/** Words of people, their addresses and their papers. */
export const PEOPLE_WORDS = {
  TokenRequest: {
    about: 'Who wants to log in.',
    fields: { email: 'E-mail address of the user.', password: 'Password of the user.' },
  },
  AccessToken: {
    about: 'A short-lived credential of one user.',
    fields: {
      access:
        'JWT to be sent as `Authorization: Bearer`; its claim `access_lifetime` says for how many seconds it lives.',
    },
  },
  UserInput: {
    about: 'The person whom an order is for; registered with the order when the e-mail is not known yet.',
    fields: PERSON,
  },
  User: {
    about: 'A person; what the reader may not see of somebody else is null.',
    fields: {
      ...PERSON,
      date_joined: 'When the person was registered.',
      patient: 'Id of the person’s record as a patient, or null.',
      doctor: 'Id of the person’s record as a doctor, or null.',
      insurance_employee: 'Id of the person’s record as an insurance employee, or null.',
      country_code: 'Country code of the telephone, without the plus sign.',
      national_number: 'The telephone without its country code.',
      created_by: 'The user whose order registered this person.',
      groups: 'Groups of the person, by id.',
    },
  },
  Patient: {
    about: 'A person as a patient.',
    fields: {
      user: 'The person.',
      referred_by: 'The doctor whose order registered the patient, by id.',
      default_shipping: 'The address that an order without one is sent to, by id.',
      default_invoicing: 'The tax data kept for the patient, by id.',
      preferred_payment: 'The card that the patient prefers, by id.',
      insurance_carriers: 'The insurers of the patient.',
    },
  },
  InsuranceCarrier: {
    about: 'An insurer of a patient.',
    fields: { patients: 'The patient shown, by id.' },
  },
  ShippingInput: { about: 'An address to deliver to.', fields: PLACE },
  Shipping: { about: 'An address that an order is delivered to.', fields: PLACE },
  Store: {
    about: 'A store where an order is picked up.',
    fields: {
      ...PLACE,
      company_name: 'The company that runs the store.',
      business_hours: 'When the store is open.',
    },
  },
  InvoicingInput: { about: 'The tax data that an invoice is made out to.', fields: TAXPAYER },
  Invoicing: { about: 'The tax data that an order is invoiced to.', fields: TAXPAYER },
  PrescriptionInput: {
    about: 'A prescription that comes with an order.',
    fields: {
      document: 'A PDF, JPEG or PNG of at most 3 MB in base64, with or without a `data:` prefix.',
      issue_date: 'When it was issued; not in the future.',
      document_name: 'File name under which it is shown.',
      expiring_date: 'Until when it is good; neither past nor before the issue.',
    },
  },
  Prescription: {
    about: 'A prescription of an order.',
    fields: {
      document: 'Address that gives the document for five minutes.',
      document_name: 'File name under which it is shown.',
      issue_date: 'When it was issued.',
      expiring_date: 'Until when it is good.',
      patient: 'The patient whom it is for, by id.',
      is_verified: 'Whether the pharmacy has checked it.',
      order: 'The order that it came with, by id.',
    },
  },
} as const satisfies Readonly<Record<string, Words>>;
