/** What a user is to its client; each user is exactly one of these. */
export const ROLES = ['patient', 'doctor', 'insurance_employee'] as const;
export type Role = (typeof ROLES)[number];
