import { expect, it } from 'vitest';
import { ROLES } from '../../../shared/domain/role.ts';

it('a user is a patient, a doctor or an insurance employee', () => {
  expect(ROLES).toEqual(['patient', 'doctor', 'insurance_employee']);
});
