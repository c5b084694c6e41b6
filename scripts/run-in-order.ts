import { spawnSync } from 'node:child_process'
import { readArguments } from './support/arguments.ts'

// node scripts/run-in-order.ts '<command>' … -- [arguments of npm run]: `a && b -- --help` would run a.
const [commands, args] = splitAt(process.argv.slice(2), '--')
readArguments({ usage: `npm run ${process.env.npm_lifecycle_event ?? ''}\n\nRuns in order:\n${list(commands)}` }, args)

/** Stops at the first command that fails. */
for (const command of commands) {
  console.log(`\n> ${command}`)
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function splitAt(words: readonly string[], mark: string): [string[], string[]] {
  const index = words.indexOf(mark)
  return index === -1 ? [[...words], []] : [words.slice(0, index), words.slice(index + 1)]
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}
