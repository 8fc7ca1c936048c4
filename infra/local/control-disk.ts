import * as z from 'zod';
import type { Text } from '../../shared/messages/say.ts';

/** The path of the control API that tells whether the disk of the data folder is short. */
export const DISK_PATH = '/disk';

const disk = z.object({ shortage: z.object({ es: z.string(), en: z.string() }).nullable() });
export type Disk = z.infer<typeof disk>;

// A program on this machine answers in milliseconds.
const LIMIT_MS = 2_000;

/**
 * Returns the sentence with which a local server says that its disk is short; undefined if it is not, or none answers. Only the
 * server knows its data folder.
 */
export async function askForShortage(controlUrl: string): Promise<Text | undefined> {
  try {
    // The control API takes no request that a page in a browser could send without being asked.
    const headers = { Authorization: 'AWS4-HMAC-SHA256 local' };
    const answer = await fetch(`${controlUrl}${DISK_PATH}`, { headers, signal: AbortSignal.timeout(LIMIT_MS) });
    return disk.parse(await answer.json()).shortage ?? undefined;
  } catch {
    return undefined;
  }
}
