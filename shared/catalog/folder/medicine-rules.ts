import { needsPrescription, type SanitaryFraction, toGroupNumber } from '../../domain/medicines.ts';
import type { CatalogRecord } from './folder.ts';
import type { FolderError } from './record-lines.ts';
import { type CatalogLines, folderError } from './rule-forms.ts';

type Base = Partial<CatalogRecord<'bases'>>;
type Finding = readonly [field: string, message: string];

/**
 * Reports bases whose sanitary fraction is missing, out of place, or at odds with their medical information. Ley General
 * de Salud, art. 226: a medicine is of one fraction, and that says whether it is sold on a prescription.
 */
export function checkMedicines({ bases = [] }: CatalogLines): FolderError[] {
  return bases.flatMap((base) =>
    findFaults(base.fields).map(([field, message]) => folderError('bases', base, field, message)),
  );
}

const MISSING_FRACTION =
  'It is required for a medicine (LGS art. 226), which every base is whose is_medicine is not false.';

function findFaults(base: Base): readonly Finding[] {
  // A field with an error of its own is undefined, and nothing is said of what depends on it.
  const { is_medicine, sanitary_fraction: fraction } = base;
  if (is_medicine === undefined || fraction === undefined) return [];
  if (!is_medicine) return findMedicalTraits(base);
  if (fraction === null) return [['sanitary_fraction', MISSING_FRACTION]];
  return [...compareWithMedicalInformation(fraction, base), ...checkAntibiotic(fraction, base)];
}

function findMedicalTraits({ sanitary_fraction: fraction, is_antibiotic }: Base): readonly Finding[] {
  const message = 'It is for medicines only: is_medicine is false.';
  return [...when(fraction !== null, 'sanitary_fraction', message), ...when(is_antibiotic, 'is_antibiotic', message)];
}

function compareWithMedicalInformation(
  fraction: SanitaryFraction,
  { medical_information: own }: Base,
): readonly Finding[] {
  if (own === undefined) return [];
  const isPrescribed = needsPrescription(fraction);
  const group = toGroupNumber(fraction);
  const required = `It is required for sanitary fraction ${fraction}, with its prescription.`;
  if (own === null) return when(isPrescribed, 'medical_information', required);
  return [
    ...when(
      own.requires_prescription !== isPrescribed,
      'medical_information.requires_prescription',
      `It must be ${isPrescribed} for sanitary fraction ${fraction} (LGS art. 226).`,
    ),
    ...when(
      own.group_number !== group,
      'medical_information.group_number',
      `It must be ${group}, as the sanitary fraction is ${fraction}.`,
    ),
  ];
}

// Agreement of the Secretaría de Salud on antibiotics, DOF 27 May 2010: they are sold on a prescription only.
function checkAntibiotic(fraction: SanitaryFraction, { is_antibiotic }: Base): readonly Finding[] {
  const message = `It must not be true for sanitary fraction ${fraction}: antibiotics are sold on a prescription.`;
  return when(is_antibiotic && !needsPrescription(fraction), 'is_antibiotic', message);
}

function when(isBroken: boolean | null | undefined, field: string, message: string): readonly Finding[] {
  return isBroken ? [[field, message]] : [];
}
