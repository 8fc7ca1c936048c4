import type { Command } from './command.ts';

export const invocation = ({ name, usage }: Command): string => `${name} ${usage}`.trim();

/** Lists the commands of a group, or all of them if there is no such group. */
export function help(commands: readonly Command[], group?: string): string {
  const known = commands.filter(({ name }) => group !== undefined && name.startsWith(`${group} `));
  const listed = known.length > 0 ? known : commands;
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: npm run ops -- <command> [--outputs <file> | --local] [--json] [--help]\n\n${lines.join('')}\n${GLOBAL_OPTIONS}`;
}

export const commandHelp = (explained: Command): string =>
  `${explained.summary}

Usage: npm run ops -- ${invocation(explained)}
Example: npm run ops -- ${`${explained.name} ${explained.example}`.trim()}

${explained.details}${GLOBAL_OPTIONS}`;

const GLOBAL_OPTIONS = `  --outputs <file>  work on the stack whose outputs \`cdk deploy --outputs-file <file>\` has written
  --local           work on the local server
  --json            print the result as JSON, and nothing else with npm run --silent ops -- <command>
  --help            explain a command

Without --outputs and --local, the names of table, buckets and so on are taken from the environment; credentials
come from the ordinary AWS environment (AWS_PROFILE and so on).
Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 after Ctrl-C.
`;
