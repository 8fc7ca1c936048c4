import type { Item } from '../table.ts';
import type { OrderPrescription } from './order-parts.ts';

type Quantities = NonNullable<OrderPrescription['verification']>['lines'];

/**
 * Packs a prescription into values without names; an operator is its place among those of the order. With a verification for
 * five lines by somebody of IAM Identity Center it has 0.45 KB in place of 0.8.
 */
export function packPrescription(prescription: OrderPrescription, operators: readonly string[]): unknown[] {
  const { verification, rejection, prescriber } = prescription;
  return [
    prescription.id,
    prescription.issueDate,
    prescription.expiringDate,
    prescription.documentKey,
    prescription.documentName,
    prescription.documentType,
    prescription.documentHash,
    prescription.createdAt,
    prescription.updatedAt,
    prescription.updatedBy,
    verification && [
      verification.at,
      operators.indexOf(verification.by),
      verification.isAgeAccepted ?? false,
      ...verification.lines.flatMap(({ productId, quantity }) => [productId, quantity]),
    ],
    rejection && [rejection.at, operators.indexOf(rejection.by), rejection.reason],
    prescriber && [prescriber.name, prescriber.licence, prescriber.address],
  ];
}

/** Unpacks a stored prescription, which the schema of orders checks. */
export function unpackPrescription(packed: unknown, operators: readonly unknown[]): unknown {
  if (!Array.isArray(packed)) return packed;
  const [id, issueDate, expiringDate, documentKey, documentName, documentType, documentHash, ...more] = packed;
  const [createdAt, updatedAt, updatedBy, verification, rejection, prescriber] = more;
  return {
    ...{ id, issueDate, expiringDate, documentKey, documentName, documentType, documentHash },
    verification: Array.isArray(verification) ? unpackVerification(verification, operators) : verification,
    rejection: Array.isArray(rejection) ? unpackRejection(rejection, operators) : rejection,
    prescriber: Array.isArray(prescriber) ? unpackPrescriber(prescriber) : prescriber,
    ...{ createdAt, updatedAt, updatedBy },
  };
}

function unpackVerification([at, by, isAgeAccepted, ...lines]: unknown[], operators: readonly unknown[]): Item {
  return {
    at,
    by: operators[Number(by)],
    lines: toQuantities(lines),
    ...(isAgeAccepted === true && { isAgeAccepted }),
  };
}

const toQuantities = (values: readonly unknown[]): Quantities =>
  Array.from({ length: values.length / 2 }, (_, index) => {
    return { productId: Number(values[2 * index]), quantity: Number(values[2 * index + 1]) };
  });

const unpackRejection = ([at, by, reason]: unknown[], operators: readonly unknown[]): Item => ({
  at,
  by: operators[Number(by)],
  reason,
});

const unpackPrescriber = ([name, licence, address]: unknown[]): Item => ({ name, licence, address });
