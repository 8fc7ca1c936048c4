import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// These are the numbers in schema.sql. Any change to what is stored, or to how it is read, raises the version.
const APPLICATION_ID = 0x626f7463;
const FORMAT_VERSION = 7;
// SQLite keeps `user_version` here (https://www.sqlite.org/fileformat.html, 1.3).
const FORMAT_VERSION_OFFSET = 60;

const HEADER = 'SQLite format 3\0';
const APPLICATION_ID_OFFSET = 68;

/** True when a path is that of a catalog file, of any format. */
export function isCatalogFile(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const plain = readFileSync(path);
  const isDatabase = plain.length > APPLICATION_ID_OFFSET + 4 && plain.toString('latin1', 0, HEADER.length) === HEADER;
  return isDatabase && plain.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID;
}

/** True when a catalog file with these bytes has the format that this program reads. */
export function hasCurrentFormat(plain: Buffer): boolean {
  return plain.readUInt32BE(FORMAT_VERSION_OFFSET) === FORMAT_VERSION;
}

/**
 * Opens a catalog file read-only. Runs four pragmas and a stat and does not read the content, which its hash has
 * verified. Throws an Error with one sentence when the file is no catalog, has another format, or is cut short.
 */
export function openCatalogFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const { application, format, bytes } = readMarkers(database, file);
    if (application !== APPLICATION_ID || bytes !== statSync(file).size) throw new Error(notACatalog(file));
    if (format === FORMAT_VERSION) return database;
    throw new Error(`${file} is a catalog of format ${format}; this program reads format ${FORMAT_VERSION}.`);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** Returns what `read` finds in a catalog file. Throws what `openCatalogFile` throws. */
export function readCatalogFile<Found>(file: string, read: (database: DatabaseSync) => Found): Found {
  const database = openCatalogFile(file);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function readMarkers(database: DatabaseSync, file: string) {
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  try {
    const bytes = read('page_count') * read('page_size');
    return { application: read('application_id'), format: read('user_version'), bytes };
  } catch (cause) {
    throw new Error(notACatalog(file), { cause });
  }
}

function notACatalog(file: string): string {
  return `${file} is no catalog, or not a whole one.`;
}

// Functions do not read it: they compare the whole file with the hash that the pointer names.
const SEAL = 'seal';

/** Stores the hash of all rows, by which a file that was copied from place to place is known to be whole. */
export function writeSeal(database: DatabaseSync): void {
  database.prepare('INSERT INTO columns (name, content) VALUES (?, ?)').run(SEAL, hashRows(database));
}

/** True when the rows are those that `writeSeal` has seen. */
export function hasTrueSeal(database: DatabaseSync): boolean {
  const content = database.prepare('SELECT content FROM columns WHERE name = ?').get(SEAL)?.content;
  return content instanceof Uint8Array && hashRows(database).equals(content);
}

const ORDERS = {
  bases: 'id',
  products: 'id',
  withdrawn: 'id',
  records: 'kind, key',
  columns: 'name',
  stamps: 'file, id',
} as const;

function hashRows(database: DatabaseSync): Buffer {
  const digest = createHash('sha256');
  for (const [table, order] of Object.entries(ORDERS)) {
    for (const row of database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()) {
      if (table === 'columns' && row.name === SEAL) continue;
      for (const value of Object.values(row))
        digest.update(value instanceof Uint8Array ? value : `${typeof value} ${value}\n`);
    }
  }
  return digest.digest();
}
