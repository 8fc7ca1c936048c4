import {
  isControlled,
  namesAntibiotic,
  namesControlledSubstance,
  needsPrescription,
  SANITARY_FRACTIONS,
  type SanitaryFraction,
} from '../../../domain/medicines.ts';
import { foldText } from '../../../domain/text.ts';
import type { Draft } from './drafts.ts';

/** Missing or doubtful values that decide about law or tax are asked, with their rows, and never guessed. */
export type Question = {
  readonly field: string;
  readonly question: string;
  readonly answers: string;
  /** None if it is about the whole sheet. */
  readonly rows: readonly number[];
};

export type Answers = Readonly<Record<string, string>>;

type Rule = {
  readonly question: string;
  readonly answers: readonly string[];
  readonly isAsked: (draft: Draft) => boolean;
  /** Returns what the answer changes of a draft. */
  readonly apply: (answer: string, draft: Draft) => Partial<Draft>;
};

const YES_NO = ['yes', 'no'];
/** The sheet is right. */
const AS_IS = 'sheet';
const SAT_KEY = '<8 digits>';
const isFree = (fraction: SanitaryFraction): boolean => !needsPrescription(fraction);
const toFraction = (answer: string) => (answer === AS_IS ? {} : { fraction: answer as SanitaryFraction });
const nameSubstance = ({ ingredient, values, known }: Draft): string =>
  ingredient || values.name || (known?.base?.name ?? '');
const lacksFraction = (draft: Draft): boolean => draft.isMedicine === true && !draft.fraction;

const MEDICAL = /medic|farmac|patente|generic|antibiot|controlad/;
function looksMedical(draft: Draft): boolean {
  const { department = '', category = '' } = draft.values;
  const name = nameSubstance(draft);
  return MEDICAL.test(foldText(`${department} ${category}`)) || namesAntibiotic(name) || namesControlledSubstance(name);
}

const askFraction = (isPrescribed: boolean): Rule => ({
  question: `Which sanitary fraction (LGS art. 226) have these, which are sold ${isPrescribed ? 'on' : 'without'} a prescription?`,
  answers: SANITARY_FRACTIONS.filter((fraction) => needsPrescription(fraction) === isPrescribed),
  isAsked: (draft) => lacksFraction(draft) && draft.prescription === isPrescribed,
  apply: toFraction,
});

const askSatKey = (isMedicine: boolean): Rule => ({
  question: `Which is SAT's c_ClaveProdServ of these, which are ${isMedicine ? '' : 'no '}medicines?`,
  answers: [SAT_KEY],
  isAsked: (draft) => draft.satKey === undefined && (draft.isMedicine === true) === isMedicine,
  apply: (satKey) => ({ satKey }),
});

/** By the names that answers have, in the order in which one answer leads to the next question. */
const RULES: Readonly<Record<string, Rule>> = {
  decimals: {
    question: 'Is the decimal sign of these amounts the point or the comma?',
    answers: ['point', 'comma'],
    isAsked: ({ open }) => open.has('decimals'),
    apply: () => ({}),
  },
  medicine: {
    question: 'Are these medicines? They have no fraction or active ingredient, but a name or category like one.',
    answers: YES_NO,
    isAsked: (draft) => draft.isMedicine === undefined,
    apply: (answer) => ({ isMedicine: answer === 'yes' }),
  },
  prescription: {
    question: 'Are these medicines sold on a prescription? The sheet has neither fraction nor prescription.',
    answers: YES_NO,
    isAsked: (draft) => lacksFraction(draft) && draft.prescription === undefined,
    apply: (answer) => ({ prescription: answer === 'yes' }),
  },
  fraction: askFraction(true),
  free_fraction: askFraction(false),
  antibiotic: {
    question: `Are these antibiotics sold on a prescription (DOF 27 May 2010)? The sheet says without; "${AS_IS}" leaves it so.`,
    answers: ['IV', AS_IS],
    isAsked: (draft) => Boolean(draft.fraction && isFree(draft.fraction)) && namesAntibiotic(nameSubstance(draft)),
    apply: toFraction,
  },
  controlled: {
    question: `Which fraction do these have, of substances that LGS art. 234 or 245 controls? "${AS_IS}" leaves the sheet's.`,
    answers: [...SANITARY_FRACTIONS.filter(isControlled), AS_IS],
    isAsked: (draft) =>
      Boolean(draft.fraction && !isControlled(draft.fraction)) && namesControlledSubstance(nameSubstance(draft)),
    apply: toFraction,
  },
  iva: {
    question: 'Do these have IVA of 16 %? "not-medicines": medicines have none (LIVA art. 2-A I b), the others have.',
    answers: [...YES_NO, 'not-medicines'],
    isAsked: (draft) => draft.hasIva === undefined,
    apply: (answer, { isMedicine }) => ({ hasIva: answer === 'not-medicines' ? !isMedicine : answer === 'yes' }),
  },
  sat_key: askSatKey(true),
  goods_sat_key: askSatKey(false),
};
export const ANSWERED_FIELDS: readonly string[] = Object.keys(RULES);

/** Returns what may be answered instead; undefined if the answer is one. */
export function describeWrongAnswer(field: string, answer: string): string | undefined {
  const answers = RULES[field]?.answers;
  if (!answers) return `one of ${ANSWERED_FIELDS.join(', ')}, and = with its answer`;
  const isAnswer = answers.includes(SAT_KEY) ? /^\d{8}$/.test(answer) : answers.includes(answer);
  return isAnswer ? undefined : `${field}=${answers.join('|')}`;
}

// Of an earlier import, an answer to these holds for its products alone: a new product may be another case.
const ASKED_ANEW = ['medicine', 'antibiotic', 'controlled'];

/**
 * Applies the answers to the drafts: those `given` now, and those that the folder remembers. Returns the open questions, which
 * each draft notes, and how many rows each answer changed.
 */
export function askQuestions(drafts: readonly Draft[], answers: Answers, given: Answers) {
  const answered: Record<string, number> = {};
  for (const draft of drafts) classify(draft);
  const questions = Object.entries(RULES).flatMap(([field, rule]): Question[] => {
    const answer = answers[field];
    const isOpen = ({ known }: Draft) =>
      answer === undefined || (!known && !(field in given) && ASKED_ANEW.includes(field));
    const asked = drafts.filter(rule.isAsked);
    const [open, settled] = [asked.filter(isOpen), asked.filter((draft) => !isOpen(draft))];
    for (const draft of open) draft.open.add(field);
    for (const draft of settled) Object.assign(draft, rule.apply(answer ?? '', draft));
    if (settled.length > 0) answered[field] = settled.length;
    const rows = open.map(({ row }) => row.line);
    return rows.length === 0 ? [] : [{ field, question: rule.question, answers: rule.answers.join('|'), rows }];
  });
  return { questions, answered };
}

/** A medicine is known by its fraction, ingredient or prescription. */
function classify(draft: Draft): void {
  const { fraction, prescription, ingredient, known } = draft;
  if (fraction || (fraction === undefined && (ingredient !== '' || prescription))) draft.isMedicine = true;
  else if (known?.base?.is_medicine !== undefined) draft.isMedicine = String(known.base.is_medicine) === 'true';
  else if (!looksMedical(draft)) draft.isMedicine = false;
}
