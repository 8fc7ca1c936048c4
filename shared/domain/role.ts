/** The role of a user with its client; each user has exactly one. */
export const ROLES = ['patient', 'doctor', 'insurance_employee'] as const;
export type Role = (typeof ROLES)[number];
