import { describe, expect, it } from 'vitest';
import { detectDocumentType } from '../../../shared/domain/prescriptions/prescription.ts';
import { ARCHIVED_DOCUMENTS, HONEST_PICTURES } from '../../support/hostile/hostile-archives.ts';
import { ACTIVE_PDFS, HONEST_PDFS, onePagePdf } from '../../support/hostile/pdf-files.ts';

const named = (documents: readonly (readonly [name: string, document: Buffer])[]) =>
  documents.map(([name, document]) => [name, detectDocumentType(document)]);
const all = (documents: readonly (readonly [name: string, document: Buffer])[], type: string | undefined) =>
  documents.map(([name]) => [name, type]);

describe('the content of a document', () => {
  it('may not be an archive', () => {
    expect(ARCHIVED_DOCUMENTS).toHaveLength(101);
    expect(named(ARCHIVED_DOCUMENTS)).toEqual(all(ARCHIVED_DOCUMENTS, undefined));
  });

  it('may be a picture with the beginnings of archives among its bytes', () => {
    expect(named(HONEST_PICTURES)).toEqual(all(HONEST_PICTURES, 'image/jpeg'));
  });

  it('may not do anything by itself', () => {
    expect(ACTIVE_PDFS).toHaveLength(208);
    expect(named(ACTIVE_PDFS)).toEqual(all(ACTIVE_PDFS, undefined));
  });

  it('may be a PDF as phones, offices and clinics make them', () => {
    expect(named(HONEST_PDFS)).toEqual(all(HONEST_PDFS, 'application/pdf'));
  });

  it.each([
    ['a name that only begins so', '/OpenAction<</S/LaunchPad>>', 'application/pdf'],
    ['a name that is written small', '/OpenAction<</S/launch>>', 'application/pdf'],
    ['a name at the end of what is written', '/S/Launch', undefined],
    ['a name before a comment', '/S/Launch%x', undefined],
    ['a name with a letter escaped twice', '/S/#4#43aunch', 'application/pdf'],
  ])('is refused for whole names: %s', (_, entries, type) => {
    expect(detectDocumentType(onePagePdf(entries))).toBe(type);
  });
});
