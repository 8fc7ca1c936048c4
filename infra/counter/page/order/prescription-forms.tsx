import { callServer } from '../ui/server.ts';
import { ORDER } from '../ui/statuses.ts';
import { type Form, type FormPart, fieldError, findChanged, type Values } from './action-form.tsx';
import { PatientHead } from './parts.tsx';
import {
  findVerifiable,
  isAttachable,
  isRejectable,
  quantitiesText,
  type ShownOrder,
  verificationText,
} from './texts.ts';

/** Verifies a prescription. With `isNamed`, who prescribed has to be recorded, as an antibiotic needs it. */
export const verifyForm =
  (title: string, id: number, isNamed = false): Form =>
  (order) => {
    const prescribed = order.details.filter((line) => line.requires_prescription && line.quantity > 0);
    const { prescriber } = order.prescriptions.find((each) => each.id === id) ?? {};
    const fields: readonly FormPart[] = [
      { name: 'prescriber', present: prescriber?.name, required: isNamed, ...(isNamed && { hint: UNNAMED }) },
      { name: 'licence', present: prescriber?.licence, required: isNamed },
      { name: 'prescriberAddress', present: prescriber?.address },
    ];
    const { is_age_to_accept: isOld = false, is_copy_to_accept: isCopy = false } = findVerifiable(order, id) ?? {};
    const isToApprove = order.order_status === 'quoted' || order.order_status === 'pending_approval';
    return {
      title: nameAct(order, id, title),
      isBeside: true,
      isPossible: verificationText(order, id) !== '',
      command: 'orders-verify-prescription',
      parts: [
        <PatientHead order={order} />,
        <p>{`Se verifica para: ${quantitiesText(prescribed, order)}`}</p>,
        ...fields,
        isOld && { name: 'acceptAge', required: true },
        isCopy && { name: 'acceptCopy', required: true },
        isToApprove && { name: 'approve', present: isLastToJudge(order, id) ? 'yes' : '' },
      ],
      toInput: ({ acceptAge, acceptCopy, approve, ...written }) => ({
        ...{ prescription: id, approve: approve !== undefined },
        ...{ acceptAge: acceptAge !== undefined, acceptCopy: acceptCopy !== undefined },
        ...readPrescriber(fields, written),
      }),
      tell: ({ order_status: status }) => {
        const move = status === order.order_status ? '' : ` La orden ahora está: ${ORDER[status].text}.`;
        return `Receta ${id} verificada.${move}`;
      },
    };
  };

const isLastToJudge = ({ prescriptions }: ShownOrder, id: number): boolean =>
  prescriptions.every((each) => each.id === id || each.verified_at !== null || each.rejected_at !== null);

const UNNAMED = 'Un antibiótico se surte cuando consta quién lo prescribe, con su cédula.';

/** Returns the prescriber if it differs from the recorded one. Throws a CallError if all of its fields were cleared. */
function readPrescriber(fields: readonly FormPart[], values: Values): Values {
  if (Object.keys(findChanged(fields, values)).length === 0) return {};
  if (Object.keys(values).length > 0) return values;
  throw fieldError('prescriber', 'Quien prescribe ya está anotado: escriba a quién anotar en su lugar.');
}

const nameAct = ({ prescriptions }: ShownOrder, id: number, act: string): string =>
  prescriptions.length > 1 ? `${act} ${id}` : act;

const REJECTION_REASONS = [
  'No se lee o le faltan datos',
  'Sin firma o cédula de quien prescribe',
  'Está a nombre de otra persona',
  'No indica este medicamento o esta cantidad',
  'Ya se surtió o venció',
];
const OTHER_REASON = 'Otro motivo';

export const rejectForm =
  (id: number): Form =>
  (order, { reasonChoice }) => ({
    title: nameAct(order, id, 'Rechazar receta'),
    kind: 'danger',
    isBeside: true,
    isPossible: isRejectable(order, id),
    command: 'orders-reject-prescription',
    parts: [
      { name: 'reasonChoice', blank: 'Elija uno', choices: [...REJECTION_REASONS, OTHER_REASON], required: true },
      reasonChoice === OTHER_REASON && { name: 'reason', label: 'Cuál' },
    ],
    toInput: ({ reasonChoice: chosen, reason = chosen }) => ({ reason, prescription: id }),
    tell: () => `Receta ${id} rechazada.`,
  });

export const attachForm: Form = (order) => ({
  title: 'Agregar receta',
  isPossible: isAttachable(order),
  parts: [
    <PatientHead order={order} />,
    { name: 'file', type: 'file', label: 'Archivo', hint: 'PDF, JPEG o PNG, de 3 MB a lo más', required: true },
    { name: 'issueDate', type: 'date', label: 'Expedida el', required: true },
    { name: 'expiringDate', type: 'date', label: 'Vence el', hint: 'Si la receta lo dice' },
  ],
  async send({ issueDate = '', expiringDate }, data) {
    const file = data.get('file') as File;
    const query = { name: file.name, issueDate, ...(expiringDate && { expiringDate }) };
    const response = await callServer(`/documents/${order.id}?${new URLSearchParams(query)}`, file);
    return (await response.json()).document;
  },
  tell: () => 'La receta se agregó: falta verificarla.',
});
