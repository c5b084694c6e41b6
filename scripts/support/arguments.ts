import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

export interface Command<O extends Options> {
  /** `npm run seed -- [--scale n]`, then what the command does and its options. Printed for `--help`. */
  readonly usage: string
  readonly options?: O
  /** How many arguments without a name the command accepts; default: none. */
  readonly positionals?: number
}

/**
 * Reads the arguments of a command, before it does anything. Prints the usage and exits with 0 for `--help` and `-h`;
 * exits with 1 for unknown options and for more arguments than the command accepts.
 */
export function readArguments<const O extends Options = Record<never, never>>(
  { usage, options, positionals = 0 }: Command<O>,
  args: readonly string[] = process.argv.slice(2),
) {
  printHelp(usage, args)
  try {
    const read = parseArgs({ args: [...args], options: options ?? ({} as O), allowPositionals: true })
    const excess = read.positionals[positionals]
    if (excess !== undefined) throw new TypeError(`Unexpected argument '${excess}'`)
    return read
  } catch (error) {
    return exitWithUsage((error as Error).message, usage)
  }
}

/** Prints the usage and exits with 0 for `--help` and `-h`. For commands that pass their arguments to another program. */
export function printHelp(usage: string, args: readonly string[] = process.argv.slice(2)): void {
  if (!args.some((arg) => arg === '--help' || arg === '-h')) return
  console.log(usage)
  process.exit(0)
}

/** Reads a number of an option; exits with 1 if it is not an integer from 0. */
export function readInteger(name: string, value: string, usage: string): number {
  return /^\d+$/.test(value) ? Number(value) : exitWithUsage(`--${name} must be an integer, not '${value}'`, usage)
}

/** Prints the first sentence of the message: Node adds hints on positional arguments. */
export function exitWithUsage(message: string, usage: string): never {
  console.error(`${message.replace(/\.(?:\s.*)?$/s, '')}.\n\n${usage}`)
  process.exit(1)
}
