import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// As in schema.sql. A change of what is stored, or of how it is read, raises the version.
const APPLICATION_ID = 0x626f7463;
const FORMAT_VERSION = 3;
// https://www.sqlite.org/fileformat.html, 1.3.
const FORMAT_VERSION_OFFSET = 60;

/** True when the plain bytes of a catalog file have the format that this program reads. */
export function hasCurrentFormat(plain: Buffer): boolean {
  return plain.readUInt32BE(FORMAT_VERSION_OFFSET) === FORMAT_VERSION;
}

/**
 * Opens a catalog file read-only. Costs four pragmas and a stat: the content itself is vouched for by its hash.
 * Throws an Error with one sentence if it is no catalog, one of another format, or cut short.
 */
export function openCatalogFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const { application, format, bytes } = markersOf(database, file);
    if (application !== APPLICATION_ID || bytes !== statSync(file).size) throw new Error(noCatalog(file));
    if (format === FORMAT_VERSION) return database;
    throw new Error(`${file} is a catalog of format ${format}; this program reads format ${FORMAT_VERSION}.`);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function markersOf(database: DatabaseSync, file: string) {
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  try {
    const bytes = read('page_count') * read('page_size');
    return { application: read('application_id'), format: read('user_version'), bytes };
  } catch (cause) {
    throw new Error(noCatalog(file), { cause });
  }
}

function noCatalog(file: string): string {
  return `${file} is no catalog, or not a whole one.`;
}
