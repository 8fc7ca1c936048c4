import type { Role } from '../../domain/person.ts';
import { doctorViewer, patientViewer, type Viewer } from '../keys.ts';
import type { Order } from './order.ts';

const VIEWER: Readonly<Record<Role, (id: number) => Viewer>> = {
  patient: patientViewer,
  doctor: doctorViewer,
  insurance_employee: () => 'client',
};
/** Returns the viewer whose list of orders a user sees. */
export const toViewer = (user: { readonly id: number; readonly role: Role }): Viewer => VIEWER[user.role](user.id);

/** Returns the viewers of an order: its patient, the doctor who created it, and the client's employees. */
export const listViewers = ({ patient, generatedBy }: Order): Viewer[] => [
  'client',
  patientViewer(patient.id),
  ...(generatedBy.role === 'doctor' ? [doctorViewer(generatedBy.id)] : []),
];
