import type { DocumentType } from './prescription.ts';

const EXTENSIONS: Readonly<Record<DocumentType, string>> = {
  'application/pdf': '.pdf',
  'image/jpeg': '.jpg',
  'image/png': '.png',
};

// The bound of the field in the contract; nobody's file system takes a longer one.
const MAX_GIVEN_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 100;

// Control and direction characters, halves of surrogate pairs, line breaks, quotes of every script, and what Windows has no
// place for in a file name: what could leave a Content-Disposition header or a folder, or make exe.pdf read as fdp.exe.
const UNSAFE_IN_A_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Quotation_Mark}`/\\<>:|?*]/gu;
// Windows drops dots and blanks from the end of a name, and Unix hides a file whose name begins with a dot.
const END = /[.\s]+$/;
const EDGES = /^[.\s]+|[.\s]+$/g;
const EXTENSION = /\.[a-z][a-z\d]{0,4}$/i;
// Names of devices, whatever extension they have (Windows, "Naming Files, Paths, and Namespaces").
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;
const READABLE = /[\p{L}\p{N}]/u;

/**
 * Returns the file name of a document: the given one in NFC, without what is not a plain file name, with the extension of its
 * type in place of its own, at most 100 characters; or `receta-<position>` (from 1), if no letter or digit is left.
 */
export function documentName(given: string | undefined, position: number, type: DocumentType): string {
  const extension = EXTENSIONS[type];
  const stem = removeExtensions(cleanName(given ?? ''), extension);
  const cut = [...stem]
    .slice(0, MAX_NAME_CHARACTERS - extension.length)
    .join('')
    .replace(EDGES, '');
  const isUsable = READABLE.test(cut) && !DEVICE.test(cut);
  return `${isUsable ? cut : `receta-${position}`}${extension}`;
}

const cleanName = (given: string): string =>
  given.slice(0, MAX_GIVEN_CHARACTERS).normalize('NFC').replace(UNSAFE_IN_A_NAME, '').normalize('NFC').trim();

/** Removes the last extension, and before it that of the type: a PDF named `a.pdf.hta` is `a`. */
function removeExtensions(name: string, extension: string): string {
  const stem = name.replace(END, '').replace(EXTENSION, '').replace(END, '');
  return stem.toLowerCase().endsWith(extension) ? stem.slice(0, -extension.length) : stem;
}
