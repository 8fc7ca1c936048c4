import { describe, expect, it } from 'vitest';
import { documentName } from '../../../shared/domain/prescriptions/document-name.ts';

describe('the name of a document', () => {
  const named = (given: string) => documentName(given, 1, 'application/pdf');

  it('is a number with the extension of its type, where none was given', () => {
    expect(documentName(undefined, 1, 'application/pdf')).toBe('receta-1.pdf');
    expect(documentName(undefined, 2, 'image/jpeg')).toBe('receta-2.jpg');
    expect(documentName(undefined, 10, 'image/png')).toBe('receta-10.png');
  });

  it.each(['Receta Dra. Núñez (1).pdf', '处方.pdf', 'receta 12.11.2026.pdf', 'receta.v2.pdf', 'Receta & más_100%.pdf'])(
    'stays as it is: %s',
    (given) => {
      expect(named(given)).toBe(given);
    },
  );

  it.each([
    ['receta.hta', 'receta.pdf'],
    ['receta.pdf.hta', 'receta.pdf'],
    ['receta.pdf.exe ', 'receta.pdf'],
    ['receta.pdf.hta.', 'receta.pdf'],
    ['receta.pdf . . ', 'receta.pdf'],
    ['receta.PDF', 'receta.pdf'],
    ['receta.pDf.HtA', 'receta.pdf'],
    ['receta', 'receta.pdf'],
    ['receta.', 'receta.pdf'],
    ['receta.html', 'receta.pdf'],
    ['receta.xhtml', 'receta.pdf'],
    ['receta.settingcontent-ms', 'receta.settingcontent-ms.pdf'],
    ['receta.7z', 'receta.7z.pdf'],
    ['receta.pdf:evil.hta', 'receta.pdfevil.pdf'],
    ['Dra. Paz', 'Dra. Paz.pdf'],
  ])('of a PDF ends as one: %j becomes %j', (given, name) => {
    expect(named(given)).toBe(name);
  });

  it.each([
    ['foto.jpeg', 'image/jpeg', 'foto.jpg'],
    ['foto.JPG', 'image/jpeg', 'foto.jpg'],
    ['foto.pdf', 'image/jpeg', 'foto.jpg'],
    ['foto.jpg', 'image/png', 'foto.png'],
    ['foto.svg', 'image/png', 'foto.png'],
  ] as const)('of a picture ends as its type: %j of %s becomes %j', (given, type, name) => {
    expect(documentName(given, 1, type)).toBe(name);
  });

  it.each([
    ['  receta.pdf\t', 'receta.pdf'],
    ['re"ce\'ta`.pdf', 'receta.pdf'],
    ['“receta”.pdf', 'receta.pdf'],
    ['../../etc/receta.pdf', 'etcreceta.pdf'],
    ['.bashrc', 'bashrc.pdf'],
    ['C:\\recetas\\mía.pdf', 'Crecetasmía.pdf'],
    ['receta\r\nX-Evil: 1.pdf', 'recetaX-Evil 1.pdf'],
    ['receta<script>.pdf', 'recetascript.pdf'],
    ['rec?e|t*a.pdf', 'receta.pdf'],
    ['receta\u0000\u007f\u0085.pdf', 'receta.pdf'],
    ['receta\u202efdp.exe', 'recetafdp.pdf'],
    ['receta\u2028.pdf', 'receta.pdf'],
    ['receta\u1fef.pdf', 'receta.pdf'], // NFC makes it a backtick
    ['receta\ud83d.pdf', 'receta.pdf'],
    ['Nu\u0301n\u0303ez.pdf', 'Núñez.pdf'],
    ['u\u200b\u0301til.pdf', 'útil.pdf'],
  ])('loses what is not a plain file name: %j becomes %j', (given, name) => {
    expect(named(given)).toBe(name);
  });

  it.each(['', '   ', '"', '//', '..', '.pdf', '.hta', '.jpg.hta', ' .pdf', '\u0000', '\ud800', '“”'])(
    'is a number where nothing is left of %j',
    (given) => {
      expect(documentName(given, 3, 'image/jpeg')).toBe('receta-3.jpg');
    },
  );

  it.each(['CON', 'nul.pdf', 'aux.tar.pdf', 'Com1.txt', 'LPT¹', 'prn .pdf', 'conin$'])(
    'is not that of a device: %s',
    (given) => {
      expect(named(given)).toBe('receta-1.pdf');
    },
  );

  it.each(['console.pdf', 'auxiliar.pdf', 'nulo.pdf', 'com10.pdf'])('may begin as that of a device: %s', (given) => {
    expect(named(given)).toBe(given);
  });

  it('has at most 100 characters, whole ones and the extension among them', () => {
    expect(named('a'.repeat(100))).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(96)}.pdf`)).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(97)}.pdf`)).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(92)}.hta.pdf`)).toBe(`${'a'.repeat(92)}.hta.pdf`);
    expect(named(`a${'😀'.repeat(100)}`)).toBe(`a${'😀'.repeat(95)}.pdf`);
    expect(named(`${'a'.repeat(95)} b`)).toBe(`${'a'.repeat(95)}.pdf`);
    expect(named(`${'a'.repeat(95)}.b`)).toBe(`${'a'.repeat(95)}.pdf`);
    expect(named('ñ'.repeat(1_000_000))).toBe(`${'ñ'.repeat(96)}.pdf`);
  });
});
