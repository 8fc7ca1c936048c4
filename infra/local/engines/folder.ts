import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServerError, unusableFolder } from '../local-server-error.ts';

// Whoever mistypes LOCAL_DIR must not lose a folder of his own: what does not bear this mark is never written or emptied.
const MARK = '.pharmacy-server';
const MARK_TEXT = 'The data of a local server lies here; "npm start -- --fresh" empties this folder.\n';

/** Makes the folder ready for the data of a server. Throws a LocalServerError if it cannot be used, or is another's. */
export async function openFolder(directory: string): Promise<void> {
  const entries = await entriesOf(directory);
  if (entries.length > 0 && !entries.includes(MARK)) throw another(directory);
  await makeFolder(directory);
  try {
    await writeFile(join(directory, MARK), MARK_TEXT);
  } catch (error) {
    throw unusableFolder(directory, reasonOf(error));
  }
}

/** Creates a folder of the server unless it is there. Throws a LocalServerError if it cannot be. */
export async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw unusableFolder(directory, reasonOf(error));
  }
}

/** Removes the data of a server, keeping the folder. Throws a LocalServerError if the folder is another's. */
export async function emptyFolder(directory: string): Promise<void> {
  const entries = await entriesOf(directory);
  if (entries.length === 0) return;
  if (!entries.includes(MARK)) throw another(directory);
  for (const entry of entries) {
    if (entry !== MARK) await rm(join(directory, entry), { recursive: true, force: true });
  }
}

const another = (directory: string): LocalServerError =>
  new LocalServerError(
    `${directory} holds something else than the data of a server: let LOCAL_DIR name an empty folder.`,
  );

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unusableFolder(directory, reasonOf(error));
  }
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
