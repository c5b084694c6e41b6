import { type ParseArgsConfig, parseArgs } from 'node:util'
import { StartupError } from '#store'

/** Prints the usage and exits with 0 if the arguments contain --help. Throws a StartupError for unknown options. */
export function readArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options = {} as Options,
  { positionals: maximum = 0 } = {},
) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    const read = parseArgs({ options, allowPositionals: true })
    if (read.positionals.length > maximum) throw new Error(`Unexpected argument '${read.positionals[maximum]}'`)
    return read
  } catch (error) {
    throw new StartupError(`${(error as Error).message.replace(/\..*/s, '')}.\n\n${usage}`)
  }
}
