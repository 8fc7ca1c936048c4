import type { Shipping, Store } from '../../../shared/api/addresses.ts';
import type { Patient, User } from '../../../shared/api/people.ts';

/** The time of the orders in the examples: a Saturday noon in Mexico City. */
export const NOW = '2026-11-21T18:00:00.000Z';
const REGISTERED = '2026-01-12T15:00:00.000Z';

/** The insurance employee who places the orders. */
export const TOMAS: User = {
  id: 2,
  email: 'aseguradora@demo.example',
  first_name: 'Tomás',
  last_name: 'Vega',
  second_last_name: 'Luna',
  phone: '+525555010003',
  country_code: '52',
  national_number: '5555010003',
  sex: null,
  birthdate: null,
  medical_condition: '',
  date_joined: REGISTERED,
  created_at: REGISTERED,
  updated_at: REGISTERED,
  deleted_at: null,
  patient: null,
  doctor: null,
  insurance_employee: '2',
  created_by: null,
  groups: [],
};

/** The patient whom the orders are for. */
export const LUZ: Patient = {
  id: 4,
  user: {
    id: 4,
    email: 'luz.mora@example.mx',
    first_name: 'Luz',
    last_name: 'Mora',
    second_last_name: null,
    phone: '+525512345678',
    country_code: '52',
    national_number: '5512345678',
    sex: null,
    birthdate: '1990-04-12',
    medical_condition: '',
    date_joined: NOW,
    created_at: NOW,
    updated_at: NOW,
    deleted_at: null,
    patient: '4',
    doctor: null,
    insurance_employee: null,
    created_by: 2,
    groups: [],
  },
  referred_by: null,
  default_shipping: 5,
  default_invoicing: null,
  preferred_payment: null,
  insurance_carriers: [
    {
      id: 1,
      name: 'Seguros Demo',
      created_at: REGISTERED,
      updated_at: REGISTERED,
      deleted_at: null,
      patients: [4],
    },
  ],
};

export const HOME: Shipping = {
  id: 5,
  name: '',
  street: 'Durango',
  exterior_number: '245',
  interior_number: '',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
  phone: '+525512345678',
  additional_info: '',
  latitude: null,
  longitude: null,
  created_at: NOW,
  updated_at: NOW,
  updated_by: 2,
};

export const DEL_VALLE: Store = {
  id: 1,
  name: 'Sucursal Del Valle',
  street: 'Calle Jacarandas',
  exterior_number: '214',
  interior_number: 'Local 3',
  neighborhood: 'Del Valle Centro',
  city: 'Ciudad de México',
  state: 'Ciudad de México',
  country: 'México',
  zipcode: '03100',
  phone: '+525555550101',
  additional_info: 'Frente al parque; hay estacionamiento para bicicletas.',
  latitude: '19.386100',
  longitude: '-99.162400',
  created_at: '2026-01-06T15:00:00.000Z',
  updated_at: '2026-05-04T16:30:00.000Z',
  company_name: 'Botica Jacaranda',
  business_hours: 'Lunes a sábado de 8:00 a 22:00, domingo de 9:00 a 20:00',
};
