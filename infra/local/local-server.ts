import { enginePorts, startEngines } from './engines/engines.ts';
import { emptyFolder, openFolder } from './engines/folder.ts';
import { lockFolder } from './engines/folder-lock.ts';
import { expectFreePorts } from './engines/ports.ts';
import { localDirectory, localPorts } from './environment.ts';
import { createSpaceWatch } from './free-space.ts';

export type Stop = () => Promise<void>;

export type StartOptions = {
  /** Keeps or removes the data of an earlier run. */
  readonly data: 'kept' | 'emptied';
  /** Once aborted, the start ends after the current step by throwing. */
  readonly signal: AbortSignal;
  /** Receives a function to stop each started part, in order, also if the start fails. */
  readonly stops: Stop[];
};

/**
 * Starts the service on this machine: engines, table and buckets, demonstration catalog, client and users, and the real
 * handlers behind the local gateway. Resolves with its address. Throws LocalServerError for a cause that the user can fix.
 */
export async function startLocalServer({ data, signal, stops }: StartOptions): Promise<string> {
  const environment = { ...process.env };
  const directory = localDirectory(environment);
  await openFolder(directory);
  stops.push(lockFolder(directory));
  await expectFreePorts([{ port: localPorts(environment).PORT, variable: 'PORT' }, ...enginePorts(environment)]);
  if (data === 'emptied') await emptyFolder(directory);
  const space = createSpaceWatch({ directory, report });
  await space.start();
  stops.push(space.stop);
  // Node loads the service while Java starts.
  const [engines, startService] = await Promise.all([startEngines(environment), loadService()]);
  stops.push(engines.stop);
  void engines.failure?.then(report);
  signal.throwIfAborted();
  return startService({ environment, directory, space, report, signal, stops });
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function loadService() {
  const { loadHandlers, startService } = await import('./service.ts');
  await loadHandlers();
  return startService;
}
