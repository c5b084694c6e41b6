import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { TemplateError } from './git.ts'

/** Reads the options of a command. Returns null after printing the help; throws on unknown options. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(help: string, options: Options) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
    if (!('help' in values)) return values
    console.log(help)
    return null
  } catch (error) {
    throw new TemplateError(`${(error as Error).message}\n\n${help}`)
  }
}
