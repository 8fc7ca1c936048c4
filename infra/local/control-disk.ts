import * as z from 'zod';
import type { Text } from '../../shared/messages/say.ts';

/** The path of the control API that tells the data folder, its free space, and whether that is too little. */
export const DISK_PATH = '/disk';

const disk = z.object({
  directory: z.string(),
  freeBytes: z.number(),
  shortage: z.object({ es: z.string(), en: z.string() }).nullable(),
});
export type Disk = z.infer<typeof disk>;

// It answers in milliseconds, on a busy machine in seconds; where none runs, the connection is refused at once.
const LIMIT_MS = 10_000;

/** Returns what a local server says of its disk; undefined if none answers. Only the server knows its data folder. */
export async function askForDisk(controlUrl: string): Promise<Disk | undefined> {
  try {
    // The control API takes no request that a page in a browser could send without being asked.
    const headers = { Authorization: 'AWS4-HMAC-SHA256 local' };
    const answer = await fetch(`${controlUrl}${DISK_PATH}`, { headers, signal: AbortSignal.timeout(LIMIT_MS) });
    return disk.parse(await answer.json());
  } catch {
    return undefined;
  }
}

/** Returns the sentence with which a local server says that its disk is short; undefined if it is not, or none answers. */
export async function askForShortage(controlUrl: string): Promise<Text | undefined> {
  return (await askForDisk(controlUrl))?.shortage ?? undefined;
}
